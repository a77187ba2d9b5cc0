"""`assay probe`: damaged texts, and biases of judges."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli import options
from assay.cli.show import figures_option, result_options, show

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("probe")
@options.data_argument
@click.option(
    "--judge",
    "judges",
    multiple=True,
    required=True,
    metavar="NAME",
    help="An evaluator, or an annotator of the data; repeatable.",
)
@click.option(
    "--criterion",
    metavar="NAME",
    help="Look for biases in the answers to this criterion. Default: the only one that the annotators among the "
    "judges answered.",
)
@click.option(
    "--perturbation",
    "perturbations",
    multiple=True,
    metavar="NAME",
    help="A way to damage texts; repeatable. Default: all that apply.",
)
@click.option(
    "--texts", "n_texts", type=options.count(1), default=200, show_default=True, help="Maximum number of texts damaged."
)
@click.option("--own", multiple=True, metavar="SYSTEM", help="A system of the judge's own family; repeatable.")
@click.option("--ignore", multiple=True, metavar="NAME", help="An annotator who is no person; repeatable.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals.")
@options.scoring_options
@options.seed_option
@figures_option
@result_options
def command(
    data: Given,
    judges: tuple[str, ...],
    perturbations: tuple[str, ...],
    scoring: options.Scoring,
    figures: Path | None,
    form: str,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Probe judges: does damage to a text go unnoticed, and which way do answers lean?

    Texts are truncated, repeated, shuffled, negated, padded, flattered and more, and scored again: how often does an
    evaluator prefer the damaged text? With --criterion, the answers of annotators and the scores of evaluators are
    compared with people's: length, self-preference (--own), position, test-retest, use of the scale. The chance of any
    false alarm is 5%.

    \b
    assay probe outputs.jsonl --judge bleu --judge chrf
    assay probe outputs.jsonl --judge gpt-x --criterion typicality --own gpt-x-chat
    """
    from assay.analyses.judges import evaluators_among
    from assay.analyses.probe import NAMES, probe
    from assay.io import load

    dataset = load(data)
    arguments = scoring.arguments(dataset, evaluators_among(dataset, judges))
    part = probe(dataset, judges, perturbations=perturbations or NAMES, **chosen, **arguments)
    show(part, form, as_json, figures=figures)
