"""`assay adversaries`: pooled, individual and unseen-generator discriminators side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli import options
from assay.cli.show import figures_option, result_options, show

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("adversaries")
@options.data_argument
@click.option(
    "-e",
    "--evaluator",
    "evaluators",
    multiple=True,
    default=("nb",),
    show_default=True,
    metavar="NAME",
    help="A discriminator; repeatable.",
)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals.")
@options.scoring_options
@options.seed_option
@options.workers_option
@options.no_cache_option
@figures_option
@result_options
def command(
    data: Given,
    evaluators: tuple[str, ...],
    scoring: options.Scoring,
    confidence: float,
    seed: int,
    workers: int,
    no_cache: bool,
    form: str,
    as_json: bool,
    figures: Path | None,
) -> None:
    """Ask how much a discriminator knows of a generator it has never met.

    Every generator is judged by a discriminator trained on all generators (pooled), on this one alone (individual) and
    on all but this one (unseen). No text is judged by a model that was trained on it.

    \b
    assay adversaries reviews.jsonl
    assay adversaries reviews.jsonl -e nb -e xgboost --figures figures
    """
    from assay.analyses.discriminators.adversaries import adversaries
    from assay.io import load
    from assay.io.cache import ScoreCache

    dataset = load(data)
    arguments = scoring.arguments(dataset, evaluators)
    with options.progress("training") as progress:
        part = adversaries(
            dataset,
            evaluators,
            confidence=confidence,
            seed=seed,
            workers=workers,
            cache=None if no_cache else ScoreCache(),
            progress=progress,
            **arguments,
        )
    show(part, form, as_json, figures=figures)
