"""The human part of Garbacea et al. (2019): how well people tell real reviews from generated ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from assay.io import load
from assay.kernels.agreement import fleiss_kappa
from assay.reproduce.cells import Cell

PAPER = "Judge the Judges (Garbacea et al. 2019)"
VOTES = 5
KAPPA = "on real/fake votes; the paper's number comes from counting right and wrong votes instead"


def cells() -> Iterator[Cell]:
    """H1 counts votes, H2 majorities of the reviews with exactly five valid votes; positive means real."""
    dataset = load("data:judges/reviews")
    table = dataset.judgments
    vote, unit = table.value == 1, table.unit
    real = dataset.human
    yield from _rates("H1: single votes", vote, real[unit], ("66.61", "78.96", "54.26"))

    n = np.bincount(unit, minlength=len(dataset))
    yes = np.bincount(unit, weights=vote, minlength=len(dataset))
    full = n == VOTES
    yield from _rates("H2: majority of five", yes[full] > VOTES / 2, real[full], ("72.63", "88.31", "56.95"))

    votes = yes[full].astype(np.int64)
    counts = np.column_stack([VOTES - votes, votes])
    yield Cell(PAPER, "Agreement", "Fleiss' kappa", "real/fake", "0.2748", _kappa(counts), 0.00005, KAPPA)
    right = np.where(real[full], votes, VOTES - votes)
    mistaken = np.column_stack([VOTES - right, right])
    yield Cell(PAPER, "Agreement", "Fleiss' kappa", "right/wrong", "0.2748", _kappa(mistaken), 0.00005)


def _rates(
    row: str, said_real: NDArray[np.bool_], real: NDArray[np.bool_], published: tuple[str, str, str]
) -> Iterator[Cell]:
    measured = (np.mean(said_real == real), np.mean(said_real[real]), np.mean(~said_real[~real]))
    for column, value, ours in zip(("accuracy", "TPR", "TNR"), published, measured, strict=True):
        yield Cell(PAPER, "Table 2", row, column, value, 100 * float(ours), 0.005)


def _kappa(counts: NDArray[np.int64]) -> float:
    every_unit_once = np.ones((1, len(counts)), np.int64)
    return float(fleiss_kappa(counts, counts.sum(axis=1), every_unit_once)[0])
