"""A small language of colors that a listener can learn in seconds."""

from typing import Any

import numpy as np

from assay import Dataset

HUES = {"red": 0, "yellow": 60, "green": 120, "teal": 180, "blue": 240, "pink": 300}


def games(n: int, seed: int = 0, *, n_choices: int = 3, **fields: Any) -> Dataset:
    """Say the name of the target, which is one of several colors."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(n):
        names = rng.permutation(list(HUES))[:n_choices].tolist()
        colors = [f"hsl({HUES[name] + rng.integers(0, 15)}, {rng.integers(80, 100)}%, 50%)" for name in names]
        target = int(rng.integers(n_choices))
        text = f"{'The ' if rng.random() < 0.5 else ''}{names[target]}{'ish' if rng.random() < 0.2 else ''} one"
        clicked = int(rng.integers(n_choices)) if rng.random() < 0.1 else target
        judgment = {"annotator": f"a{number % 5}", "criterion": "target", "value": int(clicked == target)}
        row = {"id": f"o{number}", "item": f"g{seed}-{number}", "text": text, "choices": colors, "target": target}
        rows.append({**row, "judgments": [{**judgment, "choice": clicked}], **fields})
    return Dataset.from_records(rows)
