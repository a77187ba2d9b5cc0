"""`assay power`: sample size of a study."""

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
    help="A test of two proportions, of paired proportions, of wins against losses, of a correlation, of two "
    "correlations with one target; the width of a correlation's interval; or a pilot's difference.",
)
@click.option("--p", type=float, help="Expected proportion of the new system.")
@click.option("--p-reference", type=float, help="Expected proportion of the other system. Default: the same.")
@click.option("--margin", type=float, help="Largest negligible difference (noninferiority, equivalence).")
@click.option(
    "--ratio",
    type=float,
    default=1.0,
    show_default=True,
    help="Sample size of the other system relative to the new one.",
)
@click.option("--pooled", is_flag=True, help="Use the pooled variance under the null (superiority).")
@click.option("--discordant", type=float, help="Proportion of discordant pairs (paired). Default: as by chance.")
@click.option("--wins", type=float, help="Expected win rate (winrate).")
@click.option("--ties", type=float, default=0.0, show_default=True, help="Expected tie rate (winrate).")
@click.option("--r", type=float, help="Expected correlation (correlation, correlations, width).")
@click.option("--r-other", type=float, help="Expected correlation of the other evaluator (correlations).")
@click.option("--r-between", type=float, help="Expected correlation between the two evaluators (correlations).")
@click.option("--r-null", type=float, default=0.0, show_default=True, help="Correlation under the null.")
@click.option("--width", type=float, help="Target width of the interval (width).")
@click.option(
    "--statistic",
    type=click.Choice(["pearson", "spearman", "kendall"]),
    default="pearson",
    show_default=True,
    help="The correlation to plan for (width).",
)
@click.option(
    "--confidence",
    type=float,
    default=0.95,
    show_default=True,
    help="Confidence of the interval (width), and of the pilot's difference.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Type I error rate.")
@click.option("--sides", type=click.IntRange(1, 2), help="Sides of the test. Default: 1 with a margin, else 2.")
@click.option("--power", type=float, default=0.8, show_default=True, help="Target power.")
@click.option("--n", type=options.count(1), help="Compute the power at this sample size instead.")
@click.option("--pilot", metavar="DATA", help="Simulate from this data: outputs or a score table.")
@click.option("--systems", nargs=2, metavar="A B", help="The two systems to compare (pilot).")
@click.option(
    "-e", "--evaluator", metavar="NAME", help="The evaluator or score-table column to compare them by (pilot)."
)
@click.option("--criterion", metavar="NAME", help="Compare them by human judgments, --annotators per text (pilot).")
@click.option("--effect", type=float, help="Plan for this difference; the pilot supplies the variance.")
@click.option(
    "--studies",
    type=options.count(1),
    default=400,
    show_default=True,
    help="Simulated studies per sample size (pilot).",
)
@click.option("--annotators", type=options.count(1), default=1, show_default=True, help="Annotators per text.")
@click.option(
    "--n-systems", type=options.count(1), default=2, show_default=True, help="Systems in the study, for the cost."
)
@click.option("--price", type=float, help="Price of one judgment.")
@options.scoring_options
@options.seed_option
@result_options
def command(pilot: str | None, scoring: options.Scoring, form: str, as_json: bool, **settings: Any) -> None:
    """Compute the sample size and cost of a study.

    By formula for proportions, win rates and correlations; by simulation, with --pilot, for any evaluator. A pilot's
    difference is uncertain: n is for the smallest difference in its interval, and power comes with the interval that
    follows.

    \b
    assay power --design noninferiority --p 0.9 --margin 0.10 --alpha 0.05 --power 0.8
    assay power --design width --r 0.5 --width 0.2
    assay power --pilot outputs.jsonl --systems ngram-t0.7 ngram-t1.3 -e bleu
    """
    from assay.analyses.power import power

    if settings["evaluator"] is None and scoring.in_use():
        raise AssayError(f"{scoring.in_use()}: only for an evaluator (-e). Leave it out.")
    data = None if pilot is None else _read(Source(pilot, settings["seed"], scoring=scoring), settings["evaluator"])
    show(power(pilot=data, **settings), form, as_json)


def _read(source: Source, evaluator: str | None) -> Dataset | ScoreTable:
    """Return the pilot's scores if an evaluator is named, else its judgments."""
    from assay.io import load

    if evaluator is None:
        return load(source.data)
    table = source.score([evaluator], None if source.is_table else "output")
    for note in table.notes:
        options.say(note)
    return table
