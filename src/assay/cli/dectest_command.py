"""`assay dectest`: does a diversity metric follow a decoding parameter?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli import options, set_tests
from assay.cli.show import figures_option, result_options, show

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("dectest")
@options.data_argument
@options.evaluator_option
@click.option(
    "--param",
    "parameter",
    default="temperature",
    show_default=True,
    help="A decoding parameter, or a column of the sets.",
)
@click.option("--log10", is_flag=True, help="Use the parameter's logarithm, as for top-k.")
@click.option("--subset", type=options.count(3), default=200, show_default=True, help="Sets per random subset.")
@click.option("--repeats", type=options.count(1), default=100, show_default=True, help="Number of random subsets.")
@click.option("--ranking", is_flag=True, help="Also rank pairs of sets (a tie is a miss).")
@click.option("--curve", is_flag=True, help="Also show how rho converges with the number of sets.")
@click.option("--ratings", metavar="CRITERION", help="Also show how the rho of judgments converges with their number.")
@options.scoring_options
@set_tests.resamples_option
@figures_option
@options.seed_option
@options.workers_option
@result_options
def command(
    data: Given,
    evaluators: tuple[str, ...],
    curve: bool,
    scoring: options.Scoring,
    resamples: int,
    figures: Path | None,
    seed: int,
    form: str,
    as_json: bool,
    **settings: Any,
) -> None:
    """Test whether metrics follow a decoding parameter (decTest).

    Prints Spearman's rho on all sets with its 95% interval over contexts. With more sets than --subset, also the mean
    and standard deviation of rho over random subsets, and the mean Pearson correlation over the same subsets.

    \b
    assay dectest data:diversity/dectest1000-story -e distinct --param temperature --subset 200 --repeats 100
    """
    from assay.analyses.sets.dectest import dectest
    from assay.io import load
    from assay.io.cache import ScoreCache
    from assay.metaeval.questions.question import Resampling

    dataset = load(data)
    part = dectest(
        dataset,
        evaluators,
        stability=curve or figures is not None,
        **scoring.arguments(dataset, evaluators),
        resampling=Resampling(resamples, seed=seed),
        cache=ScoreCache(),
        **settings,
    )
    show(part, form, as_json, figures=figures)
