"""Sources of references: given with the item, or found among other texts.

A source returns text numbers: t is the text of output t while t < len(outputs), else reference t - len(outputs) of
the items table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial, update_wrapper
from typing import Any

from assay import __version__
from assay.factory import Configured, Factory
from assay.kernels.ragged import Ragged
from assay.records import Dataset

Resolve = Callable[[Dataset], Ragged]


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
    """The references in the data."""

    def resolve(dataset: Dataset) -> Ragged:
        numbers = dataset.items.references.numbers.take(dataset.outputs.item)
        return replace(numbers, values=numbers.values + len(dataset.outputs))

    return resolve
