"""`assay nuggets`: labeled sets on which form is uninformative."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli import options, set_tests
from assay.cli.show import result_options, show

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("nuggets")
@options.data_argument
@click.option("-e", "--evaluator", "metric", default="distinct", show_default=True, help="The form metric.")
@set_tests.label_option
@set_tests.high_option
@click.option("--group-size", type=options.count(2), default=40, show_default=True, help="Sets per group.")
@click.option(
    "--decimals",
    type=click.IntRange(0, 17),
    default=3,
    show_default=True,
    help="Decimals to round the metric to before sorting.",
)
@options.scoring_options
@options.seed_option
@result_options
@options.output_option(".jsonl, .csv or .parquet, the selected sets")
def command(
    data: Given,
    metric: str,
    scoring: options.Scoring,
    form: str,
    as_json: bool,
    output: Path | None,
    **settings: Any,
) -> None:
    """Select labeled sets on which a form metric carries no information about the label.

    Sets are sorted by the metric and cut into groups; each group keeps equally many sets of either class.

    \b
    assay nuggets data:diversity/mcdiv-story -o nuggets.jsonl
    """
    import numpy as np

    from assay.analyses.sets.nuggets import CHOSEN, nuggets
    from assay.io import load, save
    from assay.io.cache import ScoreCache

    dataset = load(data)
    part = nuggets(dataset, metric, **scoring.arguments(dataset, [metric]), cache=ScoreCache(), **settings)
    if output is not None:
        selected = {name for (name,) in part.table(CHOSEN).rows}
        mask = np.array([name in selected for name in dataset.sets.id])
        save(dataset.select(mask[dataset.outputs.set]), output)
    show(part, form, as_json)
    if output is not None:
        options.say(f"wrote {output}")
