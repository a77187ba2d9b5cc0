"""A target for sets: their label, or the parameter they were sampled with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import DataError, did_you_mean
from assay.evaluator import Scored, Shape, batched, evaluator
from assay.records import Dataset, Values
from assay.records.columns import numbers_of
from assay.records.tables import take_values
from assay.scores import Gaps
from assay.text.strings import Strings


@evaluator(units=("set",), stored=False, scale="as stored")
def set_value(name: str, *, high: str | None = None, log10: bool = False) -> Shape:
    """A column of the sets, or the parameter of that name shared by all outputs of a set.

    `system` is the system of the set. With `high`, sets with that value are 1 and others 0; a column of texts needs it.
    """

    def offers(dataset: Dataset) -> tuple[str, ...]:
        _find(dataset, name)
        return ("set",)

    def score(batch: Batch) -> Scored:
        values = _numbers(name, _find(batch.dataset, name), high)[batch.rows]
        if log10 and (values <= 0).any():
            raise DataError(f"{name!r} has values of 0 or below, which have no logarithm. Leave out --log10.")
        return Scored(np.log10(values) if log10 else values, Gaps.where(len(values), {f"no {name}": np.isnan(values)}))

    return batched(score, whole=True, offers=offers, reads=("columns",))


def _numbers(name: str, values: Values, high: str | None) -> NDArray[np.float64]:
    if isinstance(values, Strings):
        texts = np.array(values.to_list(), object)
        known = sorted({text for text in texts if text})
        if high is None or high not in known:
            raise DataError(
                f"{name!r} holds texts ({', '.join(known[:5])}). Say which of them counts as high with --high."
            )
        return np.where(texts == "", np.nan, (texts == high).astype(np.float64))
    if high is None:
        return values
    try:
        level = float(high)
    except ValueError:
        raise DataError(f"{name!r} holds numbers, and {high!r} is none.") from None
    return np.where(np.isnan(values), np.nan, (values == level).astype(np.float64))


def _find(dataset: Dataset, name: str) -> Values:
    if name in dataset.sets.columns:
        return _as_numbers(dataset.sets.columns[name])
    for column in (f"params.{name}", name):
        if column in dataset.outputs.columns:
            return _shared(dataset, column, _as_numbers(dataset.outputs.columns[column]))
    if name == "system":
        return take_values(dataset.systems.id, dataset.set_system)
    known = ["system", *dataset.sets.columns, *(column.removeprefix("params.") for column in dataset.outputs.columns)]
    raise DataError(f"the sets have no column or parameter {name!r}.{did_you_mean(name, known)}")


def _as_numbers(values: Values) -> Values:
    """The column as numbers if possible, else as texts."""
    numbers = numbers_of(values)
    return values if numbers is None else numbers


def _shared(dataset: Dataset, name: str, values: Values) -> Values:
    """The value shared by the outputs of each set; an error names a set with several."""
    by_set = dataset.outputs_by_set
    codes = values.factorize()[0] if isinstance(values, Strings) else np.unique(values, return_inverse=True)[1]
    first = by_set.values[by_set.offsets[:-1]]
    differs = codes[by_set.values] != codes[first][by_set.row_of]
    if differs.any():
        where = dataset.sets.id[int(by_set.row_of[np.flatnonzero(differs)[0]])]
        raise DataError(f"the outputs of set {where!r} differ in {name!r}, so the set has no value of it.")
    return values.take(first) if isinstance(values, Strings) else values[first]
