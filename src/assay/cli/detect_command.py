"""`assay detect`: how well people tell human-written texts from generated ones."""

from __future__ import annotations

import click

from assay.cli import options
from assay.cli.show import result_options, show


@click.command("detect")
@options.data_argument
@click.option(
    "--criterion", metavar="NAME", help="The criterion of the votes. Default: the one that asks for authorship."
)
@click.option(
    "--votes",
    type=options.count(1),
    help="A majority is of exactly so many votes. Default: the most frequent number.",
)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals.")
@result_options
def command(data: str, criterion: str | None, votes: int | None, confidence: float, form: str, as_json: bool) -> None:
    """How well people tell human-written texts from generated ones.

    Accuracy, TPR and TNR of single votes (H1) and of majorities (H2), over all texts and for each generator, with
    intervals over annotators and pages (a column `page` of the outputs, else items), and the reasons that comments
    give. Votes are 1 for human-written and 0 for generated.

    \b
    assay detect data:judges/reviews
    assay detect reviews.jsonl --criterion real --votes 5 --json
    """
    from assay.analyses.detect import detect
    from assay.io import load

    show(detect(load(data), criterion, votes=votes or "modal", confidence=confidence), form, as_json)
