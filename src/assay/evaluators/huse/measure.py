"""HUSE, HUSE-Q and HUSE-D of one problem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.evaluators.huse.problem import Floats, Problem
from assay.kernels.points.huse import (
    VoteTie,
    errors,
    human_share,
    spreads,
    twice_mean,
)
from assay.kernels.points.neighbors import TOLERANCE, Neighbors, leave_one_out

Ties = Literal["exact", "paper"]
MEASURES = ("huse", "huse_q", "huse_d")


@dataclass(frozen=True)
class Rules:
    """How neighbors vote.

    Attributes:
        k: neighbors; all that are tied with the k-th vote too.
        ties: `exact` compares distances with a tolerance of 1e-9; `paper` codes judgments from 1 and compares
            64-bit numbers as they are, which is how the published numbers came about.
        vote_tie: to whom a tied vote goes; `half` counts it as half an error.
        scale: whether features are divided by their standard deviations.
    """

    k: int = 16
    ties: Ties = "exact"
    vote_tie: VoteTie = "human"
    scale: bool = True


@dataclass(frozen=True, eq=False)
class Measured:
    """Values by measure, the reasons of those that are NaN, and the neighbors that voted."""

    values: Mapping[str, float]
    reasons: Mapping[str, str]
    with_logprob: Neighbors | None = None
    by_quality: Neighbors | None = None
    labels: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))

    def human_shares(self) -> tuple[Floats, Floats]:
        """How likely each output is human by its neighbors, with and without the log-probability."""
        assert self.with_logprob is not None and self.by_quality is not None
        return human_share(self.with_logprob, self.labels), human_share(self.by_quality, self.labels)


def measure(problem: Problem, rules: Rules) -> Measured:
    """Compute the three measures; what cannot be computed is NaN with a reason."""
    reason = unsolvable(problem, rules.k)
    if reason:
        return _result(np.nan, np.nan, reason, reason)
    by_quality = neighbors(problem, rules, with_logprob=False)
    huse_q = _twice_error(by_quality, problem, rules.vote_tie)
    reason = _without_logprob(problem)
    if reason:
        return _result(np.nan, huse_q, reason, "")
    found = neighbors(problem, rules, with_logprob=True)
    huse = _twice_error(found, problem, rules.vote_tie)
    return _result(huse, huse_q, "", "", found, by_quality, problem.human)


def neighbors(problem: Problem, rules: Rules, *, with_logprob: bool) -> Neighbors:
    """Count the neighbors of every output among the others."""
    features = voting_features(problem, rules, with_logprob=with_logprob)
    return leave_one_out(features, problem.human, rules.k, tolerance=tolerance(rules))


def voting_features(problem: Problem, rules: Rules, *, with_logprob: bool) -> Floats:
    """Return the features in which distances are measured."""
    quality = problem.quality + first_rating(rules)
    if not with_logprob:
        return quality / feature_scale(problem, rules)[1:]
    assert problem.logprob is not None
    return np.column_stack([problem.logprob, quality]) / feature_scale(problem, rules)


def feature_scale(problem: Problem, rules: Rules) -> Floats:
    """Return what each feature, the log-probability first, is divided by."""
    quality = problem.quality + first_rating(rules)
    logprob = np.zeros(len(problem)) if problem.logprob is None else problem.logprob
    features = np.column_stack([logprob, quality])
    if not rules.scale:
        return np.ones(features.shape[1])
    measured = np.ones(features.shape, np.bool_)
    measured[:, 0] = ~problem.floored
    return spreads(features, measured)


def first_rating(rules: Rules) -> float:
    """Return what is added to judgments: the paper counts from 1, which changes how they are rounded."""
    return 1.0 if rules.ties == "paper" else 0.0


def tolerance(rules: Rules) -> float:
    """Return how far apart two distances may be and still be tied."""
    return 0.0 if rules.ties == "paper" else TOLERANCE


def unsolvable(problem: Problem, k: int) -> str:
    """Say why nothing can be computed, or nothing."""
    if not problem.n_human:
        return "no outputs of people that can be used" + _because(problem)
    if not problem.n_model:
        return "no outputs of the system that can be used" + _because(problem)
    if len(problem) <= k:
        return f"too few outputs ({len(problem)} < {k + 1})" + _because(problem)
    if (problem.quality == problem.quality[0]).all():
        return "the quality of all outputs is the same"
    return ""


def _without_logprob(problem: Problem) -> str:
    if problem.logprob is None:
        return "no log-probabilities under the system"
    if (problem.logprob == problem.logprob[0]).all():
        return "the log-probability of all outputs is the same"
    return ""


def _because(problem: Problem) -> str:
    dropped = "; ".join(f"{reason}: {n}" for reason, n in problem.dropped.items())
    return f" (left out: {dropped})" if dropped else ""


def _twice_error(found: Neighbors, problem: Problem, vote_tie: VoteTie) -> float:
    return twice_mean(errors(found, problem.human, vote_tie), problem.human)


def _result(
    huse: float,
    huse_q: float,
    reason: str,
    reason_q: str,
    found: Neighbors | None = None,
    by_quality: Neighbors | None = None,
    labels: NDArray[np.bool_] | None = None,
) -> Measured:
    values = dict(zip(MEASURES, (huse, huse_q, 1 + huse - huse_q), strict=True))
    reasons = dict(zip(MEASURES, (reason, reason_q, reason), strict=True))
    return Measured(values, reasons, found, by_quality, np.zeros(0, np.bool_) if labels is None else labels)
