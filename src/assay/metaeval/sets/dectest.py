"""decTest: does a metric follow the decoding parameter that controls diversity? (Tevet and Berant 2021).

Any decoding parameter: temperature, top-p, the logarithm of top-k. Spearman's rho over random subsets of the sets, as
published, and over all sets with an interval over contexts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.kernels.statistics.correlation import pearson, spearman
from assay.metaeval.questions.contrast import Contrast, contrast
from assay.metaeval.questions.correlation import Correlation, correlate
from assay.metaeval.questions.inquiry import Inquiry
from assay.metaeval.sets.set_study import cases_of, made_by, scores_and_target
from assay.part import Number
from assay.scores import Column

Floats = NDArray[np.float64]
SUBSET, REPEATS = 200, 100


@dataclass(frozen=True)
class SubsetCorrelation:
    """Mean and standard deviation of rho over random subsets of the sets, and mean Pearson over the same."""

    candidate: str
    target: str
    rho_mean: float
    rho_sd: float
    pearson_mean: float
    subset: int
    repeats: int
    n: int
    n_missing: int
    reason: str
    signature: str

    def number(self) -> Number:
        """The mean rho as a number."""
        return Number.of("rho of subsets, mean", self, "rho_mean")


@dataclass(frozen=True)
class DecTestResult:
    """The metrics in the order of the candidates: rho over all sets and over subsets, and differences of the former."""

    correlations: tuple[Correlation, ...]
    subsets: tuple[SubsetCorrelation, ...]
    contrasts: tuple[Contrast, ...]


@dataclass(frozen=True)
class Stability:
    """Mean and standard deviation of rho by the number of sets, or of ratings per set, over repeated draws."""

    evaluator: str
    sizes: tuple[int, ...]
    mean: tuple[float, ...]
    sd: tuple[float, ...]


def dectest(study: Inquiry, *, subset: int = SUBSET, repeats: int = REPEATS) -> DecTestResult:
    """Test metrics of sets against a parameter. A subset larger than the data is all of it."""
    subsets = subset_correlations(study, subset=subset, repeats=repeats)
    return DecTestResult(tuple(correlate(study)), tuple(subsets), tuple(contrast(study)[0]))


def subset_correlations(study: Inquiry, *, subset: int = SUBSET, repeats: int = REPEATS) -> list[SubsetCorrelation]:
    """Correlations over random subsets of the sets, as published."""
    parameter = study.target.values
    if len(np.unique(parameter[~np.isnan(parameter)])) < 2:
        raise DataError("a decTest needs a parameter with at least two values; all sets here have the same.")
    if subset < 3 or repeats < 1:
        raise DataError("a decTest needs subsets of at least 3 sets and at least 1 repeat.")
    return [_subset_correlation(study, column, subset, repeats) for column in study.candidates]


def _subset_correlation(study: Inquiry, column: Column, subset: int, repeats: int) -> SubsetCorrelation:
    cases = cases_of(study, column)
    scores, parameter = scores_and_target(cases)
    # Draws depend on the seed alone: with complete data, every metric gets the same subsets.
    draws = subset_draws(cases.n, subset, repeats, np.random.default_rng(study.resampling.seed))
    rhos = np.array([spearman(scores[rows], parameter[rows]) for rows in draws])
    return SubsetCorrelation(
        candidate=column.name,
        target=study.target.name,
        rho_mean=_mean(rhos),
        rho_sd=_sd(rhos),
        pearson_mean=_mean(np.array([pearson(scores[rows], parameter[rows]) for rows in draws])),
        subset=subset,
        repeats=repeats,
        n=cases.n,
        n_missing=len(study.table) - cases.n,
        reason="no subset has two different scores and two values of the parameter" if np.isnan(rhos).all() else "",
        signature=made_by(study, "subset_correlation", column, subset=subset, repeats=repeats),
    )


def stability_of_sets(study: Inquiry, sizes: Sequence[int], *, repeats: int = REPEATS) -> list[Stability]:
    """How rho settles as the number of sets grows (their Figure 5, left)."""
    curves = []
    for column in study.candidates:
        scores, target = scores_and_target(cases_of(study, column))
        usable = [size for size in sizes if 3 <= size <= len(scores)]
        rng = np.random.default_rng(study.resampling.seed)
        rhos = [
            np.array([spearman(scores[rows], target[rows]) for rows in subset_draws(len(scores), size, repeats, rng)])
            for size in usable
        ]
        curves.append(_stability(column.name, usable, rhos))
    return curves


def stability_of_ratings(
    name: str,
    ratings: Sequence[NDArray[np.float64]],
    target: Floats,
    sizes: Sequence[int],
    *,
    repeats: int = REPEATS,
    seed: int = 0,
) -> Stability:
    """How the rho of a human score settles as ratings per set grow (their Figure 5, right).

    `ratings` holds the answers about each set; a set with too few answers gives all of them.
    """
    rng = np.random.default_rng(seed)
    judged = [row for row in range(len(ratings)) if len(ratings[row]) and not np.isnan(target[row])]
    most = max((len(ratings[row]) for row in judged), default=0)
    usable = [size for size in sizes if 1 <= size <= most]
    rhos = []
    for size in usable:
        drawn = []
        for _ in range(repeats):
            means = [_mean(rng.permutation(ratings[row])[:size]) for row in judged]
            drawn.append(spearman(np.array(means), target[judged]))
        rhos.append(np.array(drawn))
    return _stability(name, usable, rhos)


def subset_draws(n: int, size: int, repeats: int, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Draw `repeats` subsets of `size` out of n without replacement; all n where size is larger."""
    return [rng.permutation(n)[:size] for _ in range(repeats)]


def _stability(name: str, sizes: Sequence[int], rhos: Sequence[Floats]) -> Stability:
    return Stability(name, tuple(sizes), tuple(_mean(rho) for rho in rhos), tuple(_sd(rho) for rho in rhos))


def _mean(values: Floats) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else np.nan


def _sd(values: Floats) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.std()) if len(defined) else np.nan
