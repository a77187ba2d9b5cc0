"""Sources of references: given with the item, or found among other texts.

A source returns text numbers: t is the text of output t while t < len(outputs), else reference t - len(outputs) of
the items table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial, update_wrapper
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay import __version__
from assay.errors import DataError
from assay.factory import Configured, Factory
from assay.kernels.ragged import Ragged, running_offsets
from assay.records import Dataset
from assay.records.columns import IS_REFERENCE, numbers_of

Resolve = Callable[[Dataset], Ragged]
TRUE, FALSE = {"true", "yes", "1"}, {"false", "no", "0", ""}


@dataclass(frozen=True, eq=False, repr=False)
class References(Configured):
    """A source of references: `resolve(dataset)` returns the text numbers of each output's references.

    `whole` is whether it looks for them in the whole dataset, so that a part of it could give others.
    """

    name: str
    params: dict[str, Any]
    resolve: Resolve
    origin: str = f"assay:{__version__}"
    whole: bool = True


class ReferenceFactory:
    """Decorator: a factory of reference sources, whose parameters become part of signatures."""

    def __init__(self, function: Callable[..., Resolve], *, whole: bool = True) -> None:
        self.factory = Factory(function.__name__, function)
        self._whole = whole
        update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> References:
        """Make a source of references."""
        params = self.factory.bind(args, kwargs)
        return References(self.factory.name, params, self.factory.function(**params), whole=self._whole)


@partial(ReferenceFactory, whole=False)
def given() -> Resolve:
    """The references in the data: those of the item, and its other outputs that are marked `is_reference`."""

    def resolve(dataset: Dataset) -> Ragged:
        numbers = dataset.items.references.numbers.take(dataset.outputs.item)
        listed = replace(numbers, values=numbers.values + len(dataset.outputs))
        marked = marked_outputs(dataset)
        return _joined(listed, others_of_item(dataset, marked)) if marked.any() else listed

    return resolve


def has_references(dataset: Dataset) -> bool:
    """Whether the data has any reference."""
    return len(dataset.items.references.texts) > 0 or bool(marked_outputs(dataset).any())


def marked_outputs(dataset: Dataset) -> NDArray[np.bool_]:
    """Whether each output is marked as a reference, by a truth value in its column."""
    column = dataset.outputs.columns.get(IS_REFERENCE)
    if column is None:
        return np.zeros(len(dataset), bool)
    numbers = numbers_of(column)
    if numbers is not None:
        return ~np.isnan(numbers) & (numbers != 0)
    marks = [str(mark).lower() for mark in column]
    unknown = next((mark for mark in marks if mark not in TRUE | FALSE), None)
    if unknown is not None:
        raise DataError(f"the column {IS_REFERENCE} has {unknown!r}. It must be true or false for every output.")
    return np.array([mark in TRUE for mark in marks])


def others_of_item(dataset: Dataset, allowed: NDArray[np.bool_]) -> Ragged:
    """The allowed outputs of each output's item without the output itself; another one with the same text stays."""
    by_item = dataset.outputs_by_item
    same_item = _filtered(by_item, allowed[by_item.values]).take(dataset.outputs.item)
    return _filtered(same_item, same_item.values != same_item.row_of)


def _filtered(groups: Ragged, keep: NDArray[np.bool_]) -> Ragged:
    """Drop values, but no rows."""
    return Ragged(groups.values[keep], running_offsets(np.bincount(groups.row_of[keep], minlength=len(groups))))


def _joined(first: Ragged, second: Ragged) -> Ragged:
    """The values of both in each row, the first ones first."""
    rows = np.concatenate([first.row_of, second.row_of])
    values = np.concatenate([first.values, second.values])
    return Ragged(values[np.argsort(rows, kind="stable")], first.offsets + second.offsets)
