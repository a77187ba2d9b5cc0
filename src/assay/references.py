"""Where the references of an output come from: given with its item, or found among other texts.

A source answers with text numbers: number t is the text of output t while t < len(outputs), and reference
t - len(outputs) of the items table after that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import update_wrapper
from typing import Any

from assay import __version__
from assay.factory import Configured, Factory
from assay.kernels.ragged import Ragged
from assay.records import Dataset

Resolve = Callable[[Dataset], Ragged]


@dataclass(frozen=True, eq=False, repr=False)
class References(Configured):
    """A source of references: `resolve(dataset)` lists text numbers for each output."""

    name: str
    params: dict[str, Any]
    resolve: Resolve
    origin: str = f"assay:{__version__}"


class ReferenceFactory:
    """A decorated function that makes a source of references."""

    def __init__(self, function: Callable[..., Resolve]) -> None:
        self.factory = Factory(function.__name__, function)
        update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> References:
        """Make a source of references."""
        params = self.factory.bind(args, kwargs)
        return References(self.factory.name, params, self.factory.function(**params))


def reference_source(function: Callable[..., Resolve]) -> ReferenceFactory:
    """Decorate a factory of reference sources; its parameters become part of signatures."""
    return ReferenceFactory(function)


@reference_source
def given() -> Resolve:
    """The references that the data gives with each item."""

    def resolve(dataset: Dataset) -> Ragged:
        numbers = dataset.items.references.numbers.take(dataset.outputs.item)
        return replace(numbers, values=numbers.values + len(dataset.outputs))

    return resolve
