"""A small file of word vectors, for tests."""

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

WORDS = (
    "the a cat dog sat on mat barked at nothing happened all today it rained we stayed home and read . , ; !".split()
)


@cache
def tiny_vectors(seed: int = 0) -> Path:
    """Random vectors as GloVe writes them."""
    folder = Path(mkdtemp(prefix="assay-vectors-"))
    rng = np.random.default_rng(seed)
    lines = [" ".join([word, *(f"{value:.4f}" for value in rng.normal(size=5))]) for word in WORDS]
    (folder / f"tiny-{seed}.txt").write_text("\n".join(lines) + "\n")
    return folder / f"tiny-{seed}.txt"
