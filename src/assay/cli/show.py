"""Output of a command: tables or JSON on stdout, notes on stderr, figures and long tables in files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from assay.cli.options import json_option, print_json, say
from assay.part import FORMS, Part

F = TypeVar("F", bound=Callable[..., Any])

MOST_NOTES = 10

figures_option = click.option(
    "--figures", type=click.Path(path_type=Path), help="Write the figures as SVG files to this folder."
)


def result_options(command: F) -> F:
    """Add the options `form` and `as_json` of `show` to a command."""
    form = click.option(
        "--format", "form", type=click.Choice(FORMS), default="text", show_default=True, help="Output format."
    )
    return form(json_option(command))


def show(part: Part, form: str, as_json: bool, *, figures: Path | None = None) -> None:
    """Print a result; write its figures to a folder, if given."""
    if figures is not None:
        _write_figures(part, figures)
    if as_json:
        content = part.without_files().to_json()
        print_json(content.pop("headline", {}) | content)
    else:
        click.echo(part.render(form), nl=False)
    for note in part.notes[:MOST_NOTES]:
        say(note)
    if len(part.notes) > MOST_NOTES:
        say(f"... and {len(part.notes) - MOST_NOTES} more notes; --json has them all")


def write_table(part: Part, name: str, output: Path | None) -> None:
    """Write one table of a result to the file of `-o` (.csv or .jsonl), if given."""
    from assay.io.results import write_rows

    if output is not None:
        rows = part.table(name).records()
        write_rows(rows, output)
        say(f"wrote {len(rows)} rows to {output}")


def _write_figures(part: Part, folder: Path) -> None:
    from assay.io.results import make_folder, write_text

    make_folder(folder)
    for picture in part.pictures:
        write_text(picture.drawing.svg(picture.name), folder / f"{picture.name}.svg")
    say(f"wrote {len(part.pictures)} figures to {folder}")
