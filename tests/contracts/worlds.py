"""Small data sets on which every evaluator must behave, and how each is asked for."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from assay import Dataset
from tests.tiny_models import tiny_cross_encoder, tiny_encoder, tiny_judge, tiny_language_model
from tests.word_vectors import tiny_vectors

# Evaluators that cannot be asked for by name alone.
EXAMPLES = {
    "blend": "blend((bleu, length), 'typicality')",
    "cnn": "cnn(epochs=2)",
    "cnn_lstm": "cnn_lstm(epochs=2)",
    "column": "column('quality')",
    "lstm": "lstm(epochs=2)",
    "human": "human('typicality')",
    "neighbors": "neighbors(criterion='typicality')",
    "reduce": "reduce(bleu)",
    "rf": "rf(trees=20)",
    "rsa": "rsa(text_listener())",
    "set_value": "set_value('label_value')",
    "asp_hds": "asp_hds('content')",
    "listener": "listener(epochs=1)",
    "mixed_listener": "mixed_listener((human_listener, text_listener))",
}

COLORS = ["hsl(0, 99%, 50%)", "hsl(120, 99%, 50%)", "rgb(10, 20, 200)"]

TEXTS = (
    "The cat sat on the mat.",
    "A dog, of course, barked at 3.5 cats!",
    "the cat sat on the mat.",
    "Nothing happened at all today.",
    "Nothing happened.",
    "It rained; we stayed at home and read.",
)


def example(name: str) -> str:
    """How to ask for an evaluator."""
    if name == "fluency":
        return f"fluency({str(reading_model())!r})"
    if name == "lm_listener":
        return f"lm_listener({str(reading_model())!r})"
    if name == "cross_encoder":
        return f"cross_encoder({str(tiny_cross_encoder())!r})"
    if name == "wms":
        return f"wms({str(tiny_vectors())!r})"
    if name == "fine_tuned":
        return f"fine_tuned(encoder={str(tiny_encoder())!r}, epochs=1)"
    if name == "trained_content_diversity":
        return f"trained_content_diversity(encoder={str(tiny_encoder())!r}, epochs=0.5)"
    if name == "judge":
        return f"judge({str(tiny_judge())!r}, least_mass=0.0)"
    return EXAMPLES.get(name, name)


def reading_model(seed: int = 0) -> Path:
    """A tiny language model that sees all of a choice and a text."""
    return tiny_language_model("abcdefghijklmnopqrstuvwxyz .?", window=512, seed=seed)


def records(texts: tuple[str, ...] = TEXTS, references: tuple[str, ...] = TEXTS[:2]) -> list[dict[str, Any]]:
    """Six items, three systems (one of people), a set of two outputs each, everything an evaluator may need."""
    rng = np.random.default_rng(1)
    found = []
    for item in range(6):
        for system in ("people", "a", "b"):
            for nth in range(2):
                number = len(found)
                found.append(
                    {
                        "id": f"o{number}",
                        "item": f"i{item}",
                        "context": f"What happened on day {item}?",
                        "references": list(references),
                        "choices": COLORS if item % 2 else ["a cat on a mat", "a day at home", "nothing"],
                        "target": item % 3,
                        "system": system,
                        "set": f"i{item}-{system}",
                        "set_columns": {"label_value": float((item + len(system)) % 2)},
                        "human": system == "people",
                        "text": texts[(item + 2 * nth + len(system)) % len(texts)],
                        "quality": float(rng.integers(0, 5)),
                        "logprobs": {"a": -float(rng.integers(1, 60)), "b": -float(rng.integers(1, 60))},
                        "params": {"temperature": 0.5 + item / 10},
                        "judgments": [
                            {
                                "annotator": f"w{k}",
                                "criterion": criterion,
                                "value": int(rng.integers(0, 6)),
                                "choice": (k // 2 + nth + item) % 3,
                            }
                            for k in range(3)
                            for criterion in ("typicality", "real")
                        ]
                        + (about_sets(item, system, number) if nth == 0 else []),
                    }
                )
    return found


def about_sets(item: int, system: str, number: int) -> list[dict[str, Any]]:
    """What one annotator says about a set, the two outputs in it, and the set beside another."""
    answer = {"annotator": "w0", "value": item}
    return [
        {**answer, "criterion": "diversity", "unit": "set"},
        {**answer, "criterion": "content_diversity", "unit": "set"},
        {**answer, "criterion": "similarity", "other": f"o{number + 1}"},
        {**answer, "criterion": "more_diverse", "unit": "set", "other": f"i{(item + 1) % 6}-{system}"},
    ]


def shuffled() -> Dataset:
    """The ordinary world in another order."""
    rows = records()
    return Dataset.from_records([rows[row] for row in np.random.default_rng(2).permutation(len(rows))])


def training() -> Dataset:
    """What fitted evaluators learn from: other texts and contexts than any world has, so that none is left out."""
    who, what, where = ("A fox", "My aunt", "The old bus"), ("sang", "slept", "left us"), ("at noon", "in the rain")
    texts = tuple(f"{a} {b} {c}, number {n}." for a in who for b in what for c in where for n in range(2))
    rows = [
        {**record, "text": text, "context": record["context"].replace("day", "week")}
        for record, text in zip(records(), texts, strict=True)
    ]
    return Dataset.from_records(rows)


WORLDS: dict[str, Callable[[], Dataset]] = {
    "ordinary": lambda: Dataset.from_records(records()),
    "shuffled": shuffled,
    "empty texts": lambda: Dataset.from_records(records(("",))),
    "one word": lambda: Dataset.from_records(records(("yes",), ("yes", ""))),
    "all the same": lambda: Dataset.from_records(records(TEXTS[:1])),
    "many scripts": lambda: Dataset.from_records(
        records(("日本語の文。", "naïve café 🙂🙂", "\u200b\u3000 x\ty", "Ωμέγα, ß!"))
    ),
}
