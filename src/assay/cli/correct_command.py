"""`assay correct`: human means from few labels and a judge on everything."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli import options
from assay.cli.scores import Source
from assay.cli.show import figures_option, result_options, show

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("correct")
@options.data_argument
@click.option(
    "--criterion", metavar="NAME", help="The criterion that people answered for some outputs. Default: the only one."
)
@click.option(
    "--judge",
    "judges",
    multiple=True,
    required=True,
    metavar="NAME",
    help="An annotator of the data, or an evaluator; repeatable: several are joined by a cross-fitted regression.",
)
@click.option("--answer", metavar="LABEL", help="Estimate the share of this answer instead of the mean.")
@click.option("--ignore", multiple=True, metavar="NAME", help="An annotator who is no person; repeatable.")
@click.option(
    "--population",
    type=click.Choice(["these", "new"]),
    default="these",
    show_default=True,
    help="What the intervals are about: these outputs, or new outputs of the same systems.",
)
@click.option("--strata", metavar="COLUMN", help="The column of outputs by whose values the labels are stratified.")
@click.option(
    "--probability", metavar="COLUMN", help="The column with the probability that an output was chosen for labeling."
)
@click.option(
    "--draws",
    type=options.count(),
    default=500,
    show_default=True,
    help="Halves of the labels on which the method is tried; 0 for none.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Significance level of ranks.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals.")
@options.scoring_options
@options.seed_option
@figures_option
@result_options
def command(
    data: Given,
    criterion: str | None,
    judges: tuple[str, ...],
    scoring: options.Scoring,
    seed: int,
    figures: Path | None,
    form: str,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Estimate what people would say of each system, from few human labels and a judge on all outputs.

    Prediction-powered inference (PPI++): the mean of the judge on everything, corrected by its errors on what people
    labeled. Valid however bad the judge is; the better it is, the narrower the intervals. Means, differences, ranks
    and, for a criterion that compares two outputs, win rates.

    \b
    assay correct outputs.jsonl --criterion typicality --judge "neighbors(criterion='typicality')" --judge bleu
    assay correct data:replace/cebab_stars --criterion stars --judge gpt-4o
    """
    from assay.analyses.correct import correct

    source = Source(data, seed, scoring=scoring)
    show(correct(source, criterion, judges, seed=seed, **chosen), form, as_json, figures=figures)
