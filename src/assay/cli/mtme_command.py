"""`assay mtme`: convert score tables to and from mt-metrics-eval files."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli import options


@click.command("mtme")
@click.argument("scores", metavar="SCORES")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    help="A score table (.csv, .tsv, .json or .parquet), or the test-set folder to write.",
)
@click.option("--pair", help="Language pair (or other name) of the files to write.")
@click.option("--human", multiple=True, metavar="COLUMN", help="A column of human scores; repeatable.")
@click.option(
    "--reference",
    default="all",
    show_default=True,
    help="References of metrics whose name does not tell: names joined by dots, src for none, all for all.",
)
@click.option(
    "--level",
    type=click.Choice(["seg", "sys"]),
    default="seg",
    show_default=True,
    help="Level to read from a folder.",
)
def command(scores: str, output: Path, pair: str | None, human: tuple[str, ...], reference: str, level: str) -> None:
    """Convert a score table to mt-metrics-eval score files, or the other way round.

    A folder to read is SET/metric-scores/PAIR; the human scores of the pair are read too. `assay meta` and `assay
    compare` read such a folder directly.

    \b
    assay mtme scores.csv -o my-set --pair en-de --human quality
    assay mtme my-set/metric-scores/en-de -o scores.csv
    """
    from assay.analyses.mtme import mtme

    for note in mtme(scores, output, pair=pair, human=human, reference=reference, level=level):
        options.say(note)
