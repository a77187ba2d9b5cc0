"""`assay contest`: does a diversity metric separate high from low?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli import options, set_tests
from assay.cli.show import figures_option, result_options, show

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("contest")
@options.data_argument
@options.evaluator_option
@set_tests.label_option
@set_tests.high_option
@options.scoring_options
@click.option("--ranking", is_flag=True, help="Also rank pairs of sets of one context (a tie is a miss).")
@set_tests.resamples_option
@figures_option
@options.seed_option
@options.workers_option
@result_options
def command(
    data: Given,
    evaluators: tuple[str, ...],
    scoring: options.Scoring,
    resamples: int,
    figures: Path | None,
    seed: int,
    form: str,
    as_json: bool,
    **settings: Any,
) -> None:
    """Test whether metrics separate sets of high from sets of low diversity (conTest).

    Prints Spearman's rho with the label and its 95% interval over contexts, OCA (the best accuracy of one threshold
    on these sets, as published), OCA corrected for selection, with a 95% interval for the best accuracy in the
    population of sets, and the threshold.

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
        **scoring.arguments(dataset, evaluators),
        resampling=Resampling(resamples, seed=seed),
        cache=ScoreCache(),
        **settings,
    )
    show(part, form, as_json, figures=figures)
