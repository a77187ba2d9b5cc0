"""What sets are held against: a label or a parameter they have, and which of them belong together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError, did_you_mean
from assay.records import Dataset, Values
from assay.records.columns import numbers_of
from assay.records.tables import take_values
from assay.text.strings import Strings


def set_values(dataset: Dataset, name: str, *, high: str | None = None) -> NDArray[np.float64]:
    """Return a number per set: its column `name`, or the parameter of that name that all its outputs share.

    `system` is the system that gave the set. A column of texts needs `high`: sets with that text are 1, other
    sets 0. A gap is NaN.
    """
    found = _find(dataset, name)
    if isinstance(found, Strings):
        texts = np.array(found.to_list(), object)
        known = sorted({text for text in texts if text})
        if high is None or high not in known:
            raise DataError(
                f"{name!r} holds texts ({', '.join(known[:5])}). Say which of them counts as high with --high."
            )
        return np.where(texts == "", np.nan, (texts == high).astype(np.float64))
    if high is None:
        return found
    try:
        level = float(high)
    except ValueError:
        raise DataError(f"{name!r} holds numbers, and {high!r} is none.") from None
    return np.where(np.isnan(found), np.nan, (found == level).astype(np.float64))


def two_classes(name: str, values: NDArray[np.float64]) -> None:
    """Raise unless the values are of exactly two kinds, both present."""
    kinds = np.unique(values[~np.isnan(values)])
    if len(kinds) != 2:
        shown = ", ".join(f"{kind:g}" for kind in kinds[:5])
        raise DataError(
            f"a label has two values, low and high diversity, and {name!r} has {len(kinds)} ({shown or 'none'}). "
            "Name another column with --label, pick the high one with --high, or use `assay dectest` for a scale."
        )


def positive_log10(name: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logarithm of a parameter, or say that it has none."""
    if (values <= 0).any():
        raise DataError(f"{name!r} has values of 0 or below, which have no logarithm. Leave out --log10.")
    return np.log10(values)


def context_clusters(dataset: Dataset) -> NDArray[np.int64]:
    """Return for each set the number of its context; sets of items with the same context belong together.

    Items without a context are known by their id.
    """
    context, item = dataset.items.context.to_list(), dataset.items.id.to_list()
    keys = [(text,) if text else ("", name) for text, name in zip(context, item, strict=True)]
    number = {key: code for code, key in enumerate(dict.fromkeys(keys))}
    codes = np.array([number[key] for key in keys], np.int64)
    return codes[dataset.sets.item]


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
    """The column as numbers where it can be, else as texts."""
    numbers = numbers_of(values)
    return values if numbers is None else numbers


def _shared(dataset: Dataset, name: str, values: Values) -> Values:
    """Return the value that the outputs of each set have in common, or say which set has several."""
    by_set = dataset.outputs_by_set
    codes = values.factorize()[0] if isinstance(values, Strings) else np.unique(values, return_inverse=True)[1]
    first = by_set.values[by_set.offsets[:-1]]
    differs = codes[by_set.values] != codes[first][by_set.row_of]
    if differs.any():
        where = dataset.sets.id[int(by_set.row_of[np.flatnonzero(differs)[0]])]
        raise DataError(f"the outputs of set {where!r} differ in {name!r}, so the set has no value of it.")
    return values.take(first) if isinstance(values, Strings) else values[first]
