"""`assay compare`: hold systems against each other."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from assay.cli import options
from assay.cli.scores import Source
from assay.cli.several import several


@click.command("compare")
@options.data_argument
@several("--systems", "systems", metavar="NAME", help="Two or more systems; by default all.")
@options.candidate_option
@options.unit_option
@options.lower_option
@options.resampling_options
@options.testing_options(["permutation", "bootstrap"])
@options.workers_option
@options.no_cache_option
@options.table_options
@options.json_option
def command(
    data: str,
    systems: tuple[str, ...],
    evaluators: tuple[str, ...],
    unit: str | None,
    lower_is_better: tuple[str, ...],
    resamples: int,
    factors: tuple[str, ...],
    interval: Any,
    confidence: float,
    seed: int,
    test: Any,
    correction: str,
    alpha: float,
    workers: int,
    no_cache: bool,
    form: str,
    as_json: bool,
) -> None:
    """Compare systems by evaluators, paired on the items they share.

    Difference with interval, p, win/tie/loss on items, effect size, and clusters of systems that cannot be told
    apart. All outputs of an item, such as several seeds, are drawn or swapped together.

    \b
    assay compare outputs.jsonl --systems ngram-t0.5 ngram-t1.0 -e bleu -e "human(criterion='typicality')"
    assay compare scores.csv --systems A B --json
    """
    from assay.errors import AssayError
    from assay.meta.contrast import Procedure
    from assay.meta.question import Resampling
    from assay.meta.systems import compare_systems
    from assay.report.meta import render_differences

    if factors not in ((), ("items",)):
        raise AssayError("a comparison of systems draws items, the only thing both share; leave --resample out.")
    table = Source(data, seed, workers, no_cache, lower_is_better).table(evaluators, unit)
    differences, clusters = compare_systems(
        table,
        systems,
        resampling=Resampling(resamples, ("items",), interval, confidence, seed),
        procedure=Procedure(test, (), correction, alpha),
        workers=workers,
    )
    if as_json:
        found = {"comparisons": list(map(asdict, differences)), "clusters": list(map(asdict, clusters))}
        options.print_json(found)
    else:
        click.echo(render_differences(differences, clusters, form))
    for difference in differences:
        if difference.reason:
            left, right, evaluator = difference.left, difference.right, difference.evaluator
            options.say(f"{left} and {right} by {evaluator}: {difference.reason}")
