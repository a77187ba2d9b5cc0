"""Shell completion: files and datasets, evaluators and their parameters, systems and criteria of the data.

A completion must be quick and never fail: whatever goes wrong, nothing is proposed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from assay.records import Dataset

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _quiet(complete: Callable[[click.Context, click.Parameter, str], Iterable[CompletionItem]]) -> Complete:
    @wraps(complete)
    def proposals(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        try:
            return list(complete(context, parameter, incomplete))
        except Exception:  # a traceback in the middle of a command line helps nobody
            return []

    return proposals


@_quiet
def data(context: click.Context, parameter: click.Parameter, incomplete: str) -> Iterable[CompletionItem]:
    """Files, and the datasets of the catalogue after `data:`."""
    from assay.io.catalogue import PREFIX, entries

    if incomplete.startswith(PREFIX):
        return _starting([PREFIX + name for name in entries()], incomplete)
    return [CompletionItem(incomplete, type="file")]


@_quiet
def evaluators(context: click.Context, parameter: click.Parameter, incomplete: str) -> Iterable[CompletionItem]:
    """Names of evaluators or, after a parenthesis, their parameters; with data, its columns and criteria too."""
    from assay.registry import factory, names

    name, opened, inside = incomplete.rpartition("(")
    if not opened:
        calls = [f"human(criterion={criterion!r})" for criterion in _of_data(context, _criteria)]
        return [
            *[
                CompletionItem(known, help=factory(known).description)
                for known in names()
                if known.startswith(incomplete)
            ],
            *_starting(calls, incomplete),
        ]
    given, comma, last = inside.rpartition(",")
    start = f"{name}({given}{comma}" + (" " if comma else "")
    parameters = factory(name.rpartition("(")[2].strip()).factory.parameters
    return _starting([f"{start}{key}=" for key in parameters], f"{start}{last.strip()}")


@_quiet
def systems(context: click.Context, parameter: click.Parameter, incomplete: str) -> Iterable[CompletionItem]:
    """Systems of the data."""
    return _starting(_of_data(context, lambda dataset: dataset.systems.id.to_list()), incomplete)


@_quiet
def criteria(context: click.Context, parameter: click.Parameter, incomplete: str) -> Iterable[CompletionItem]:
    """Criteria of the data."""
    return _starting(_of_data(context, _criteria), incomplete)


def _criteria(dataset: Dataset) -> Sequence[str]:
    return dataset.judgments.criteria.to_list()


def _of_data(context: click.Context, names: Callable[[Dataset], Sequence[str]]) -> Sequence[str]:
    """Names in the data on the command line; none without data."""
    from assay.io.files import Given

    # While an option still lacks its value, click has not taken the arguments yet.
    paths: Any = context.params.get("data") or context.args
    if not paths:
        return []
    return names(Given((paths,) if isinstance(paths, str) else tuple(paths), context.params.get("mapping")).load())


def _starting(known: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in known if name.startswith(incomplete)]
