"""Options and small things that several commands share."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from assay.scores import ScoreTable

F = TypeVar("F", bound=Callable[..., Any])

data_argument = click.argument("data", metavar="DATA")
evaluator_option = click.option(
    "-e",
    "--evaluator",
    "evaluators",
    multiple=True,
    required=True,
    metavar="NAME",
    help='An evaluator by name or call, such as bleu or "bleu(max_order=2)"; give -e once for each.',
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
seed_option = click.option("--seed", type=int, default=0, show_default=True, help="Seed of everything random.")
unit_option = click.option(
    "--unit",
    type=click.Choice(["output", "pair", "set", "system"]),
    help="What one score is about; by default the coarsest unit that is needed.",
)
workers_option = click.option(
    "--workers", type=click.IntRange(1), default=1, show_default=True, help="Threads; results do not depend on it."
)
no_cache_option = click.option("--no-cache", is_flag=True, help="Neither read nor keep scores of earlier runs.")


def output_option(endings: str) -> Callable[[F], F]:
    """Give a command that writes one file its option -o."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path),
        help=f"Write to this file ({endings}); it appears whole or not at all.",
    )


def print_json(value: Any) -> None:
    """Print JSON on stdout; NaN, which JSON does not know, is null, and infinities are texts."""
    from assay.io.results import plain_json

    click.echo(json.dumps(plain_json(value), ensure_ascii=False, indent=2, allow_nan=False))


def say(text: str) -> None:
    """Talk to the user on stderr; stdout is for data."""
    click.echo(text, err=True)


def say_notes(table: ScoreTable) -> None:
    """Tell on stderr what a reader of the scores should know, and why some are missing."""
    for note in table.notes:
        say(note)
    for name, column in table.columns.items():
        if column.n_missing:
            reasons = ", ".join(f"{reason}: {n}" for reason, n in column.gaps.counts().items())
            say(f"{name}: {column.n_missing} of {len(column)} {table.kind}s have no score ({reasons})")


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on a terminal and nothing in a pipe."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    bar: Any
    with click.progressbar(length=1, label=label, file=sys.stderr) as bar:

        def report(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        yield report
