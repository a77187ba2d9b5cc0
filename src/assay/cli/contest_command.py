"""`assay contest`: does a diversity metric tell high from low?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from assay.cli import options, set_tests


@click.command("contest")
@options.data_argument
@options.evaluator_option
@set_tests.label_option
@set_tests.high_option
@options.learning_options
@click.option("--ranking", is_flag=True, help="Also order pairs of sets of one context (ties are misses).")
@set_tests.resamples_option
@set_tests.figures_option
@options.seed_option
@options.workers_option
@options.json_option
def command(
    data: str,
    evaluators: tuple[str, ...],
    label: str,
    high: str | None,
    learning: options.Learning,
    ranking: bool,
    resamples: int,
    figures: Path | None,
    seed: int,
    workers: int,
    as_json: bool,
) -> None:
    """Test whether metrics tell sets of high from sets of low diversity (conTest).

    Prints Spearman's rho with the label and its 95% interval over contexts, OCA (the best accuracy of one threshold
    on these sets, as published), OCA corrected for having been chosen as the best, with a 95% interval for the best
    accuracy on all such sets, and the threshold.

    \b
    assay contest data:diversity/contest-story -e distinct -e cos_sim -e "column('metric_abs_hds_mean')"
    """
    from assay.io import load
    from assay.io.cache import ScoreCache
    from assay.metaeval.questions.question import Resampling
    from assay.metaeval.sets.contest import contest
    from assay.metaeval.sets.ranking_pairs import rank_pairs
    from assay.metaeval.sets.set_targets import context_clusters, set_values, two_classes
    from assay.part import Cell
    from assay.part.text import text_table
    from assay.report.diversity_figures import draw_histograms
    from assay.run import score

    dataset = load(data)
    target = set_values(dataset, label, high=high)
    two_classes(label, target)
    clusters = context_clusters(dataset)
    table = score(
        dataset,
        evaluators,
        unit="set",
        **learning.arguments(dataset, evaluators),
        seed=seed,
        workers=workers,
        cache=ScoreCache(),
        failures="error",
    )
    how = Resampling(resamples, seed=seed)
    found = contest(table, target, clusters, how=how, workers=workers)
    ordered = rank_pairs(table, target, clusters, how=how) if ranking else []
    if figures is not None:
        set_tests.write_figures(figures, draw_histograms(table, target, found))
    if as_json:
        options.print_json({**asdict(found), "ranking": [asdict(row) for row in ordered]})
        return
    header = ["evaluator", "rho", "low", "high", "OCA", "corrected", "low", "high", "threshold", "sets"]
    rows: list[list[Cell]] = [
        [r.evaluator, r.rho, r.low, r.high, r.oca, r.oca_corrected, r.oca_low, r.oca_high, r.threshold, r.n]
        for r in found.results
    ]
    click.echo(text_table(header, rows))
    set_tests.say_reasons(found.results)
    set_tests.print_differences(found.comparisons)
    set_tests.print_ranking(ordered)
    options.say_notes(table)
