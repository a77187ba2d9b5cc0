"""The judgments of a unit as a score."""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Scored, Shape, batched, evaluator
from assay.kernels.statistics.exact_means import exact_means
from assay.records import Dataset, JudgmentView
from assay.records.preferences import preferred
from assay.scores import PAIRED, UNITS, Gaps

Aggregate = Literal["mean", "median", "majority", "share"]


@evaluator(
    units=UNITS,
    needs=("judgments",),
    scale="that of the judgments; a share is 0 to 1",
    stored=False,
)
def human(criterion: str, *, aggregate: Aggregate = "mean", of: float | str = 1.0, votes: int | None = None) -> Shape:
    """Judgments of one criterion, aggregated per unit.

    `mean` and `median` of the numbers; `majority`, the most frequent number (a tie is a gap); `share`, the share of
    judgments with the answer `of`, which may be a label. With `votes`, a unit without exactly so many judgments is a
    gap.

    Judgments of a matchup are preferences, above 0 for its left side whichever was judged first, labels such as
    `first` included; unless their criterion asks for a similarity.
    """
    if aggregate != "share" and of != 1.0:
        raise EvaluatorError(f"the parameter 'of' of human is for aggregate='share', not {aggregate!r}. Leave it out.")
    if votes is not None and votes < 1:
        raise EvaluatorError(f"the parameter 'votes' of human must be 1 or more. Got {votes} instead.")

    def offers(dataset: Dataset) -> tuple[str, ...]:
        single = [kind for kind in UNITS if kind not in PAIRED and len(dataset.judgments.about(kind).of(criterion))]
        return tuple(sorted([*single, *_judged_pairs(dataset, criterion)], key=UNITS.index))

    def score(batch: Batch) -> Scored:
        judgments, unit = _of_batch(batch, criterion)
        n = np.bincount(unit, minlength=len(batch)).astype(np.float64)
        answers = _toward_left(batch, judgments, unit) if _compares(batch, criterion) else None
        gaps = {f"no judgments of {criterion}": n == 0}
        if votes is not None:
            gaps[f"not exactly {votes} judgments of {criterion}"] = n != votes
        if aggregate == "share":
            answer = batch.dataset.criterion(criterion).answer(of)
            agree = judgments.gives(answer) if answers is None or isinstance(answer, str) else answers == answer
            values = exact_means(agree.astype(np.float64), unit, n)
            return Scored(values, Gaps.where(len(batch), gaps))
        answers = judgments.value if answers is None else answers
        labeled = np.zeros(len(batch), bool)
        labeled[unit[np.isnan(answers)]] = True
        gaps["judgments are labels, not numbers: use aggregate='share' with of='<label>'"] = labeled
        if aggregate == "mean":
            values = exact_means(answers, unit, n)
        elif aggregate == "median":
            values = _per_unit(np.median, answers, unit, len(batch))
        else:
            values = _per_unit(_most_frequent, answers, unit, len(batch))
            gaps["tied votes"] = np.isnan(values)
        return Scored(values, Gaps.where(len(batch), gaps))

    def direction(dataset: Dataset) -> bool | None:
        return True if aggregate == "share" else dataset.criterion(criterion).higher_is_better

    return batched(score, offers=offers, direction=direction, reads=("judgments",))


def _of_batch(batch: Batch, criterion: str) -> tuple[JudgmentView, NDArray[np.int64]]:
    """The judgments about units of the batch, and the position of each one's unit."""
    judgments = batch.dataset.judgments.about("pair" if batch.kind in PAIRED else batch.kind).of(criterion)
    if batch.kind in PAIRED:
        n = len(batch.dataset.outputs)
        sides = batch.outputs.values.reshape(-1, 2)
        keys = sides.min(axis=1) * n + sides.max(axis=1)
        wanted = np.minimum(judgments.unit, judgments.other) * n + np.maximum(judgments.unit, judgments.other)
    else:
        keys = batch.units.system[batch.rows] if batch.kind == "system" else batch.rows
        wanted = judgments.unit
    order = np.argsort(keys)
    at = np.searchsorted(keys[order], wanted)
    in_batch = np.append(keys[order], -1)[at] == wanted
    return judgments.where(in_batch), order[at[in_batch]]


def _judged_pairs(dataset: Dataset, criterion: str) -> list[str]:
    """The paired units that judgments of a criterion are about."""
    judged = dataset.judgments.about("pair").of(criterion)
    outputs = dataset.outputs
    across = (outputs.system[judged.unit] != outputs.system[judged.other]) & (
        outputs.item[judged.unit] == outputs.item[judged.other]
    )
    inside = outputs.set[judged.unit] == outputs.set[judged.other]
    kinds = {"pair": inside | ~across, "matchup": across}
    return [kind for kind, of_kind in kinds.items() if of_kind.any()]


def _compares(batch: Batch, criterion: str) -> bool:
    return batch.kind == "matchup" and batch.dataset.criterion(criterion).asks != "similarity"


def _toward_left(batch: Batch, judgments: JudgmentView, unit: NDArray[np.int64]) -> NDArray[np.float64]:
    """How far each judgment prefers the left side of its matchup."""
    left = batch.outputs.values[0::2][unit]
    preference = preferred(batch.dataset, judgments)
    return np.where(judgments.unit == left, preference, 0.0 - preference)


def _per_unit(
    statistic: Callable[..., float], answers: NDArray[np.float64], unit: NDArray[np.int64], n: int
) -> NDArray[np.float64]:
    order = np.argsort(unit, kind="stable")
    ends = np.searchsorted(unit[order], np.arange(n + 1))
    values = np.full(n, np.nan)
    for position in range(n):
        of_unit = answers[order[ends[position] : ends[position + 1]]]
        if len(of_unit):
            values[position] = statistic(of_unit)
    return values


def _most_frequent(answers: NDArray[np.float64]) -> float:
    distinct, counts = np.unique(answers, return_counts=True)
    best = distinct[counts == counts.max()]
    return float(best[0]) if len(best) == 1 else float("nan")
