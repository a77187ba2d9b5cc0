"""`assay reproduce`: the papers' tables beside ours."""

from __future__ import annotations

from dataclasses import asdict

import click

from assay.cli import options


@click.command("reproduce")
@click.argument("papers", nargs=-1, required=True)
@options.json_option
def command(papers: tuple[str, ...], as_json: bool) -> None:
    """Measure published numbers again and print them beside the papers': huse, neighbors, judges, diversity, all.

    Needs the public data sets (`assay data list`). A number that differs says why.

    \b
    assay reproduce all
    assay reproduce neighbors --json
    """
    from assay.report.table import text_table
    from assay.reproduce import reproduce

    cells = reproduce(papers)
    if as_json:
        options.print_json({"cells": [asdict(cell) for cell in cells]})
        return
    rows = [
        [c.paper, c.table, c.row, c.column, c.paper_value, c.measured, "ok" if c.ok else "differs", c.note]
        for c in cells
    ]
    click.echo(text_table(["paper", "table", "row", "column", "published", "measured", "", "note"], rows))
    options.say(f"{sum(cell.ok for cell in cells)} of {len(cells)} published numbers are met")
