"""`assay reproduce`: the papers' tables beside ours."""

from __future__ import annotations

import click

from assay.cli import options


@click.command("reproduce")
@click.argument("papers", nargs=-1, required=True)
@options.json_option
def command(papers: tuple[str, ...], as_json: bool) -> None:
    """Measure published numbers again and print them beside the papers': huse, neighbors, judges, diversity, all.

    Needs the public data sets (`assay data list`). A number that differs has a note.

    \b
    assay reproduce all
    assay reproduce neighbors --json
    """
    from assay.report.table import text_table
    from assay.reproduce import reproduce

    cells = reproduce(papers)
    if as_json:
        options.print_json({"cells": [cell.as_json() for cell in cells]})
        return
    rows = [
        [c.paper, c.table, c.row, c.column, c.printed, c.measured, "ok" if c.ok else "differs", c.note] for c in cells
    ]
    click.echo(text_table(["paper", "table", "row", "column", "published", "measured", "", "note"], rows))
    met, equal = sum(cell.ok for cell in cells), sum(cell.equal for cell in cells)
    options.say(f"{met} of {len(cells)} published numbers are met, {equal} are equal as printed")
