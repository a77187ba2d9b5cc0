"""HUSE, HUSE-Q and HUSE-D as evaluators of systems (Hashimoto, Zhang and Liang, 2019)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Evaluator, Scored, Shape, Use, batched, evaluator
from assay.evaluators.huse.measure import Rules, Ties, vote
from assay.evaluators.huse.problem import problem_of_system
from assay.evaluators.huse.quality import quality_evaluator
from assay.kernels.points.huse import VoteTie
from assay.records import Dataset
from assay.scores import Gaps

CITE = "Hashimoto, Zhang and Liang 2019"
HUMAN = "human texts are what systems are compared with"


@evaluator(
    units=("system",),
    needs=("human", "logprobs"),
    scale="0 (always told apart from people) to 1 (never); sampling noise can carry it a little above 1",
    cite=CITE,
)
def huse(
    *,
    k: int = 16,
    quality: Evaluator | None = None,
    beside: tuple[Evaluator, ...] = (),
    per_token: bool = True,
    scale: bool = True,
    ties: Ties = "exact",
    vote_tie: VoteTie = "human",
    floor: float | None = None,
) -> Shape:
    """Twice the error of telling a system's outputs from human texts by log-probability and judgment.

    `quality` replaces the mean judgment, `beside` adds features; `floor` replaces -inf, by default three standard
    deviations below the smallest finite log-probability.
    """
    rules = Rules(k, ties, vote_tie, scale)
    return _voted(rules, quality, beside, with_logprob=True, per_token=per_token, floor=floor)


@evaluator(
    units=("system",),
    needs=("human",),
    scale="0 (the quality tells systems and people apart) to 1 (it never does)",
    cite=CITE,
)
def huse_q(
    *,
    k: int = 16,
    quality: Evaluator | None = None,
    beside: tuple[Evaluator, ...] = (),
    scale: bool = True,
    ties: Ties = "exact",
    vote_tie: VoteTie = "human",
) -> Shape:
    """Twice the error of telling a system's outputs from human texts by judgment alone: its quality."""
    return _voted(Rules(k, ties, vote_tie, scale), quality, beside, with_logprob=False)


@evaluator(
    units=("system",),
    needs=("human", "logprobs"),
    scale="0 to 1; above 1 where the log-probability makes the vote worse, which is noise or too many features",
    cite=CITE,
)
def huse_d(
    *,
    k: int = 16,
    quality: Evaluator | None = None,
    beside: tuple[Evaluator, ...] = (),
    per_token: bool = True,
    scale: bool = True,
    ties: Ties = "exact",
    vote_tie: VoteTie = "human",
    floor: float | None = None,
) -> Shape:
    """Diversity: 1 + HUSE - HUSE-Q, what the log-probability reveals beyond the judgment."""
    shared = {"k": k, "quality": quality, "beside": beside, "scale": scale, "ties": ties, "vote_tie": vote_tie}
    both = huse(**shared, per_token=per_token, floor=floor)
    alone = huse_q(**shared)

    def score(batch: Batch) -> Scored:
        with_logprob, by_quality = batch.used
        return Scored(1 + with_logprob.values - by_quality.values, with_logprob.gaps)

    return batched(score, uses=(Use(both), Use(alone)), reads=())


def _voted(
    rules: Rules,
    quality: Evaluator | None,
    beside: tuple[Evaluator, ...],
    *,
    with_logprob: bool,
    per_token: bool = True,
    floor: float | None = None,
) -> Shape:
    """The error of one vote for every system."""
    if rules.k < 1:
        raise EvaluatorError(f"HUSE needs at least one neighbor: k must be 1 or more, not {rules.k}.")

    def uses(dataset: Dataset) -> list[Use]:
        return [Use(one, "output") for one in (quality_evaluator(dataset, quality), *beside)]

    def score(batch: Batch) -> Scored:
        dataset = batch.dataset
        features, gaps = _features(batch)
        values, reasons = np.full(len(batch), np.nan), [HUMAN] * len(batch)
        for position, system in enumerate(batch.units.system[batch.rows].tolist()):
            if not dataset.systems.human[system]:
                problem = problem_of_system(dataset, system, features, gaps, per_token=per_token, floor=floor)
                values[position], reasons[position], _ = vote(problem, rules, with_logprob=with_logprob)
        return Scored(values, Gaps.of(reasons))

    return batched(score, whole=True, uses=uses, reads=("logprobs",))


def _features(batch: Batch) -> tuple[NDArray[np.float64], Gaps]:
    """The scores of every output, a column per evaluator, and why a row lacks one."""
    features = np.full((len(batch.dataset.outputs), len(batch.used)), np.nan)
    reasons = [""] * len(features)
    for number, used in enumerate(batch.used):
        features[batch.outputs.values, number] = used.values
        gaps = used.gaps
        for row in np.flatnonzero(gaps.codes).tolist():
            output = int(batch.outputs.values[row])
            reasons[output] = reasons[output] or gaps[row]
    return features, Gaps.of(reasons)
