"""Sources of references: given with the item, or found among other texts.

A source returns text numbers: t is the text of output t while t < len(outputs), else reference t - len(outputs) of
the items table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import update_wrapper
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay import __version__
from assay.errors import DataError
from assay.factory import Configured, Factory
from assay.kernels.ragged import Ragged, running_offsets
from assay.records import Dataset
from assay.records.columns import IS_REFERENCE, numbers_of
from assay.text.strings import Strings

Mask = NDArray[np.bool_]
Resolve = Callable[[Dataset], Ragged]
# (data, whether each output may serve as a reference) -> text numbers per output.
Find = Callable[[Dataset, Mask], Ragged]
# (texts, pool) -> the places in the pool of each text's references, a row per text; -1 where there are fewer.
Choose = Callable[[Strings, Strings], NDArray[np.int64]]
# Whether each system, by name, is human -> the systems whose outputs may serve as references.
Among = Callable[[Mapping[str, bool]], Collection[str]]
TRUE, FALSE = {"true", "yes", "1"}, {"false", "no", "0", ""}


@dataclass(frozen=True)
class Source:
    """How references are found.

    Attributes:
        find: the text numbers of each output's references, among the outputs that may serve.
        among: the systems whose outputs may serve; raises if there are none. All of them where it is None.
        of_item: whether it takes other outputs of the item, so that all of them must be together.
        choose: finds them in a pool of texts, if they may be of any item.
    """

    find: Find
    among: Among | None = None
    of_item: bool = False
    choose: Choose | None = None

    @classmethod
    def pooled(cls, choose: Choose, among: Among) -> Source:
        """Choose from the outputs of all items that may serve."""

        def find(dataset: Dataset, allowed: Mask) -> Ragged:
            pool, texts = np.flatnonzero(allowed), dataset.outputs.text
            return listed(choose(texts, texts.take(pool)), pool)

        return cls(find, among, choose=choose)

    def functions(self) -> list[Callable[..., Any]]:
        """All that it calls."""
        return [function for function in (self.choose or self.find, self.among) if function is not None]


@dataclass(frozen=True, eq=False, repr=False)
class References(Configured):
    """A source of references with its parameters."""

    name: str
    params: dict[str, Any]
    source: Source
    origin: str = f"assay:{__version__}"

    @property
    def is_ours(self) -> bool:
        """Whether it comes with assay, so that its name says what it does."""
        modules = [getattr(function, "func", function).__module__ for function in self.source.functions()]
        return all(module.partition(".")[0] == "assay" for module in modules)

    def resolve(self, dataset: Dataset) -> Ragged:
        """The text numbers of each output's references."""
        systems = self.systems(dict(zip(dataset.systems.id, dataset.systems.human.tolist(), strict=True)))
        return self.source.find(dataset, outputs_of(dataset, systems))

    def systems(self, known: Mapping[str, bool]) -> Collection[str]:
        """The systems whose outputs may serve, of those of the data and whether each is human."""
        return self.source.among(known) if self.source.among is not None else known


class ReferenceFactory:
    """Decorator: a factory of reference sources, whose parameters become part of signatures."""

    def __init__(self, function: Callable[..., Source]) -> None:
        self.factory = Factory(function.__name__, function)
        update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> References:
        """Make a source of references."""
        params = self.factory.bind(args, kwargs)
        return References(self.factory.name, params, self.factory.function(**params))


@ReferenceFactory
def given() -> Source:
    """The references in the data: those of the item, and its other outputs that are marked `is_reference`."""

    def find(dataset: Dataset, _: Mask) -> Ragged:
        numbers = dataset.items.references.numbers.take(dataset.outputs.item)
        of_items = replace(numbers, values=numbers.values + len(dataset.outputs))
        marked = marked_outputs(dataset)
        return _joined(of_items, others_of_item(dataset, marked)) if marked.any() else of_items

    return Source(find)


def outputs_of(dataset: Dataset, systems: Collection[str]) -> Mask:
    """Whether each output is of one of these systems."""
    return np.array([name in systems for name in dataset.systems.id], np.bool_)[dataset.outputs.system]


def listed(places: NDArray[np.int64], numbers: NDArray[np.int64]) -> Ragged:
    """The text numbers at some places, row by row; a place of -1 is none."""
    found = places >= 0
    return Ragged(numbers[places[found]], running_offsets(found.sum(axis=1)))


def has_references(dataset: Dataset) -> bool:
    """Whether the data has any reference."""
    return len(dataset.items.references.texts) > 0 or bool(marked_outputs(dataset).any())


def marked_outputs(dataset: Dataset) -> Mask:
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


def others_of_item(dataset: Dataset, allowed: Mask) -> Ragged:
    """The allowed outputs of each output's item without the output itself; another one with the same text stays."""
    by_item = dataset.outputs_by_item
    same_item = _filtered(by_item, allowed[by_item.values]).take(dataset.outputs.item)
    return _filtered(same_item, same_item.values != same_item.row_of)


def _filtered(groups: Ragged, keep: Mask) -> Ragged:
    """Drop values, but no rows."""
    return Ragged(groups.values[keep], running_offsets(np.bincount(groups.row_of[keep], minlength=len(groups))))


def _joined(first: Ragged, second: Ragged) -> Ragged:
    """The values of both in each row, the first ones first."""
    rows = np.concatenate([first.row_of, second.row_of])
    values = np.concatenate([first.values, second.values])
    return Ragged(values[np.argsort(rows, kind="stable")], first.offsets + second.offsets)
