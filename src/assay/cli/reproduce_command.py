"""`assay reproduce`: the papers' tables beside ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from assay.cli import options

if TYPE_CHECKING:
    from assay.reproduce import Cell


@click.command("reproduce")
@click.argument("papers", nargs=-1, required=True)
@options.json_option
def command(papers: tuple[str, ...], as_json: bool) -> None:
    """Reproduce published numbers and print them beside the originals.

    Papers: huse, neighbors, judges, diversity, communication, all. Needs the public datasets (`assay data list`). A
    number that differs has a note with the cause, measured or conjectured.

    \b
    assay reproduce all
    assay reproduce neighbors --json
    """
    from assay.part.text import text_table
    from assay.reproduce import reproduce
    from assay.reproduce.cells import summary

    cells = reproduce(papers)
    if as_json:
        options.print_json({"cells": [cell.as_json() for cell in cells]})
        return
    rows: list[list[str | float]] = [
        [c.paper, c.table, c.row, c.column, c.printed or "-", c.measured, c.interval, _verdict(c), c.note]
        for c in cells
    ]
    click.echo(
        text_table(["paper", "table", "row", "column", "published", "measured", "95% interval", "", "note"], rows)
    )
    options.say(summary(cells))


def _verdict(cell: Cell) -> str:
    if not cell.printed:
        return "no printed value at hand"
    return "equal" if cell.equal else f"differs by {cell.distance:.2g} ({cell.cause})"
