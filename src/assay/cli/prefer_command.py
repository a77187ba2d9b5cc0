"""`assay prefer`: rank systems by pairwise preferences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay.cli import options
from assay.cli.scores import Source
from assay.cli.several import several
from assay.cli.show import result_options, show
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("prefer")
@options.data_argument
@click.option(
    "--criterion", metavar="NAME", help="The criterion whose judgments compare two units. Default: the only one."
)
@click.option(
    "-e",
    "--evaluator",
    metavar="NAME",
    help="Use the preferences of this evaluator between outputs of two systems for one item instead.",
)
@click.option(
    "--prior-wins",
    type=float,
    default=0.0,
    show_default=True,
    help="Pseudo-wins added both ways to each pair, for systems that won or lost every comparison.",
)
@click.option(
    "--intervals",
    type=click.Choice(["clustered", "bootstrap", "information"]),
    default="clustered",
    show_default=True,
    help="Intervals and p: cluster-robust, by formula or bootstrap; or for independent judgments (information).",
)
@several(
    "--resample",
    "over",
    type=click.Choice(["items", "annotators"]),
    help="The clusters: items, annotators or both. Default: those with several judgments.",
)
@click.option("--resamples", type=options.count(2), default=1000, show_default=True, help="Number of resamples.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals.")
@options.scoring_options
@options.seed_option
@result_options
def command(
    data: Given,
    criterion: str | None,
    scoring: options.Scoring,
    seed: int,
    form: str,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Rank systems by pairwise preferences: the Bradley-Terry model, with Davidson's ties.

    A judgment about a pair names the other unit in `other`; its value is 1 (the unit is preferred), -1 (the other) or
    0 (neither), or a label such as first, second, tie. p is Holm-adjusted, and a system's rank interval goes from 1 +
    the number of significantly better systems to the number of systems - the number of significantly worse ones.

    With -e an evaluator compares all pairs of outputs of two systems for one item (at most 1,000 per item): a pairwise
    judge by its score of the matchup, any other evaluator by which output it scores better.

    \b
    assay prefer comparisons.jsonl
    assay prefer comparisons.jsonl --criterion better --intervals bootstrap --resample annotators
    assay prefer outputs.jsonl -e chrf
    """
    from assay.analyses.prefer import prefer

    if chosen["evaluator"] is None and scoring.in_use():
        raise AssayError(f"{scoring.in_use()}: only for an evaluator (-e). Leave it out.")
    show(prefer(Source(data, seed, scoring=scoring), criterion, seed=seed, **chosen), form, as_json)
