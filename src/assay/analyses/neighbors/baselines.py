"""Baselines of neighbor estimates: the mean, the length of the text, and single annotators."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.analyses.neighbors.neighborhood import agreement
from assay.evaluators.neighbors.judged import Judged
from assay.kernels.votes.annotators import Summary, against_mean, summarize

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Baseline:
    """A trivial or a human estimate; an undefined rho is NaN with a `reason`."""

    mse: float
    rho: float
    n: int
    reason: str = ""


def baselines(test: Judged, train: Judged | None = None) -> dict[str, Baseline]:
    """All baselines on the texts of known quality; without `train` each text is predicted from the others."""
    known = test.with_quality()
    learnt = None if train is None else train.with_quality()
    estimates = {"mean": _mean(known, learnt), "length": _length(known, learnt)}
    for name, own_vote in (("annotator", True), ("annotator_left_out", False)):
        estimates.update(_annotators(known, name, own_vote))
    return estimates


def annotator_summary(texts: Judged, *, own_vote: bool) -> tuple[Summary, int]:
    """The best and the average annotator against the mean judgment of some texts, and the judgments they rest on.

    An annotator who gave one answer throughout counts with a rho of 0, as in the paper.
    """
    votes = texts.votes
    quality = against_mean(votes.text, votes.annotator, votes.value, len(votes.annotators), own_vote=own_vote)
    # Answers are compared as they were given: dividing them first would break ties between equal means.
    scaled = quality._replace(mse=quality.mse / texts.scale**2)
    return summarize(scaled, constant_as_zero=True), int(quality.n.sum())


def predictions(test: Judged, train: Judged | None = None) -> dict[str, Vector]:
    """Predictions by the mean and by the length of a text; without `train`, leave-one-out."""
    learnt = None if train is None else train.with_quality()
    return {"mean": _mean_of_others(test, learnt), "length": _line_of_others(test, learnt)[0]}


def _mean_of_others(test: Judged, train: Judged | None) -> Vector:
    quality = test.quality
    if train is None:
        return np.asarray((quality.sum() - quality) / max(len(quality) - 1, 1))
    return np.full(len(quality), train.quality.mean())


def _line_of_others(test: Judged, train: Judged | None) -> tuple[Vector, float]:
    """A straight line through the lengths in bytes, and its slope."""
    length = test.texts.lengths.astype(np.float64)
    if train is None:
        slope, intercept = _line(length, test.quality)
        residual = test.quality - (slope * length + intercept)
        return np.asarray(test.quality - residual / (1 - _leverage(length))), slope
    slope, intercept = _line(train.texts.lengths.astype(np.float64), train.quality)
    return np.asarray(slope * length + intercept), slope


def _mean(test: Judged, train: Judged | None) -> Baseline:
    agreed = agreement(_mean_of_others(test, train), test.quality)
    return Baseline(agreed.mse, float("nan"), agreed.n, "one estimate for all texts has no ranks")


def _length(test: Judged, train: Judged | None) -> Baseline:
    """The line through the lengths; rho is that of the length itself, in the line's direction."""
    predicted, slope = _line_of_others(test, train)
    mse = agreement(predicted, test.quality).mse
    rho = agreement(np.sign(slope) * test.texts.lengths, test.quality).rho
    return Baseline(mse, rho, len(test), "all texts are equally long" if np.isnan(rho) else "")


def _line(x: Vector, y: Vector) -> tuple[float, float]:
    centered = x - x.mean()
    spread = float(centered @ centered)
    slope = float(centered @ y) / spread if spread else 0.0
    return slope, float(y.mean() - slope * x.mean())


def _leverage(x: Vector) -> Vector:
    """How far each point pulls the line: leaving it out divides its residual by one minus this."""
    centered = x - x.mean()
    spread = float(centered @ centered)
    share = 1 / len(x) + (centered**2 / spread if spread else 0.0)
    return np.minimum(np.broadcast_to(share, x.shape), 1 - 1e-12)


def _annotators(texts: Judged, name: str, own_vote: bool) -> dict[str, Baseline]:
    if not len(texts.votes.text):
        return {}
    summary, n = annotator_summary(texts, own_vote=own_vote)
    return {
        f"best_{name}": Baseline(summary.best_mse, summary.best_rho, n),
        f"average_{name}": Baseline(summary.average_mse, summary.average_rho, n),
    }
