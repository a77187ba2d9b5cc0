"""The statistics by name, each with the forms it is computed in.

`plain` takes two complete vectors. `of_columns` takes columns and target once, then weights; `of_rows` takes
values that change with every resample. Without a fast form the resample is built and `plain` called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, did_you_mean
from assay.kernels.statistics import correlation
from assay.kernels.statistics.crossed_jackknife import Scale
from assay.kernels.statistics.fisher_error import KENDALL, PEARSON, SPEARMAN, FisherError
from assay.kernels.statistics.permutation import Pairs, swapped_kendall, swapped_pearson, swapped_spearman
from assay.kernels.statistics.rank import tied_pairs
from assay.kernels.statistics.tie_calibration import calibrated_accuracy
from assay.kernels.statistics.weighted import Weighting, weighted_kendall, weighted_pearson, weighted_spearman
from assay.kernels.statistics.weighted_rows import rows_kendall, rows_pearson, rows_spearman

Array = NDArray[Any]
Weighted = Callable[[Array, Array, Array], NDArray[np.float64]]

MOST_PAIRS = 20_000_000
"""Tie calibration keeps every pair in memory; beyond this many (about 1 GB) it is undefined."""


@dataclass(frozen=True)
class Statistic:
    """One way to compare a candidate with a target."""

    name: str
    plain: correlation.PlainStatistic
    of_columns: Callable[[Array, Array], Weighting]
    of_rows: Weighted
    swapped: Callable[[Array, Array, Pairs], Weighting] | None = None
    """All differences under swaps; None where swapped values must be built."""
    matrix: Callable[[Array], NDArray[np.float64]] | None = None
    """Correlations of every two columns; None where the two sides play different roles."""
    is_correlation: bool = True
    """Undefined for a constant vector, and blind to scale."""
    reads_scale: bool = False
    """Compares the scores as they are: neither oriented nor standardized."""
    higher_is_closer: bool = True
    scale: Scale = field(default_factory=Scale)
    """The scale on which its errors are even, and its limits."""
    fisher_error: FisherError | None = None
    """The standard error of its Fisher's z, where a formula gives it."""
    has_analytic_test: bool = False
    """Whether Williams' and Steiger's tests apply."""
    calibrates_ties: bool = False
    """Fits one tie threshold to all groups together, so it is not a mean over them, and keeps every pair."""
    title: str = ""
    """Its name in figures."""
    symbol: str = ""
    """Its name in sentences; statistics without one have none."""
    ceiling: correlation.PlainStatistic | None = None
    """Its largest value given the ties; None where ties do not limit it."""


def find(names: Iterable[str]) -> list[Statistic]:
    """Look statistics up by name."""
    names = dict.fromkeys(names)
    for name in names:
        if name not in STATISTICS:
            raise AssayError(f"no statistic {name!r}.{did_you_mean(name, STATISTICS)}")
    return [STATISTICS[name] for name in names]


def shown_statistic(names: Iterable[str]) -> Statistic:
    """The statistic that sentences and figures show: the first with a symbol, else the first."""
    statistics = find(names)
    return next((statistic for statistic in statistics if statistic.symbol), statistics[0])


def tie_calibrated(x: Array, y: Array, units: Array | None = None) -> float:
    """Pairwise accuracy of one group with the best tie threshold."""
    if len(x) * (len(x) - 1) // 2 > MOST_PAIRS:
        return float("nan")
    return calibrated_accuracy(x, y, np.zeros(len(x), np.int64), units).accuracy


def _copied_pairs(units: Array) -> int:
    """Pairs of a unit with a copy of itself."""
    return tied_pairs(np.bincount(units))


def _built(
    name: str, plain: Callable[[Array, Array], float], of_pairs: Callable[..., float] | None = None, **about: Any
) -> Statistic:
    """A statistic without a weighted form: build each resample.

    `of_pairs` also gets the unit at each position, so that a unit is not paired with a copy of itself.
    """

    def drawn_form(x: Array, y: Array, units: Array) -> float:
        return of_pairs(x, y, units) if of_pairs else plain(x, y)

    def of_columns(columns: Array, target: Array) -> Weighting:
        def under(weights: Array) -> NDArray[np.float64]:
            result = np.full((len(weights), columns.shape[1]), np.nan)
            for b, row in enumerate(weights):
                drawn = np.repeat(np.arange(len(target)), row)
                for j in range(columns.shape[1]):
                    result[b, j] = drawn_form(columns[drawn, j], target[drawn], drawn)
            return result

        return under

    def of_rows(weights: Array, x: Array, y: Array) -> NDArray[np.float64]:
        result = np.full(len(weights), np.nan)
        for b, row in enumerate(weights):
            drawn = np.repeat(np.arange(x.shape[1]), row)
            drawn = drawn[~(np.isnan(x[b, drawn]) | np.isnan(y[b, drawn]))]
            result[b] = drawn_form(x[b, drawn], y[b, drawn], drawn)
        return result

    return Statistic(name, plain, of_columns, of_rows, **about)


ORDER = Scale(low=-1.0, high=1.0, order=KENDALL)
SHARE_OF_PAIRS = Scale(low=0.0, high=1.0, order=KENDALL)
ERROR = Scale(low=0.0)

STATISTICS = {
    statistic.name: statistic
    for statistic in (
        Statistic(
            "pearson",
            correlation.pearson,
            weighted_pearson,
            rows_pearson,
            swapped_pearson,
            correlation.pearson_matrix,
            scale=Scale(fisher=True, low=-1.0, high=1.0),
            fisher_error=PEARSON,
            has_analytic_test=True,
            title="Pearson's r",
        ),
        Statistic(
            "spearman",
            correlation.spearman,
            weighted_spearman,
            rows_spearman,
            swapped_spearman,
            correlation.spearman_matrix,
            scale=Scale(fisher=True, low=-1.0, high=1.0, order=SPEARMAN),
            fisher_error=SPEARMAN,
            has_analytic_test=True,
            title="Spearman's rho",
            symbol="rho",
            ceiling=lambda x, y: correlation.spearman(np.sort(x), np.sort(y)),
        ),
        Statistic(
            "kendall",
            correlation.kendall_b,
            weighted_kendall,
            rows_kendall,
            swapped_kendall,
            correlation.kendall_matrix,
            scale=ORDER,
            fisher_error=KENDALL,
            title="Kendall's tau",
        ),
        _built(
            "kendall_c",
            correlation.kendall_c,
            lambda x, y, units: correlation.kendall_c(x, y, _copied_pairs(units)),
            scale=ORDER,
        ),
        _built(
            "pairwise_accuracy",
            tie_calibrated,
            tie_calibrated,
            is_correlation=False,
            scale=SHARE_OF_PAIRS,
            calibrates_ties=True,
        ),
        _built(
            "pairwise_accuracy_exact",
            correlation.pairwise_accuracy,
            lambda x, y, units: correlation.pairwise_accuracy(x, y, _copied_pairs(units)),
            is_correlation=False,
            scale=SHARE_OF_PAIRS,
        ),
        _built(
            "mse",
            correlation.mean_squared_error,
            is_correlation=False,
            reads_scale=True,
            higher_is_closer=False,
            scale=ERROR,
        ),
        _built(
            "mae",
            correlation.mean_absolute_error,
            is_correlation=False,
            reads_scale=True,
            higher_is_closer=False,
            scale=ERROR,
        ),
        _built(
            "accuracy",
            correlation.accuracy,
            is_correlation=False,
            reads_scale=True,
            scale=Scale(low=0.0, high=1.0),
        ),
    )
}
DEFAULT = ("pearson", "spearman", "kendall")
