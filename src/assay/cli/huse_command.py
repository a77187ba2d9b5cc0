"""`assay huse`: quality and diversity of systems in one number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from assay.cli import options
from assay.cli.show import figures_option, result_options, show


@click.command("huse")
@options.data_argument
@click.option("--system", "systems", multiple=True, metavar="NAME", help="Compare only this system; may be repeated.")
@click.option("-k", type=options.count(1), default=16, show_default=True, help="How many neighbors vote.")
@click.option("--quality", metavar="EVALUATOR", help="What stands for quality instead of the mean judgment.")
@click.option("--beside", multiple=True, metavar="EVALUATOR", help="A further feature; may be repeated.")
@click.option(
    "--ties",
    type=click.Choice(["exact", "paper"]),
    default="exact",
    show_default=True,
    help="Compare distances exactly, or as the published numbers did.",
)
@click.option(
    "--vote-tie",
    type=click.Choice(["human", "model", "half"]),
    default="human",
    show_default=True,
    help="To whom a tied vote goes.",
)
@click.option("--plan", is_flag=True, help="Say how many items and annotators a study of this kind needs.")
@click.option(
    "--half-width",
    type=click.FloatRange(0, min_open=True),
    default=0.05,
    show_default=True,
    help="With --plan: how far the 95% interval of HUSE may reach to each side.",
)
@click.option(
    "--price",
    type=click.FloatRange(0),
    default=0.05,
    show_default=True,
    help="With --plan: the price of one judgment, in any currency.",
)
@click.option("--examples", type=options.count(), default=3, show_default=True, help="Outputs per list of failures.")
@figures_option
@click.option("--frequency", metavar="COLUMN", help="With --figures: the column with the log corpus frequency.")
@click.option("--no-intervals", is_flag=True, help="Leave out the intervals, which take most of the time.")
@options.scoring_options
@options.seed_option
@result_options
def command(
    data: str,
    no_intervals: bool,
    scoring: options.Scoring,
    form: str,
    as_json: bool,
    figures: Path | None,
    **settings: Any,
) -> None:
    """Compare every system with people: HUSE, and its parts quality (HUSE-Q) and diversity (HUSE-D).

    DATA must mark human texts, hold judgments, and the log-probability of every output, human ones too, under each
    system.

    \b
    assay huse outputs.jsonl
    assay huse data:huse/summarization --json
    assay huse outputs.jsonl --plan --price 0.02
    """
    from assay.analyses.huse.part import huse
    from assay.io import load

    dataset = load(data)
    learners = [*filter(None, [settings["quality"]]), *settings["beside"]]
    part = huse(
        dataset,
        intervals=not no_intervals,
        figures=figures is not None,
        **scoring.arguments(dataset, learners),
        **settings,
    )
    show(part, form, as_json, figures=figures)
