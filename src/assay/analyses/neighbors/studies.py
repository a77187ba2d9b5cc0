"""The studies of Ethayarajh & Sadigh (2020): what thresholds, training size, task and kernel do to the estimates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.analyses.neighbors.baselines import annotator_summary
from assay.analyses.neighbors.neighborhood import EstimateAgreement, Fold, Neighborhood
from assay.analyses.neighbors.tuning import MAX_FRACTIONS, MIN_NEIGHBORS, TAUS, SweepPoint
from assay.evaluators.neighbors.judged import Judged
from assay.evaluators.neighbors.rule import Rule
from assay.evaluators.neighbors.similarity import Similarity
from assay.kernels.votes.annotators import Summary

SIZES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def sweep(
    near: Neighborhood,
    rule: Rule,
    *,
    taus: Sequence[float] = TAUS,
    min_neighbors: Sequence[int] = MIN_NEIGHBORS,
    max_fractions: Sequence[float] = MAX_FRACTIONS,
    fold: Fold = "output",
) -> list[SweepPoint]:
    """Vary one threshold at a time: the curves of Figures 2 and 3, and one for tau."""
    settings = [
        *(("tau", replace(rule, tau=tau)) for tau in taus),
        *(("min_neighbors", replace(rule, min_neighbors=a)) for a in min_neighbors),
        *(("max_fraction", replace(rule, max_fraction=b)) for b in max_fractions),
    ]
    return [SweepPoint(name, each, _try(near, each, fold)) for name, each in settings]


@dataclass(frozen=True)
class SizePoint:
    """Agreement with a training set of `n_train` texts: mean and standard deviation over random draws."""

    n_train: int
    n_draws: int
    mse: float
    mse_sd: float
    rho: float
    rho_sd: float
    coverage: float
    coverage_sd: float


def training_sizes(
    near: Neighborhood,
    rule: Rule,
    *,
    sizes: Sequence[float] = SIZES,
    n_draws: int = 20,
    seed: int = 0,
    fold: Fold = "output",
) -> list[SizePoint]:
    """Draw training sets of several sizes `n_draws` times: the curves of Figure 4."""
    n = len(near.train)
    streams = np.random.SeedSequence(seed).spawn(len(sizes))
    points = []
    for size, stream in zip(sizes, streams, strict=True):
        rng = np.random.default_rng(stream)
        n_train = max(1, round(size * n))
        draws = []
        for _ in range(n_draws):
            bank = np.zeros(n, bool)
            bank[rng.choice(n, n_train, replace=False)] = True
            draws.append(near.agreement(near.counted(rule, fold=fold, bank=bank), rule))
        columns = np.array([(draw.mse, draw.rho, draw.coverage) for draw in draws])
        means, spreads = _mean_and_sd(columns)
        points.append(SizePoint(n_train, n_draws, means[0], spreads[0], means[1], spreads[1], means[2], spreads[2]))
    return points


def across_tasks(
    tasks: Mapping[str, Judged], similarity: Similarity, rule: Rule, *, workers: int = 1
) -> dict[tuple[str, str], EstimateAgreement]:
    """Train on one task and estimate another, for every (train, test): Table 2. The diagonal leaves one out."""
    cells = {}
    for train_name, train in tasks.items():
        for test_name, test in tasks.items():
            if train_name == test_name:
                near = Neighborhood.among(test, similarity, rule.tau, workers)
            else:
                near = Neighborhood.between(test, train, similarity, rule.tau, workers)
            cells[train_name, test_name] = near.agreement(near.counted(rule), rule)
    return cells


@dataclass(frozen=True)
class CoveredAndNot:
    """Annotators on the texts that have an estimate and on the others; NaN where there are no such texts."""

    n_covered: int
    n_uncovered: int
    covered: Summary
    uncovered: Summary


def low_hanging_fruit(near: Neighborhood, rule: Rule, *, fold: Fold = "output", own_vote: bool = True) -> CoveredAndNot:
    """Whether texts with an estimate are easier for people too (Section 5.3)."""
    covered = near.counted(rule, fold=fold).allowed(rule)
    sides = []
    for mask in (covered, ~covered):
        sides.append(annotator_summary(near.test.take(np.flatnonzero(mask)), own_vote=own_vote)[0])
    return CoveredAndNot(int(covered.sum()), int((~covered).sum()), *sides)


@dataclass(frozen=True)
class KernelRow:
    """The agreement of one similarity at its own threshold."""

    similarity: Similarity
    rule: Rule
    agreement: EstimateAgreement


def compare_kernels(
    texts: Judged, settings: Iterable[tuple[Similarity, Rule]], *, fold: Fold = "output", workers: int = 1
) -> list[KernelRow]:
    """Estimate the same texts by several similarities, each with its rule."""
    rows = []
    for similarity, rule in settings:
        near = Neighborhood.among(texts, similarity, rule.tau, workers)
        rows.append(KernelRow(similarity, rule, _try(near, rule, fold)))
    return rows


def _try(near: Neighborhood, rule: Rule, fold: Fold) -> EstimateAgreement:
    return near.agreement(near.counted(rule, fold=fold), rule)


def _mean_and_sd(columns: np.ndarray) -> tuple[list[float], list[float]]:
    """Mean and standard deviation of each column over the draws where it is defined."""
    means, spreads = [], []
    for column in columns.T:
        known = column[~np.isnan(column)]
        means.append(float(known.mean()) if len(known) else float("nan"))
        spreads.append(float(known.std(ddof=1)) if len(known) > 1 else float("nan"))
    return means, spreads
