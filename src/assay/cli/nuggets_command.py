"""`assay nuggets`: a subset of labeled sets in which form says nothing."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli import options, set_tests
from assay.cli.show import result_options, show


@click.command("nuggets")
@options.data_argument
@click.option("-e", "--evaluator", "metric", default="distinct", show_default=True, help="The metric of form.")
@set_tests.label_option
@set_tests.high_option
@click.option("--group-size", type=options.count(2), default=40, show_default=True, help="Sets per group.")
@click.option(
    "--decimals", type=click.IntRange(0, 17), default=3, show_default=True, help="Round the metric before sorting."
)
@options.scoring_options
@options.seed_option
@result_options
@options.output_option(".jsonl, .csv or .parquet, the chosen sets")
def command(
    data: str,
    metric: str,
    label: str,
    high: str | None,
    group_size: int,
    decimals: int,
    scoring: options.Scoring,
    seed: int,
    form: str,
    as_json: bool,
    output: Path | None,
) -> None:
    """Choose labeled sets among which a metric of form knows nothing about the label.

    Sets are sorted by the metric and cut into groups; each group keeps as many of one class as of the other.

    \b
    assay nuggets data:diversity/mcdiv-story -o nuggets.jsonl
    """
    import numpy as np

    from assay.analyses.sets.nuggets import CHOSEN, nuggets
    from assay.io import load, save
    from assay.io.cache import ScoreCache

    dataset = load(data)
    part = nuggets(
        dataset,
        metric,
        label=label,
        high=high,
        group_size=group_size,
        decimals=decimals,
        **scoring.arguments(dataset, [metric]),
        seed=seed,
        cache=ScoreCache(),
    )
    if output is not None:
        chosen = {name for (name,) in part.table(CHOSEN).rows}
        kept = np.array([name in chosen for name in dataset.sets.id])
        save(dataset.select(kept[dataset.outputs.set]), output)
    show(part, form, as_json)
    if output is not None:
        options.say(f"wrote {output}")
