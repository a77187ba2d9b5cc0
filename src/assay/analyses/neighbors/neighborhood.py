"""Pairwise similarities of judged texts, computed once for any rule, fold or subsample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.errors import EvaluatorError
from assay.evaluators.neighbors.held_out import HeldOut
from assay.evaluators.neighbors.judged import Judged
from assay.evaluators.neighbors.rule import Counted, Estimates, Rule, count_neighbors
from assay.evaluators.neighbors.similarity import Similarity
from assay.kernels.pairs.sparse_rows import SparseRows, stack
from assay.kernels.statistics.correlation import mean_squared_error, spearman

Fold = Literal["output", "item", "system"]
Vector = NDArray[np.float64]


@dataclass(frozen=True)
class EstimateAgreement:
    """How estimates agree with quality on the texts that have both. NaN where there are too few."""

    mse: float
    rho: float
    coverage: float
    n: int
    n_covered: int


@dataclass(frozen=True, eq=False)
class Neighborhood:
    """`rows` holds the similarities of each text with all training texts, from `threshold` up.

    Where `train` is the same object as `test`, a text is never its own neighbor.
    """

    test: Judged
    train: Judged
    similarity: Similarity
    threshold: float
    rows: SparseRows

    @classmethod
    def among(cls, texts: Judged, similarity: Similarity, threshold: float, workers: int = 1) -> Neighborhood:
        """Compare judged texts with each other."""
        if len(texts) < 2:
            raise EvaluatorError(f"{len(texts)} judged texts: neighbors need at least 2.")
        blocks = similarity.rows(texts.texts, None, threshold, workers)
        return cls(texts, texts, similarity, threshold, stack([rows for _, rows in blocks]))

    @classmethod
    def between(
        cls, test: Judged, train: Judged, similarity: Similarity, threshold: float, workers: int = 1
    ) -> Neighborhood:
        """Compare texts with separate training texts."""
        blocks = similarity.rows(test.texts, train.texts, threshold, workers)
        return cls(test, train, similarity, threshold, stack([rows for _, rows in blocks]))

    def counted(self, rule: Rule, *, fold: Fold = "output", bank: NDArray[np.bool_] | None = None) -> Counted:
        """Count neighbors among the others: all but itself, but its item's and its copies, or but its system's.

        `bank` marks the training texts that may be used.
        """
        n_train, kept = self._usable(rule.tau, fold, bank)
        empty = self.test.texts.lengths == 0
        return count_neighbors(self.rows, self.train.quality, rule, n_train=n_train, empty=empty, kept=kept)

    def estimate(self, rule: Rule, *, fold: Fold = "output", bank: NDArray[np.bool_] | None = None) -> Estimates:
        """Estimate every text from the others; see `counted`."""
        return self.counted(rule, fold=fold, bank=bank).estimates(rule)

    def neighbors(self, rule: Rule, *, fold: Fold = "output", bank: NDArray[np.bool_] | None = None) -> SparseRows:
        """The neighbors themselves; see `counted`."""
        return self.rows.keep(self._usable(rule.tau, fold, bank)[1] & (self.rows.values >= rule.tau))

    def agreement(self, counted: Counted, rule: Rule) -> EstimateAgreement:
        """The agreement of a rule's estimates with known quality."""
        return agreement(np.where(counted.allowed(rule), counted.means, np.nan), self.test.quality)

    def _usable(
        self, tau: float, fold: Fold, bank: NDArray[np.bool_] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """How many training texts each text may use, and which entries of `rows`."""
        if tau < self.threshold:
            raise ValueError(f"similarities are kept from {self.threshold} up, tau is {tau}")
        if self.test is self.train:
            held = HeldOut(self._groups(fold), bank)
            return held.n_train(), held.kept(self.rows)
        used = np.ones(len(self.train), bool) if bank is None else bank
        return np.full(len(self.test), int(used.sum())), used[self.rows.columns]

    def _groups(self, fold: Fold) -> tuple[NDArray[np.int64], ...]:
        match fold:
            case "output":
                return (np.arange(len(self.test)),)
            case "item":
                return self.test.item, self.test.copies
        return (self.test.system,)


def agreement(estimates: Vector, quality: Vector) -> EstimateAgreement:
    """MSE and Spearman's rho on the texts with an estimate; coverage is their share among those with a quality."""
    known = ~np.isnan(quality)
    both = known & ~np.isnan(estimates)
    n, n_covered = int(known.sum()), int(both.sum())
    mse = mean_squared_error(estimates[both], quality[both]) if n_covered else float("nan")
    rho = spearman(estimates[both], np.round(quality[both], 12)) if n_covered else float("nan")
    return EstimateAgreement(mse, rho, n_covered / n if n else float("nan"), n, n_covered)
