"""Options and printing that the tests of diversity metrics share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli import options

if TYPE_CHECKING:
    from assay.metaeval.sets.clustered import Difference
    from assay.metaeval.sets.contest import ContestRow
    from assay.metaeval.sets.dectest import DecTestRow
    from assay.metaeval.sets.ranking_pairs import RankingRow
    from assay.plot import Figure

resamples_option = click.option(
    "--resamples",
    type=options.count(),
    default=1000,
    show_default=True,
    help="Draws behind the interval of OCA; the others leave out each context in turn. 0 leaves all of them out.",
)
figures_option = click.option(
    "--figures", type=click.Path(path_type=Path), help="Write the figures as SVG files into this folder."
)
label_option = click.option(
    "--label", default="label_value", show_default=True, help="The column of the sets with two classes."
)
high_option = click.option(
    "--high", metavar="VALUE", help="Which value of the label is high diversity; default the larger number."
)


def write_figures(folder: Path, figures: Mapping[str, Figure]) -> None:
    """Write each figure as an SVG file."""
    from assay.io.results import make_folder, write_text

    make_folder(folder)
    for name, figure in figures.items():
        write_text(figure.svg(name), folder / f"{name}.svg")
    options.say(f"wrote {len(figures)} figures to {folder}")


def say_reasons(rows: Sequence[ContestRow | DecTestRow]) -> None:
    """Tell on stderr why intervals are missing."""
    for row in rows:
        if row.reason:
            options.say(f"{row.evaluator}: no interval: {row.reason}")


def print_differences(comparisons: Sequence[Difference]) -> None:
    """Print which metrics differ, where there is more than one."""
    from assay.part import Cell
    from assay.part.text import text_table

    if comparisons:
        header = ["left", "right", "rho left - right", "low", "high", "p", "p (Holm)", "sets"]
        rows: list[list[Cell]] = [
            [d.left, d.right, d.difference, d.low, d.high, d.p_value, d.p_holm, d.n] for d in comparisons
        ]
        click.echo("\n" + text_table(header, rows))


def print_ranking(rows: Sequence[RankingRow]) -> None:
    """Print how metrics order pairs of sets, where that was asked for."""
    from assay.part import Cell
    from assay.part.text import text_table

    if rows:
        header = ["evaluator", "rho of differences", "accuracy", "low", "high", "pairs"]
        cells: list[list[Cell]] = [[r.evaluator, r.rho, r.accuracy, r.low, r.high, r.n_pairs] for r in rows]
        click.echo("\n" + text_table(header, cells))
