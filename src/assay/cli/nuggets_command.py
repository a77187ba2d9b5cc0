"""`assay nuggets`: a subset of labeled sets in which form says nothing."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli import options, set_tests


@click.command("nuggets")
@options.data_argument
@click.option("-e", "--evaluator", "form", default="distinct", show_default=True, help="The metric of form.")
@set_tests.label_option
@set_tests.high_option
@click.option("--group-size", type=options.count(2), default=40, show_default=True, help="Sets per group.")
@click.option(
    "--decimals", type=click.IntRange(0, 17), default=3, show_default=True, help="Round the metric before sorting."
)
@options.seed_option
@options.json_option
@options.output_option(".jsonl, .csv or .parquet, the chosen sets")
def command(
    data: str,
    form: str,
    label: str,
    high: str | None,
    group_size: int,
    decimals: int,
    seed: int,
    as_json: bool,
    output: Path | None,
) -> None:
    """Choose labeled sets among which a metric of form knows nothing about the label.

    Sets are sorted by the metric and cut into groups; each group keeps as many of one class as of the other.

    \b
    assay nuggets data:diversity/mcdiv-story -o nuggets.jsonl
    """
    import numpy as np

    from assay.io import load, save
    from assay.io.cache import ScoreCache
    from assay.metaeval.sets.nuggets import nuggets
    from assay.metaeval.sets.set_targets import set_values, two_classes
    from assay.run import score

    dataset = load(data)
    target = set_values(dataset, label, high=high)
    two_classes(label, target)
    column = score(dataset, [form], unit="set", seed=seed, cache=ScoreCache(), failures="error")[form]
    found = nuggets(column.values, target, group_size=group_size, decimals=decimals, seed=seed)
    if output is not None:
        kept = np.zeros(len(dataset.sets), bool)
        kept[found.rows] = True
        save(dataset.select(kept[dataset.outputs.set]), output)
    if as_json:
        options.print_json(
            {
                "n": len(found.rows),
                "n_before": found.n_before,
                "rho_before": found.rho_before,
                "rho_after": found.rho_after,
                "sets": [dataset.sets.id[int(row)] for row in found.rows],
                "form": column.signature,
                "group_size": group_size,
                "seed": seed,
            }
        )
        return
    click.echo(
        f"{len(found.rows)} of {found.n_before} sets: rho of {form} {found.rho_before:.3f} -> {found.rho_after:.3f}"
    )
    if output is not None:
        options.say(f"wrote {output}")
