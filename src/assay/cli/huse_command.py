"""`assay huse`: quality and diversity of systems in one number."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli import complete, options
from assay.cli.several import several
from assay.cli.show import figures_option, result_options, show

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("huse")
@options.compared_data_argument
@several(
    "--systems",
    "systems",
    metavar="NAME",
    help="Only these systems, compared with the human texts.",
    shell_complete=complete.systems,
)
@click.option("-k", type=options.count(1), default=16, show_default=True, help="Number of neighbors that vote.")
@click.option("--quality", metavar="EVALUATOR", help="Quality feature instead of the mean judgment.")
@click.option("--beside", multiple=True, metavar="EVALUATOR", help="An additional feature; repeatable.")
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
    help="Who gets a tied vote.",
)
@click.option("--plan", is_flag=True, help="Also plan how many items and annotators such a study needs.")
@click.option(
    "--half-width",
    type=click.FloatRange(0, min_open=True),
    default=0.05,
    show_default=True,
    help="With --plan: target half-width of the 95% interval of HUSE.",
)
@click.option(
    "--price",
    type=click.FloatRange(0),
    default=0.05,
    show_default=True,
    help="With --plan: the price of one judgment, in any currency.",
)
@click.option("--examples", type=options.count(), default=3, show_default=True, help="Examples per kind of failure.")
@figures_option
@click.option("--frequency", metavar="COLUMN", help="With --figures: the column with the log corpus frequency.")
@click.option("--curve", metavar="PARAMETER", help="Also show HUSE by a decoding parameter, such as temperature.")
@click.option("--no-intervals", is_flag=True, help="Skip the intervals, which take most of the time.")
@options.scoring_options
@options.seed_option
@result_options
def command(
    data: Given,
    no_intervals: bool,
    scoring: options.Scoring,
    form: str,
    as_json: bool,
    figures: Path | None,
    **settings: Any,
) -> None:
    """Compare every system with human texts: HUSE, and its parts quality (HUSE-Q) and diversity (HUSE-D).

    DATA must mark human texts and have judgments, and the log-probability of every output, human ones included, under
    each system.

    \b
    assay huse outputs.jsonl
    assay huse data:huse/summarization --json
    assay huse outputs.jsonl --plan --price 0.02
    assay huse outputs.jsonl --curve temperature --figures figures
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
