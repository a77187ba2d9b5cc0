"""`assay reproduce`: the papers' tables beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli import options
from assay.cli.show import figures_option, show

if TYPE_CHECKING:
    from assay.reproduce import Cell


@click.command("reproduce")
@click.argument("papers", nargs=-1, required=True)
@click.option("--listeners", metavar="FOLDER", help="For colors: the folder with, or for, the two fitted listeners.")
@click.option("--neural", is_flag=True, help="For judges: also networks and sentence embeddings.")
@figures_option
@options.no_cache_option
@options.json_option
def command(
    papers: tuple[str, ...], listeners: str | None, neural: bool, figures: Path | None, no_cache: bool, as_json: bool
) -> None:
    """Reproduce published numbers and print them beside the originals.

    Papers: huse, neighbors, judges, diversity, communication, all. Needs the public datasets (`assay data list`). A
    number that differs has a note with the cause, measured or conjectured.

    judges trains discriminators and keeps their scores: a minute the first time; with --neural, ten.

    colors, by itself, is the whole study behind communication: the first time it trains two listeners, which takes a
    few minutes.

    \b
    assay reproduce all
    assay reproduce neighbors --json
    assay reproduce judges --neural
    assay reproduce colors --figures figures
    """
    from assay.io.cache import ScoreCache
    from assay.part.text import text_table
    from assay.reproduce import reproduce
    from assay.reproduce.cells import summary

    if "colors" in papers:
        if len(papers) > 1:
            raise click.UsageError("colors is a study of its own: reproduce it alone, and the other papers after it.")
        if neural:
            raise click.UsageError("--neural is for judges.")
        _show_colors(listeners, figures, as_json)
        return
    if listeners or figures:
        raise click.UsageError("--listeners and --figures are for colors.")
    if neural and not {"judges", "all"} & set(papers):
        raise click.UsageError("--neural is for judges.")
    cells = reproduce(papers, neural=neural, cache=None if no_cache else ScoreCache())
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


def _show_colors(listeners: str | None, figures: Path | None, as_json: bool) -> None:
    from assay.progress import reporting
    from assay.reproduce.color_study import colors

    with options.progress("training listeners") as progress, reporting(progress):
        part = colors(listeners)
    show(part, "text", as_json, figures=figures)


def _verdict(cell: Cell) -> str:
    if not cell.printed:
        return "no printed value at hand"
    return "equal" if cell.equal else f"differs by {cell.distance:.2g} ({cell.cause})"
