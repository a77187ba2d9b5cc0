"""Columns oriented so that higher is better; direction is data, and nothing is negated by hand."""

import numpy as np
from numpy.typing import NDArray

from assay.scores import Column


def orientation(column: Column) -> float:
    """Return -1 where lower is better (a similarity such as Self-BLEU), else 1."""
    return -1.0 if column.higher_is_better is False else 1.0


def oriented(column: Column) -> NDArray[np.float64]:
    """Return the values, negated where lower is better."""
    return orientation(column) * column.values
