"""`assay giveaways`: what discriminators look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from assay.cli import options
from assay.cli.show import result_options, show

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("giveaways")
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
@click.option("--ngrams", type=options.count(2), default=20, show_default=True, help="N-grams to show.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals.")
@options.scoring_options
@options.seed_option
@options.workers_option
@options.no_cache_option
@result_options
def command(
    data: Given,
    evaluators: tuple[str, ...],
    ngrams: int,
    scoring: options.Scoring,
    confidence: float,
    seed: int,
    workers: int,
    no_cache: bool,
    form: str,
    as_json: bool,
) -> None:
    """Ask what discriminators look at, and whether it is quality.

    The n-grams that decide, the texts a discriminator is surest about, right and wrong; and controls: what length,
    casing, punctuation, digits and marks of preprocessing say alone, and what is left when they are hidden.

    \b
    assay giveaways reviews.jsonl
    assay giveaways reviews.jsonl -e xgboost --ngrams 40
    """
    from assay.analyses.discriminators.giveaways import giveaways
    from assay.io import load
    from assay.io.cache import ScoreCache

    dataset = load(data)
    arguments = scoring.arguments(dataset, evaluators)
    with options.progress("training") as progress:
        part = giveaways(
            dataset,
            evaluators,
            ngrams=ngrams,
            confidence=confidence,
            seed=seed,
            workers=workers,
            cache=None if no_cache else ScoreCache(),
            progress=progress,
            **arguments,
        )
    show(part, form, as_json)
