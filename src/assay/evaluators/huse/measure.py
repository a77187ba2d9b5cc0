"""HUSE, HUSE-Q and HUSE-D of one problem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from assay.evaluators.huse.problem import Floats, Problem
from assay.kernels.points.huse import VoteTie, errors, human_share, spreads, twice_mean
from assay.kernels.points.neighbors import TOLERANCE, PointNeighbors, leave_one_out

Ties = Literal["exact", "paper"]
MEASURES = ("huse", "huse_q", "huse_d")


@dataclass(frozen=True)
class Rules:
    """How neighbors vote.

    Attributes:
        k: the number of neighbors; all that tie with the k-th vote too.
        ties: `exact` compares distances with a tolerance of 1e-9; `paper` codes judgments from 1 and compares raw
            64-bit numbers, as behind the published numbers.
        vote_tie: who wins a tied vote; `half` counts it as half an error.
        scale: whether features are divided by their standard deviations.
    """

    k: int = 16
    ties: Ties = "exact"
    vote_tie: VoteTie = "human"
    scale: bool = True


class Vote(NamedTuple):
    """Twice the error of the vote, or why there is none, and the neighbors that voted."""

    value: float
    reason: str
    neighbors: PointNeighbors | None


@dataclass(frozen=True, eq=False)
class Measured:
    """A problem and its two votes: by log-probability and quality, and by quality alone."""

    problem: Problem
    rules: Rules
    both: Vote
    quality: Vote

    @cached_property
    def values(self) -> Mapping[str, float]:
        """The value of each measure, NaN if undefined."""
        huse, huse_q = self.both.value, self.quality.value
        return dict(zip(MEASURES, (huse, huse_q, 1 + huse - huse_q), strict=True))

    @property
    def reasons(self) -> dict[str, str]:
        """Why measures are undefined."""
        reasons = zip(MEASURES, (self.both.reason, self.quality.reason, self.both.reason), strict=True)
        return {name: reason for name, reason in reasons if reason}

    def human_shares(self) -> tuple[Floats, Floats]:
        """The share of human neighbors of each output, with and without the log-probability."""
        assert self.both.neighbors is not None and self.quality.neighbors is not None
        human = self.problem.human
        return human_share(self.both.neighbors, human), human_share(self.quality.neighbors, human)


def measure(problem: Problem, rules: Rules) -> Measured:
    """Take both votes."""
    both, quality = (vote(problem, rules, with_logprob=with_logprob) for with_logprob in (True, False))
    return Measured(problem, rules, both, quality)


def vote(problem: Problem, rules: Rules, *, with_logprob: bool) -> Vote:
    """Let the neighbors of every output vote on who wrote it."""
    reason = unsolvable(problem, rules.k) or (_without_logprob(problem) if with_logprob else "")
    if reason:
        return Vote(np.nan, reason, None)
    counted = neighbors(problem, rules, with_logprob=with_logprob)
    return Vote(twice_mean(errors(counted, problem.human, rules.vote_tie), problem.human), "", counted)


def neighbors(problem: Problem, rules: Rules, *, with_logprob: bool) -> PointNeighbors:
    """Count the neighbors of every output among the others."""
    features = voting_features(problem, rules, with_logprob=with_logprob)
    return leave_one_out(features, problem.human, rules.k, tolerance=tolerance(rules))


def voting_features(problem: Problem, rules: Rules, *, with_logprob: bool) -> Floats:
    """The features in which distances are measured."""
    quality = problem.quality + first_rating(rules)
    if not with_logprob:
        return quality / feature_scale(problem, rules)[1:]
    assert problem.logprob is not None
    return np.column_stack([problem.logprob, quality]) / feature_scale(problem, rules)


def feature_scale(problem: Problem, rules: Rules) -> Floats:
    """The divisor of each feature, the log-probability first."""
    quality = problem.quality + first_rating(rules)
    logprob = np.zeros(len(problem)) if problem.logprob is None else problem.logprob
    features = np.column_stack([logprob, quality])
    if not rules.scale:
        return np.ones(features.shape[1])
    measured = np.ones(features.shape, np.bool_)
    measured[:, 0] = ~problem.floored
    return spreads(features, measured)


def first_rating(rules: Rules) -> float:
    """The offset of judgments: the paper counts from 1, which changes how they round."""
    return 1.0 if rules.ties == "paper" else 0.0


def tolerance(rules: Rules) -> float:
    """The tolerance within which distances tie."""
    return 0.0 if rules.ties == "paper" else TOLERANCE


def unsolvable(problem: Problem, k: int) -> str:
    """Why the measures are undefined; empty if they are not."""
    if not problem.n_human:
        return "no usable human outputs" + _because(problem)
    if not problem.n_model:
        return "no usable outputs of the system" + _because(problem)
    if len(problem) <= k:
        return f"too few outputs ({len(problem)} < {k + 1})" + _because(problem)
    if (problem.quality == problem.quality[0]).all():
        return "all outputs have the same quality"
    return ""


def _without_logprob(problem: Problem) -> str:
    if problem.logprob is None:
        return "no log-probabilities under the system"
    if (problem.logprob == problem.logprob[0]).all():
        return "all outputs have the same log-probability"
    return ""


def _because(problem: Problem) -> str:
    dropped = "; ".join(f"{reason}: {n}" for reason, n in problem.dropped.items())
    return f" (left out: {dropped})" if dropped else ""
