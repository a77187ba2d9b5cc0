"""`assay communicate`: do listeners recover what was meant?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from assay.cli import options
from assay.cli.show import figures_option, result_options, show


@click.command("communicate")
@options.data_argument
@click.option(
    "-e",
    "--evaluator",
    "listeners",
    multiple=True,
    default=("text_listener",),
    show_default=True,
    metavar="NAME",
    help="A listener by name or call; repeatable.",
)
@click.option(
    "--distractors",
    type=click.Choice(["sampled", "nearest", "mixed"]),
    help="Hide contexts among those of other items by this rule. Default: the choices in the data, else sampled.",
)
@click.option(
    "--choices",
    "n_choices",
    type=options.count(2),
    multiple=True,
    help="Number of choices of games made from contexts; repeatable. Default: 5.",
)
@click.option(
    "--by",
    metavar="NAME",
    help="A decoding parameter or numeric column to show accuracy by. Default: temperature, if the data has one.",
)
@click.option(
    "--fluency",
    metavar="NAME",
    help="An evaluator of fluency to show beside. Default: perplexity, if the data has log-probabilities.",
)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals.")
@options.scoring_options
@figures_option
@options.seed_option
@options.workers_option
@result_options
def command(
    data: str,
    listeners: tuple[str, ...],
    scoring: options.Scoring,
    figures: Path | None,
    form: str,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Measure how often a listener picks what was meant, and what it is blind to.

    Shows accuracy by number of choices, difficulty (how similar the nearest distractor is), parameter and system,
    calibration, what is taken for what, and how far scores fall when the words of every output are shuffled. Data
    without choices works too: the context of each item is hidden among contexts of other items.

    \b
    assay communicate outputs.jsonl
    assay communicate outputs.jsonl -e "text_listener(reader='minilm')" --distractors nearest --choices 5 --choices 10
    """
    from assay.analyses.communicate.part import communicate
    from assay.io import load
    from assay.io.cache import ScoreCache

    dataset = load(data)
    scored = [*listeners, chosen["fluency"]] if chosen["fluency"] else listeners
    part = communicate(dataset, listeners, **scoring.arguments(dataset, scored), cache=ScoreCache(), **chosen)
    show(part, form, as_json, figures=figures)
