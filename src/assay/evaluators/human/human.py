"""What annotators said about a unit."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import EvaluatorError, did_you_mean
from assay.evaluator import Scored, Shape, batched, evaluator
from assay.kernels.statistics.exact_means import exact_means
from assay.records import JUDGED, Dataset
from assay.scores import UNITS, Gaps

Aggregate = Literal["mean", "median", "majority", "share"]


@evaluator(
    units=UNITS,
    needs=("judgments",),
    scale="that of the judgments; a share is 0 to 1",
    stored=False,
)
def human(criterion: str, *, aggregate: Aggregate = "mean", of: float | str = 1.0) -> Shape:
    """Judgments of one criterion, brought together per unit.

    `mean` and `median` of the numbers; `majority`, the most frequent number (a tie is a gap); `share`, how large a
    part of the judgments gave the answer `of`, which may be a label.
    """
    if aggregate != "share" and of != 1.0:
        raise EvaluatorError(f"the parameter 'of' of human is for aggregate='share', not {aggregate!r}. Leave it out.")

    def offers(dataset: Dataset) -> tuple[str, ...]:
        _criterion_code(dataset, criterion)
        return tuple(kind for kind in UNITS if len(_judgments(dataset, criterion, kind)))

    def score(batch: Batch) -> Scored:
        rows, unit = _of_batch(batch, criterion)
        judgments = batch.dataset.judgments
        n = np.bincount(unit, minlength=len(batch)).astype(np.float64)
        gaps = {f"no judgments of {criterion}": n == 0}
        if aggregate == "share":
            values = exact_means(_agrees(batch.dataset, rows, of), unit, n)
            return Scored(values, Gaps.where(len(batch), gaps))
        answers = judgments.value[rows]
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

    return batched(score, offers=offers)


def _criterion_code(dataset: Dataset, criterion: str) -> int:
    known = dataset.judgments.criteria.to_list()
    if criterion not in known:
        raise EvaluatorError(f"the data has no judgments of {criterion!r}.{did_you_mean(criterion, known)}")
    return known.index(criterion)


def _judgments(dataset: Dataset, criterion: str, kind: str) -> NDArray[np.int64]:
    """Rows of the judgments of a criterion about single units of a kind, or about pairs of outputs."""
    table = dataset.judgments
    mine = table.criterion == _criterion_code(dataset, criterion)
    mine &= table.kind == JUDGED.index("output" if kind == "pair" else kind)
    return np.flatnonzero(mine & ((table.other >= 0) == (kind == "pair")))


def _of_batch(batch: Batch, criterion: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The judgments about units of the batch, and the position of the unit each is about."""
    table = batch.dataset.judgments
    rows = _judgments(batch.dataset, criterion, batch.kind)
    if batch.kind == "pair":
        n = len(batch.dataset.outputs)
        sides = batch.outputs.values.reshape(-1, 2)
        keys = sides.min(axis=1) * n + sides.max(axis=1)
        left, right = table.unit[rows], table.other[rows]
        wanted = np.minimum(left, right) * n + np.maximum(left, right)
    else:
        keys = batch.units.system[batch.rows] if batch.kind == "system" else batch.rows
        wanted = table.unit[rows]
    order = np.argsort(keys)
    at = np.searchsorted(keys[order], wanted)
    found = np.append(keys[order], -1)[at] == wanted
    return rows[found], order[at[found]]


def _agrees(dataset: Dataset, rows: NDArray[np.int64], of: float | str) -> NDArray[np.float64]:
    table = dataset.judgments
    if isinstance(of, str):
        labels = table.labels.to_list()
        if of not in labels:
            raise EvaluatorError(f"no judgment has the label {of!r}.{did_you_mean(of, labels)}")
        return (table.label[rows] == labels.index(of)).astype(np.float64)
    return (table.value[rows] == of).astype(np.float64)


def _per_unit(statistic: object, answers: NDArray[np.float64], unit: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    assert callable(statistic)
    order = np.argsort(unit, kind="stable")
    ends = np.searchsorted(unit[order], np.arange(n + 1))
    values = np.full(n, np.nan)
    for position in range(n):
        own = answers[order[ends[position] : ends[position + 1]]]
        if len(own):
            values[position] = statistic(own)
    return values


def _most_frequent(answers: NDArray[np.float64]) -> float:
    distinct, counts = np.unique(answers, return_counts=True)
    best = distinct[counts == counts.max()]
    return float(best[0]) if len(best) == 1 else float("nan")
