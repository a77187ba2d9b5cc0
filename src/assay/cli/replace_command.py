"""`assay replace`: test whether a judge may replace a human annotator."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli import options
from assay.cli.scores import Source
from assay.cli.show import figures_option, result_options, show

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("replace")
@options.data_argument
@click.option("--judge", required=True, metavar="NAME", help="The judge: an annotator of the data, or an evaluator.")
@click.option(
    "--criterion",
    "criteria",
    multiple=True,
    metavar="NAME",
    help="A criterion; repeatable. Default: all that the judge answered, pooled and one by one.",
)
@click.option(
    "--ignore", multiple=True, metavar="NAME", help="An annotator to leave out, such as another judge; repeatable."
)
@click.option(
    "--epsilon",
    type=float,
    default=0.2,
    show_default=True,
    help="How much less often than a person the judge may be closer to the others.",
)
@click.option(
    "--score",
    metavar="NAME",
    help="Agreement with the other people: accuracy, neg_rmse, or an evaluator that compares two texts, such as chrf. "
    "Default: neg_rmse for numbers, accuracy for labels.",
)
@click.option("--q", type=float, default=0.05, show_default=True, help="False discovery rate over people.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the interval.")
@options.scoring_options
@options.seed_option
@figures_option
@result_options
def command(
    data: Given,
    judge: str,
    criteria: tuple[str, ...],
    scoring: options.Scoring,
    seed: int,
    figures: Path | None,
    form: str,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Test whether a judge may replace a human annotator (Calderon, Reichart and Dror 2025).

    Each person is left out in turn: does the judge agree with the others as well as that person does, up to epsilon?
    A judge that beats half of the people passes, by the published rule and by one that takes answers about one item as
    one observation. Instances need answers of 2 people, people 30 instances.

    \b
    assay replace outputs.jsonl --judge gpt-x --criterion typicality --ignore gpt-y
    assay replace outputs.jsonl --judge "neighbors(criterion='typicality')" --criterion typicality
    assay replace data:replace/wax --judge gpt-4o --epsilon 0.1 --json
    """
    from assay.analyses.replace import replace

    source = Source(data, seed, scoring=scoring)
    show(replace(source, judge, criteria, seed=seed, **chosen), form, as_json, figures=figures)
