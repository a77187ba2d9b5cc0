"""A column of the data as an evaluator: stored metrics, labels, parameters."""

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import EvaluatorError, did_you_mean
from assay.evaluator import Scored, Shape, batched, evaluator
from assay.records import Dataset, Values
from assay.records.columns import looks_like_number, numbers_of
from assay.scores import Gaps


@evaluator(units=("output", "set"), needs=("columns",), stored=False, scale="as stored")
def column(name: str) -> Shape:
    """The numbers in a column of the outputs or sets."""

    def offers(dataset: Dataset) -> tuple[str, ...]:
        offered = tuple(kind for kind, columns in _columns(dataset).items() if name in columns)
        if not offered:
            known = [known for columns in _columns(dataset).values() for known in columns]
            raise EvaluatorError(f"the data has no column {name!r}.{did_you_mean(name, known)}")
        return offered

    def score(batch: Batch) -> Scored:
        values = _numbers(name, _columns(batch.dataset)[batch.kind][name])[batch.rows]
        return Scored(values, Gaps.where(len(values), {f"no {name}": np.isnan(values)}))

    return batched(score, offers=offers, reads=("columns",))


def _columns(dataset: Dataset) -> dict[str, dict[str, Values]]:
    return {"output": dict(dataset.outputs.columns), "set": dict(dataset.sets.columns)}


def _numbers(name: str, values: Values) -> NDArray[np.float64]:
    numbers = numbers_of(values)
    if numbers is None:
        example = next(text for text in values if text and not looks_like_number(text))
        raise EvaluatorError(f"column {name!r} holds texts such as {example[:40]!r}, and only numbers can be scores.")
    return numbers
