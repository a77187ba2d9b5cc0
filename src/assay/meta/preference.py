"""Systems ranked by pairwise human preferences: Bradley and Terry's model with Davidson's ties, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, isnan, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from assay.errors import AssayError
from assay.kernels.bradley_terry import Strengths, bradley_terry
from assay.kernels.intervals import percentile
from assay.kernels.resample import Block, bootstrap_counts, map_blocks
from assay.meta.pair_judgments import Comparisons, comparisons_of
from assay.records import Dataset

Intervals = Literal["information", "bootstrap"]


@dataclass(frozen=True, eq=False)
class Preferences:
    """The fitted model. Strengths are on the log scale with mean 0; all NaN, with a reason, when undecided."""

    comparisons: Comparisons
    fitted: Strengths
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    options: dict[str, Any]
    reason: str

    def as_json(self) -> dict[str, Any]:
        """Systems from the strongest to the weakest, and every pair."""
        wins, ties = self.comparisons.counts(np.ones(len(self.comparisons.outcome)))
        strengths = self.fitted.strengths
        order = np.argsort(-strengths, kind="stable")
        systems = [
            {
                "system": self.comparisons.systems[s],
                "rank": None if self.reason else int((strengths > strengths[s]).sum()) + 1,
                "strength": _or_none(strengths[s]),
                "low": _or_none(self.low[s]),
                "high": _or_none(self.high[s]),
                "n": int(wins[s].sum() + wins[:, s].sum() + ties[s].sum()),
                "wins": int(wins[s].sum()),
                "ties": int(ties[s].sum()),
                "losses": int(wins[:, s].sum()),
            }
            for s in order.tolist()
        ]
        plain = {
            "criterion": self.comparisons.criterion,
            "model": "Bradley-Terry with Davidson's ties",
            "n": len(self.comparisons.outcome),
            "n_same_system": self.comparisons.n_same_system,
            "tie": _or_none(self.fitted.tie),
            "systems": systems,
            "pairs": [] if self.reason else self._pairs(order.tolist()),
            **self.options,
        }
        return plain | ({"reason": self.reason} if self.reason else {})

    def _pairs(self, order: list[int]) -> list[dict[str, Any]]:
        """Each pair: the difference of strengths with its interval and test, and the chance that left is preferred."""
        strengths, covariance, tie = self.fitted.strengths, self.fitted.covariance, self.fitted.tie
        z = float(ndtri(0.5 + self.options["confidence"] / 2))
        pairs = []
        for position, i in enumerate(order):
            for j in order[position + 1 :]:
                difference = float(strengths[i] - strengths[j])
                error = sqrt(max(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j], 0.0))
                total = exp(difference / 2) + exp(-difference / 2) + tie
                pairs.append(
                    {
                        "left": self.comparisons.systems[i],
                        "right": self.comparisons.systems[j],
                        "difference": difference,
                        "low": difference - z * error,
                        "high": difference + z * error,
                        "p_value": float(2 * ndtr(-abs(difference) / error)) if error else 1.0,
                        "p_preferred": exp(difference / 2) / total,
                        "p_tie": tie / total,
                    }
                )
        return pairs


def preferences(
    dataset: Dataset,
    criterion: str,
    *,
    prior_wins: float = 0.0,
    intervals: Intervals = "information",
    over: Literal["items", "annotators"] = "items",
    n_resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Preferences:
    """Rank systems by the preferences of a criterion.

    Intervals come from the information matrix, which takes judgments as independent, or from a bootstrap of whole items
    or annotators, which does not. `prior_wins` adds that many wins both ways to each pair of systems.
    """
    if not prior_wins >= 0:
        raise AssayError(f"prior wins must be 0 or more, not {prior_wins}.")
    if not 0 < confidence < 1 or n_resamples < 1:
        raise AssayError("confidence must lie between 0 and 1, and resamples be 1 or more.")
    comparisons = comparisons_of(dataset, criterion)
    wins, ties = comparisons.counts(np.ones(len(comparisons.outcome)))
    fitted = bradley_terry(wins, ties, prior_wins=prior_wins)
    options: dict[str, Any] = {"prior_wins": prior_wins, "intervals": intervals, "confidence": confidence}
    if isnan(fitted.strengths[0]):
        unknown = np.full(len(comparisons.systems), np.nan)
        return Preferences(comparisons, fitted, unknown, unknown, options, _why_undecided(comparisons))
    if intervals == "information":
        half = ndtri(0.5 + confidence / 2) * np.sqrt(np.maximum(np.diagonal(fitted.covariance), 0.0))
        return Preferences(comparisons, fitted, fitted.strengths - half, fitted.strengths + half, options, "")
    draws = _resampled(comparisons, prior_wins, over, n_resamples, seed)
    ends = [percentile(column, confidence) for column in draws.T]
    options |= {"over": over, "n_resamples": n_resamples, "seed": seed, "n_undefined_resamples": ends[0].n_undefined}
    low, high = np.array([end.low for end in ends]), np.array([end.high for end in ends])
    return Preferences(comparisons, fitted, low, high, options, "")


def _resampled(
    comparisons: Comparisons, prior_wins: float, over: str, n_resamples: int, seed: int
) -> NDArray[np.float64]:
    cluster = comparisons.item if over == "items" else comparisons.annotator
    n_clusters = int(cluster.max()) + 1

    def task(block: Block) -> NDArray[np.float64]:
        drawn = bootstrap_counts(block.rng(0), block.size, n_clusters)
        fits = [
            bradley_terry(*comparisons.counts(row[cluster].astype(np.float64)), prior_wins=prior_wins) for row in drawn
        ]
        return np.array([fit.strengths for fit in fits])

    return np.concatenate(map_blocks(task, n_resamples, seed))


def _why_undecided(comparisons: Comparisons) -> str:
    wins, ties = comparisons.counts(np.ones(len(comparisons.outcome)))
    undefeated = np.flatnonzero(wins.sum(axis=0) + ties.sum(axis=0) == 0)
    winless = np.flatnonzero(wins.sum(axis=1) + ties.sum(axis=1) == 0)
    remedy = "Collect more comparisons, or use prior wins (such as 0.5)."
    if len(undefeated):
        return (
            f"system {comparisons.systems[undefeated[0]]!r} won every comparison: its strength is unbounded. {remedy}"
        )
    if len(winless):
        return f"system {comparisons.systems[winless[0]]!r} lost every comparison: its strength is unbounded. {remedy}"
    return f"the comparisons do not connect all systems in both directions: strengths have no limit. {remedy}"


def _or_none(value: float) -> float | None:
    return None if isnan(value) else float(value)
