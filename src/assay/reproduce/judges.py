"""Garbacea et al. (2019): how well people, and other evaluators, tell real reviews from generated ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from assay.io import load
from assay.io.cache import ScoreCache
from assay.kernels.votes.agreement import fleiss_kappa
from assay.reproduce.cells import Cell
from assay.reproduce.judges_generators import generator_cells

PAPER = "Judge the Judges (Garbacea et al. 2019)"
VOTES = 5
KAPPA = "on real/fake votes; counting right and wrong votes instead, as the row below, gives the paper's number"

# Accuracy on each generator's texts, of single votes and of majorities, as published in the authors' repository
# (compute_correlation_humanlabels_majority_vote.py).
GENERATORS = {
    "WordRNN10": ("0.54873164219", "0.597315436242"),
    "WordRNN07": ("0.3391188251", "0.281879194631"),
    "WordRNN05": ("0.26711409396", "0.178082191781"),
    "GoogleLM": ("0.681940700809", "0.791666666667"),
    "AttentionAC": ("0.323056300268", "0.272108843537"),
    "NoAttentionAC": ("0.387182910547", "0.342281879195"),
    "SkipConnectionsAC": ("0.246318607764", "0.148648648649"),
    "MLESeqGAN": ("0.762349799733", "0.89932885906"),
    "SS": ("0.752673796791", "0.872483221477"),
    "SeqGAN": ("0.744966442953", "0.850340136054"),
    "RankGAN": ("0.778225806452", "0.842465753425"),
    "LeakGAN": ("0.681392235609", "0.761904761905"),
}


def cells(neural: bool = False, cache: ScoreCache | None = None) -> Iterator[Cell]:
    """H1 counts votes, H2 majorities over reviews with exactly five valid votes; positive means real.

    With `neural`, the networks and the regression on embeddings too. Scores are kept in the cache.
    """
    dataset = load("data:judges/reviews")
    table = dataset.judgments
    vote, unit = table.value == 1, table.unit
    real = dataset.human
    yield from _rates("H1: single votes", vote, real[unit], ("66.61", "78.96", "54.26"))

    n = np.bincount(unit, minlength=len(dataset))
    yes = np.bincount(unit, weights=vote, minlength=len(dataset))
    full = n == VOTES
    majority = yes > VOTES / 2
    yield from _rates("H2: majority of five", majority[full], real[full], ("72.63", "88.31", "56.95"))

    systems = dataset.systems.id.to_list()
    for name, (single, five) in GENERATORS.items():
        of_system = dataset.outputs.system == systems.index(name)
        where = "authors' repository, per generator"
        yield Cell(PAPER, where, name, "H1 accuracy", single, float(np.mean(~vote[of_system[unit]])))
        yield Cell(PAPER, where, name, "H2 accuracy", five, float(np.mean(~majority[full & of_system])))

    votes = yes[full].astype(np.int64)
    counts = np.column_stack([VOTES - votes, votes])
    yield Cell(PAPER, "Agreement", "Fleiss' kappa", "real/fake", "0.2748", _kappa(counts), KAPPA, "measured")
    right = np.where(real[full], votes, VOTES - votes)
    mistaken = np.column_stack([VOTES - right, right])
    yield Cell(PAPER, "Agreement", "Fleiss' kappa", "right/wrong", "0.2748", _kappa(mistaken))

    share = np.divide(yes, n, out=np.full(len(dataset), np.nan), where=n > 0)
    of_five = np.where(full, majority.astype(np.float64), np.nan)
    yield from generator_cells(PAPER, dataset, share, of_five, neural, cache)


def _rates(
    row: str, voted_real: NDArray[np.bool_], real: NDArray[np.bool_], published: tuple[str, str, str]
) -> Iterator[Cell]:
    measured = (np.mean(voted_real == real), np.mean(voted_real[real]), np.mean(~voted_real[~real]))
    for column, value, ours in zip(("accuracy", "TPR", "TNR"), published, measured, strict=True):
        yield Cell(PAPER, "Table 2", row, column, value, 100 * float(ours))


def _kappa(counts: NDArray[np.int64]) -> float:
    every_unit_once = np.ones((1, len(counts)), np.int64)
    return float(fleiss_kappa(counts, counts.sum(axis=1), every_unit_once)[0])
