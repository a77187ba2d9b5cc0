"""`assay power`: how many units a study needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay.cli import options
from assay.cli.scores import Source
from assay.cli.show import result_options, show
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.records import Dataset
    from assay.scores import ScoreTable

DESIGNS = (
    *("superiority", "noninferiority", "equivalence", "paired", "winrate"),
    *("correlation", "correlations", "width", "pilot"),
)


@click.command("power")
@click.option(
    "--design",
    type=click.Choice(DESIGNS),
    help="A test of two proportions, of two on the same texts (paired), of wins against losses, of a correlation, of "
    "two correlations with one target, the width of a correlation's interval, or a pilot's difference.",
)
@click.option("--p", type=float, help="Expected share of the new system (proportions).")
@click.option("--p-reference", type=float, help="Expected share of the other system; by default the same.")
@click.option("--margin", type=float, help="Largest difference that does not matter (noninferiority, equivalence).")
@click.option("--ratio", type=float, default=1.0, show_default=True, help="Texts of the other system per text.")
@click.option("--pooled", is_flag=True, help="Take the variance under the null from the common share (superiority).")
@click.option("--discordant", type=float, help="Share of texts on which both differ (paired); by default by chance.")
@click.option("--wins", type=float, help="Expected share of comparisons that are won (winrate).")
@click.option("--ties", type=float, default=0.0, show_default=True, help="Expected share of ties (winrate).")
@click.option("--r", type=float, help="Expected correlation (correlation, correlations, width).")
@click.option("--r-other", type=float, help="Expected correlation of the other evaluator (correlations).")
@click.option("--r-between", type=float, help="Expected correlation of the two evaluators (correlations).")
@click.option("--r-null", type=float, default=0.0, show_default=True, help="Correlation under the null.")
@click.option("--width", type=float, help="Wanted width of the interval (width).")
@click.option(
    "--statistic",
    type=click.Choice(["pearson", "spearman", "kendall"]),
    default="pearson",
    show_default=True,
    help="The correlation whose interval is planned (width).",
)
@click.option(
    "--confidence",
    type=float,
    default=0.95,
    show_default=True,
    help="Confidence of the interval (width), and in the pilot's difference.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Type I error rate.")
@click.option("--sides", type=click.IntRange(1, 2), help="Sides of the test; by default 1 with a margin, else 2.")
@click.option("--power", type=float, default=0.8, show_default=True, help="Wanted power.")
@click.option("--n", type=options.count(1), help="Give the power of this many units instead.")
@click.option("--pilot", metavar="DATA", help="Simulate from this data: outputs, or a table of scores.")
@click.option("--systems", nargs=2, metavar="A B", help="The two systems of the pilot to compare.")
@click.option("-e", "--evaluator", metavar="NAME", help="The evaluator, or the column of a table, to compare them by.")
@click.option("--criterion", metavar="NAME", help="Compare them by human judgments, --annotators of them per text.")
@click.option("--effect", type=float, help="Plan for this difference; the pilot says how much items vary.")
@click.option(
    "--studies", type=options.count(1), default=400, show_default=True, help="Simulated studies per size (pilot)."
)
@click.option("--annotators", type=options.count(1), default=1, show_default=True, help="Annotators per text.")
@click.option(
    "--n-systems", type=options.count(1), default=2, show_default=True, help="Systems in the study, for its cost."
)
@click.option("--price", type=float, help="Price of one judgment.")
@options.scoring_options
@options.seed_option
@result_options
def command(pilot: str | None, scoring: options.Scoring, form: str, as_json: bool, **settings: Any) -> None:
    """How many units a study needs, and what it costs.

    By formula for proportions, win rates and correlations; by simulation, with --pilot, for any evaluator. A pilot
    knows its difference only so well: n is for the smallest one in its interval, and a power has the interval that
    follows.

    \b
    assay power --design noninferiority --p 0.9 --margin 0.10 --alpha 0.05 --power 0.8
    assay power --design width --r 0.5 --width 0.2
    assay power --pilot outputs.jsonl --systems ngram-t0.7 ngram-t1.3 -e bleu
    """
    from assay.analyses.power import power

    if settings["evaluator"] is None and scoring.of_learning:
        raise AssayError("--train, --folds and --leave-out are for an evaluator (-e) that learns. Leave them out.")
    data = None if pilot is None else _read(Source(pilot, settings["seed"], scoring=scoring), settings["evaluator"])
    show(power(pilot=data, **settings), form, as_json)


def _read(source: Source, evaluator: str | None) -> Dataset | ScoreTable:
    """The scores of the pilot where an evaluator is named, else its judgments."""
    from assay.io import load

    if evaluator is None:
        return load(source.data)
    table = source.score([evaluator], None if source.is_table else "output")
    for note in table.notes:
        options.say(note)
    return table
