"""When a text gets an estimate (Ethayarajh & Sadigh 2020): neither too few nor too many neighbors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from assay.errors import EvaluatorError, did_you_mean
from assay.kernels.pairs.sparse_rows import SparseRows
from assay.scores import Gaps

Weights = Literal["uniform", "similarity"]


@dataclass(frozen=True)
class Rule:
    """Neighbors are the texts with similarity >= tau; their mean quality is the estimate.

    There is one if min_neighbors (a) <= their number <= max_fraction (b) of the training texts. `weights` are uniform,
    as in the paper, or by similarity.
    """

    tau: float
    min_neighbors: int = 5
    max_fraction: float = 0.66
    weights: Weights = "uniform"

    def __post_init__(self) -> None:
        if not 0 <= self.tau <= 1:
            raise EvaluatorError(f"tau must be between 0 and 1. Got {self.tau:g} instead.")
        if self.min_neighbors < 1:
            raise EvaluatorError(f"min_neighbors must be at least 1. Got {self.min_neighbors} instead.")
        check_share("max_fraction", self.max_fraction)
        if self.weights not in get_args(Weights):
            hint = did_you_mean(self.weights, get_args(Weights))
            raise EvaluatorError(f"weights must be 'uniform' or 'similarity'. Got {self.weights!r} instead.{hint}")


def check_share(name: str, share: float) -> None:
    """Refuse a number that is not a share."""
    if not 0 < share <= 1:
        raise EvaluatorError(f"{name} must be above 0 and at most 1. Got {share:g} instead.")


@dataclass(frozen=True, eq=False)
class Estimates:
    """One row per text: the estimate or NaN, its neighbors, the texts they are among, and the reason of a gap."""

    values: NDArray[np.float64]
    n_neighbors: NDArray[np.int64]
    n_train: NDArray[np.int64]
    gaps: Gaps

    def __len__(self) -> int:
        return len(self.values)

    @property
    def covered(self) -> NDArray[np.bool_]:
        """Which texts have an estimate."""
        return ~np.isnan(self.values)

    @property
    def coverage(self) -> float:
        """The share of texts with an estimate, NaN without texts."""
        return float(self.covered.mean()) if len(self) else float("nan")


@dataclass(frozen=True, eq=False)
class Counted:
    """Neighbors at one tau, before the rule decides which texts get an estimate."""

    n_neighbors: NDArray[np.int64]
    means: NDArray[np.float64]
    n_train: NDArray[np.int64]
    empty: NDArray[np.bool_]

    def allowed(self, rule: Rule) -> NDArray[np.bool_]:
        """Which texts have an estimate."""
        enough = self.n_neighbors >= rule.min_neighbors
        return enough & (self.n_neighbors <= rule.max_fraction * self.n_train) & ~self.empty

    def estimates(self, rule: Rule) -> Estimates:
        """The estimates, with a reason for each gap."""
        allowed = self.allowed(rule)
        reasons = np.full(len(allowed), "", object)
        for row in np.flatnonzero(~allowed):
            n, most = self.n_neighbors[row], rule.max_fraction * self.n_train[row]
            if self.empty[row]:
                reasons[row] = "empty text"
            elif n < rule.min_neighbors:
                reasons[row] = f"too few neighbors ({n} < {rule.min_neighbors})"
            else:
                reasons[row] = f"too many neighbors ({n} > {most:.6g})"
        values = np.where(allowed, self.means, np.nan)
        return Estimates(values, self.n_neighbors, self.n_train, Gaps.of(reasons.tolist()))


def count_neighbors(
    rows: SparseRows,
    quality: NDArray[np.float64],
    rule: Rule,
    *,
    n_train: NDArray[np.int64],
    empty: NDArray[np.bool_],
    kept: NDArray[np.bool_] | None = None,
) -> Counted:
    """Count the neighbors of each row at the rule's tau and average their quality; NaN without neighbors.

    `n_train[i]` is the number of training texts row i may use; `kept` marks usable entries (None: all), `empty` rows
    without text.
    """
    used = rows.values >= rule.tau
    if kept is not None:
        used &= kept
    n_rows = len(rows.offsets) - 1
    row_of = rows.rows[used]
    n_neighbors = np.bincount(row_of, minlength=n_rows)
    shares = neighbor_weights(rows.values[used], rule)
    sums = np.bincount(row_of, weights=shares * quality[rows.columns[used]], minlength=n_rows)
    totals = np.bincount(row_of, weights=shares, minlength=n_rows)
    means = np.divide(sums, totals, out=np.full(n_rows, np.nan), where=totals > 0)
    # Equal means of different neighbors must not differ in the last bit: ranks depend on it.
    return Counted(n_neighbors, np.round(means, 12), n_train, empty)


def neighbor_weights(similarities: NDArray[np.float64], rule: Rule) -> NDArray[np.float64]:
    """The weight of each neighbor."""
    return similarities if rule.weights == "similarity" else np.ones(len(similarities))


def stack_estimates(parts: Iterable[Estimates]) -> Estimates:
    """Concatenate the estimates of blocks."""
    blocks = list(parts)
    if not blocks:
        return Estimates(np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.int64), Gaps.none(0))
    return Estimates(
        np.concatenate([part.values for part in blocks]),
        np.concatenate([part.n_neighbors for part in blocks]),
        np.concatenate([part.n_train for part in blocks]),
        Gaps.concatenate([part.gaps for part in blocks]),
    )
