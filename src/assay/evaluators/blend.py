"""A blend of other evaluators' scores that predicts human judgments."""

from __future__ import annotations

import numpy as np

from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Evaluator, Scored, Shape, State, Use, evaluator, fitted
from assay.kernels.statistics.ridge import ridge
from assay.records import Dataset
from assay.registry import factory
from assay.scores import Gaps

KINDS = ("output", "pair", "set")


@evaluator(units=KINDS, scale="that of the judgments")
def blend(members: tuple[Evaluator, ...], criterion: str, *, penalty: float = 1.0) -> Shape:
    """The mean judgment of a criterion, predicted from the scores of other evaluators by ridge regression.

    `penalty` is on the squared weights of standardized scores; 0 is least squares. Fitted members are trained without
    the units that the weights are learned from, and without those that are scored. A unit that lacks the score of a
    member is a gap.
    """
    if not members:
        raise EvaluatorError("blend needs at least one evaluator: write blend((bleu, length), 'typicality').")
    if not 0 <= penalty < np.inf:
        raise EvaluatorError(f"the parameter 'penalty' of blend must be 0 or more, not {penalty}.")
    target = factory("human")(criterion)

    def offers(dataset: Dataset) -> tuple[str, ...]:
        """The judged kinds; any kind if the judgments are in a training set."""
        judged = tuple(kind for kind in KINDS if criterion in dataset.judgments.about(kind).criteria)
        return judged or KINDS

    def fit(train: Batch, rng: np.random.Generator) -> State:
        features, judgment = np.column_stack([used.values for used in train.used]), target.score(train).values
        known = np.isfinite(features).all(axis=1) & ~np.isnan(judgment)
        if np.count_nonzero(known) < 2:
            raise EvaluatorError(
                f"blend learns from {train.kind}s with judgments of {criterion!r} and a score of every member, and the "
                f"training data has {np.count_nonzero(known)}."
            )
        weights, intercept = ridge(features[known], judgment[known], penalty)
        return {"weights": weights, "intercept": intercept}

    def score(state: State, batch: Batch) -> Scored:
        values = np.full(len(batch), state["intercept"])
        # Column by column: how a matrix product rounds may depend on the other rows.
        for used, weight in zip(batch.used, state["weights"], strict=True):
            values += weight * used.values
        reasons = np.full(len(batch), "", object)
        for member, used in reversed(list(zip(members, batch.used, strict=True))):
            missing = np.flatnonzero(~np.isfinite(used.values))
            gaps = used.gaps
            reasons[missing] = [gaps[row] or f"{member.name} is infinite" for row in missing.tolist()]
        return Scored(values, Gaps.of(reasons.tolist()))

    return fitted(
        fit,
        score,
        learns_from=(f"criterion:{criterion}",),
        uses=[Use(member) for member in members],
        offers=offers,
        direction=target.higher_is_better,
    )
