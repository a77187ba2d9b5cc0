"""`assay contest`: does a diversity metric tell high from low?"""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli import options, set_tests
from assay.cli.show import figures_option, result_options, show


@click.command("contest")
@options.data_argument
@options.evaluator_option
@set_tests.label_option
@set_tests.high_option
@options.scoring_options
@click.option("--ranking", is_flag=True, help="Also order pairs of sets of one context (ties are misses).")
@set_tests.resamples_option
@figures_option
@options.seed_option
@options.workers_option
@result_options
def command(
    data: str,
    evaluators: tuple[str, ...],
    label: str,
    high: str | None,
    scoring: options.Scoring,
    ranking: bool,
    resamples: int,
    figures: Path | None,
    seed: int,
    workers: int,
    form: str,
    as_json: bool,
) -> None:
    """Test whether metrics tell sets of high from sets of low diversity (conTest).

    Prints Spearman's rho with the label and its 95% interval over contexts, OCA (the best accuracy of one threshold
    on these sets, as published), OCA corrected for having been chosen as the best, with a 95% interval for the best
    accuracy on all such sets, and the threshold.

    \b
    assay contest data:diversity/contest-story -e distinct -e cos_sim -e "column('metric_abs_hds_mean')"
    """
    from assay.analyses.sets.contest import contest
    from assay.io import load
    from assay.io.cache import ScoreCache
    from assay.metaeval.questions.question import Resampling

    dataset = load(data)
    part = contest(
        dataset,
        evaluators,
        label=label,
        high=high,
        **scoring.arguments(dataset, evaluators),
        ranking=ranking,
        resampling=Resampling(resamples, seed=seed),
        cache=ScoreCache(),
        workers=workers,
    )
    show(part, form, as_json, figures=figures)
