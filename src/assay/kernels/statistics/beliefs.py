"""Distributions over choices, in rows of unequal length: what a speaker means, what a listener understands."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.kernels.ragged import Ragged

Floats = NDArray[np.float64]


def softmax(scores: Ragged, temperature: float = 1.0) -> Ragged:
    """Exponentials of scores / temperature, normalized per row; a row of -inf alone is uniform."""
    if not len(scores.values):
        return Ragged(np.zeros(0), scores.offsets)
    scaled = scores.values / temperature
    highest = _reduced(np.maximum, Ragged(scaled, scores.offsets), -np.inf)[scores.row_of]
    with np.errstate(invalid="ignore"):
        powers = np.where(np.isneginf(highest), 1.0, np.exp(scaled - highest))
    return Ragged(powers / row_sums(Ragged(powers, scores.offsets))[scores.row_of], scores.offsets)


def row_sums(rows: Ragged) -> Floats:
    """The sum of each row, 0 for an empty one."""
    return np.asarray(np.bincount(rows.row_of, weights=rows.values, minlength=len(rows)), np.float64)


def expected_probability(meant: Ragged, heard: Ragged) -> Floats:
    """The probability that a listener gives to what is meant: L(target), or its mean under the speaker's beliefs."""
    return row_sums(Ragged(meant.values * heard.values, meant.offsets))


def cross_entropy(meant: Ragged, heard: Ragged) -> Floats:
    """The mean of -log L under the speaker's beliefs, in nats; infinite where L is 0 for something that is meant."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(meant.values > 0, -meant.values * np.log(heard.values), 0.0)
    return row_sums(Ragged(terms, meant.offsets))


def entropy(rows: Ragged) -> Floats:
    """The entropy of each row, in nats."""
    return cross_entropy(rows, rows)


def hits(meant: Ragged, heard: Ragged) -> Floats:
    """Whether the likeliest choice is the one most meant; among k that are equally likely, each counts 1/k."""
    likeliest = heard.values == _reduced(np.maximum, heard, -np.inf)[heard.row_of]
    intended = meant.values == _reduced(np.maximum, meant, -np.inf)[meant.row_of]
    shared = row_sums(Ragged((likeliest & intended).astype(np.float64), heard.offsets))
    with np.errstate(invalid="ignore"):
        return shared / row_sums(Ragged(likeliest.astype(np.float64), heard.offsets))


def _reduced(ufunc: np.ufunc, rows: Ragged, empty: float) -> Floats:
    """Reduce each row; `empty` for one without values."""
    reduced = np.full(len(rows), empty)
    filled = np.flatnonzero(rows.lengths)
    if len(filled):
        reduced[filled] = ufunc.reduceat(rows.values, rows.offsets[:-1][filled])
    return reduced
