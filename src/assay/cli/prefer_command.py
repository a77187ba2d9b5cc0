"""`assay prefer`: rank systems by pairwise preferences."""

from __future__ import annotations

from typing import Any

import click

from assay.cli import options
from assay.cli.scores import Source
from assay.cli.several import several
from assay.cli.show import result_options, show
from assay.errors import AssayError


@click.command("prefer")
@options.data_argument
@click.option("--criterion", metavar="NAME", help="The criterion whose judgments compare two units.")
@click.option(
    "-e",
    "--evaluator",
    metavar="NAME",
    help="An evaluator instead, by name or call: its preferences between outputs of two systems for one item.",
)
@click.option(
    "--prior-wins",
    type=float,
    default=0.0,
    show_default=True,
    help="Wins to add both ways to each pair of systems, for systems that won or lost every comparison.",
)
@click.option(
    "--intervals",
    type=click.Choice(["clustered", "bootstrap", "information"]),
    default="clustered",
    show_default=True,
    help="Intervals and p for clusters of judgments, by formula or by resampling them; or as if judgments were "
    "independent (information).",
)
@several(
    "--resample",
    "over",
    type=click.Choice(["items", "annotators"]),
    help="The clusters: items, annotators or both; by default those that gave several judgments.",
)
@click.option("--resamples", type=options.count(2), default=1000, show_default=True, help="Number of resamples.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals.")
@options.scoring_options
@options.seed_option
@result_options
def command(
    data: str,
    criterion: str | None,
    scoring: options.Scoring,
    seed: int,
    form: str,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Rank systems by pairwise preferences: Bradley and Terry's model, ties as in Davidson's.

    A judgment about a pair names the other unit in `other`; its value is 1 (the unit is preferred), -1 (the other) or
    0 (neither), or a label such as first, second, tie. p is adjusted for the number of pairs (Holm), and the rank of a
    system goes from 1 + those surely better to the number of systems - those surely worse.

    With -e an evaluator compares every two outputs of two systems for one item (at most 1,000 of an item): one that
    judges matchups by its score of the two, any other by which of them it scores better.

    \b
    assay prefer comparisons.jsonl --criterion better
    assay prefer comparisons.jsonl --criterion better --intervals bootstrap --resample annotators
    assay prefer outputs.jsonl -e chrf
    """
    from assay.analyses.prefer import prefer

    if chosen["evaluator"] is None and scoring.of_learning:
        raise AssayError(f"{scoring.of_learning} is for an evaluator (-e) that learns. Leave it out.")
    show(prefer(Source(data, seed, scoring=scoring), criterion, seed=seed, **chosen), form, as_json)
