"""decTest: does a metric follow the parameter that made texts more or less diverse? (Tevet and Berant 2021).

Any parameter of the decoder: temperature, top-p, the logarithm of top-k. Spearman's rho over random subsets of
the sets, as published, and over all sets with an interval over contexts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.kernels.statistics.correlation import pearson, spearman
from assay.metaeval.questions.oriented import oriented
from assay.metaeval.questions.question import USUAL, Resampling
from assay.metaeval.sets.clustered import Difference, correlation_interval, differences
from assay.scores import ScoreTable

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DecTestRow:
    """One metric: mean and sd of rho over subsets, mean Pearson over the same; rho of all sets with interval and p.

    `reason` says why the interval is missing.
    """

    evaluator: str
    rho_mean: float
    rho_sd: float
    pearson: float
    n: int
    rho: float
    low: float
    high: float
    p_value: float
    n_missing: int
    signature: str
    reason: str = ""


@dataclass(frozen=True)
class DecTest:
    """The metrics in the order asked for, and the differences between their rho on all sets."""

    results: tuple[DecTestRow, ...]
    comparisons: tuple[Difference, ...]
    subset: int
    repeats: int
    seed: int


@dataclass(frozen=True)
class Curve:
    """Mean and sd of rho over repeated draws of so many sets, or of so many ratings per set."""

    evaluator: str
    sizes: tuple[int, ...]
    mean: tuple[float, ...]
    sd: tuple[float, ...]


def dectest(
    table: ScoreTable,
    parameter: Floats,
    clusters: NDArray[np.int64],
    *,
    subset: int = 200,
    repeats: int = 100,
    how: Resampling = USUAL,
    workers: int = 1,
) -> DecTest:
    """Hold every column of a table of sets against a parameter. A subset larger than the data is all of it.

    With 0 resamples in `how` there are no intervals.
    """
    if len(np.unique(parameter[~np.isnan(parameter)])) < 2:
        raise DataError("a decTest needs a parameter with at least two values; all sets here have the same.")
    if subset < 3 or repeats < 1:
        raise DataError("a decTest needs subsets of at least 3 sets and at least 1 repeat.")
    rows = []
    for name, column in table.columns.items():
        known = ~np.isnan(column.values) & ~np.isnan(parameter)
        values, target = oriented(column)[known], parameter[known]
        # The draws depend on the seed alone, so every metric sees the same subsets of complete data.
        drawn = subset_draws(len(values), subset, repeats, np.random.default_rng(how.seed))
        rhos = np.array([spearman(values[chosen], target[chosen]) for chosen in drawn])
        pearsons = np.array([pearson(values[chosen], target[chosen]) for chosen in drawn])
        found = correlation_interval(values, target, clusters[known], how, workers)
        rows.append(
            DecTestRow(
                evaluator=name,
                rho_mean=_mean(rhos),
                rho_sd=_sd(rhos),
                pearson=_mean(pearsons),
                n=len(values),
                rho=spearman(values, target),
                low=found.low,
                high=found.high,
                p_value=found.p_value,
                n_missing=len(known) - len(values),
                signature=column.signature,
                reason=found.reason,
            )
        )
    columns = [oriented(column) for column in table.columns.values()]
    compared = differences(list(table.columns), columns, parameter, clusters, how, workers=workers)
    return DecTest(tuple(rows), tuple(compared), subset, repeats, how.seed)


def sets_curve(
    table: ScoreTable, target: Floats, sizes: Sequence[int], *, repeats: int = 100, seed: int = 0
) -> list[Curve]:
    """How rho settles as the number of sets grows (their Figure 5, left)."""
    curves = []
    for name, column in table.columns.items():
        known = ~np.isnan(column.values) & ~np.isnan(target)
        values, wanted = oriented(column)[known], target[known]
        usable = [size for size in sizes if 3 <= size <= len(values)]
        rng = np.random.default_rng(seed)
        rhos = [
            np.array([spearman(values[c], wanted[c]) for c in subset_draws(len(values), size, repeats, rng)])
            for size in usable
        ]
        curves.append(_curve(name, usable, rhos))
    return curves


def ratings_curve(
    name: str,
    ratings: Sequence[NDArray[np.float64]],
    target: Floats,
    sizes: Sequence[int],
    *,
    repeats: int = 100,
    seed: int = 0,
) -> Curve:
    """How the rho of a human score settles as ratings per set grow (their Figure 5, right).

    `ratings` holds the answers about each set. A set with fewer answers than asked for gives all it has.
    """
    rng = np.random.default_rng(seed)
    judged = [row for row in range(len(ratings)) if len(ratings[row]) and not np.isnan(target[row])]
    most = max((len(ratings[row]) for row in judged), default=0)
    usable = [size for size in sizes if 1 <= size <= most]
    rhos = []
    for size in usable:
        found = []
        for _ in range(repeats):
            means = [_mean(rng.permutation(ratings[row])[:size]) for row in judged]
            found.append(spearman(np.array(means), target[judged]))
        rhos.append(np.array(found))
    return _curve(name, usable, rhos)


def subset_draws(n: int, size: int, repeats: int, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Draw `repeats` subsets of `size` of n things, each without repetition; all n where size is larger."""
    return [rng.permutation(n)[:size] for _ in range(repeats)]


def _curve(name: str, sizes: Sequence[int], rhos: Sequence[Floats]) -> Curve:
    return Curve(name, tuple(sizes), tuple(_mean(rho) for rho in rhos), tuple(_sd(rho) for rho in rhos))


def _mean(values: Floats) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else np.nan


def _sd(values: Floats) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.std()) if len(defined) else np.nan
