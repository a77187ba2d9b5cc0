"""`assay dectest`: does a diversity metric follow the decoding parameter?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from assay.cli import options, set_tests


@click.command("dectest")
@options.data_argument
@options.evaluator_option
@click.option(
    "--param", "parameter", default="temperature", show_default=True, help="A parameter or column of the sets."
)
@click.option("--log10", is_flag=True, help="Take the parameter's logarithm, as for top-k.")
@click.option("--subset", type=options.count(3), default=200, show_default=True, help="Sets per random subset.")
@click.option("--repeats", type=options.count(1), default=100, show_default=True, help="Random subsets.")
@click.option("--ranking", is_flag=True, help="Also order pairs of sets (ties are misses).")
@click.option("--curve", is_flag=True, help="Also show how rho settles as the number of sets grows.")
@click.option("--ratings", metavar="CRITERION", help="Also show how the rho of judgments settles with their number.")
@options.learning_options
@set_tests.resamples_option
@set_tests.figures_option
@options.seed_option
@options.workers_option
@options.json_option
def command(
    data: str,
    evaluators: tuple[str, ...],
    parameter: str,
    log10: bool,
    subset: int,
    repeats: int,
    ranking: bool,
    curve: bool,
    ratings: str | None,
    learning: options.Learning,
    resamples: int,
    figures: Path | None,
    seed: int,
    workers: int,
    as_json: bool,
) -> None:
    """Test whether metrics follow a decoding parameter (decTest).

    Prints the mean and standard deviation of Spearman's rho over random subsets of the sets, the mean Pearson
    correlation over the same, and rho on all sets with its 95% interval over contexts.

    \b
    assay dectest data:diversity/dectest1000-story -e distinct --param temperature --subset 200 --repeats 100
    """
    from assay.io import load
    from assay.io.cache import ScoreCache
    from assay.metaeval.questions.question import Resampling
    from assay.metaeval.sets.dectest import dectest, ratings_curve, sets_curve
    from assay.metaeval.sets.human_diversity import set_ratings
    from assay.metaeval.sets.ranking_pairs import rank_pairs
    from assay.metaeval.sets.set_targets import context_clusters, positive_log10, set_values
    from assay.part import Cell
    from assay.part.text import text_table
    from assay.report.diversity_figures import draw_curves, draw_scatters
    from assay.run import score

    dataset = load(data)
    target = set_values(dataset, parameter)
    if log10:
        target = positive_log10(parameter, target)
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
    found = dectest(table, target, clusters, subset=subset, repeats=repeats, how=how, workers=workers)
    ordered = rank_pairs(table, target, clusters, how=how) if ranking else []
    sizes = [size for size in (10, 20, 50, 100, 200, 500, 1000, 2000, 5000) if size <= len(table)]
    curves = sets_curve(table, target, sizes, repeats=repeats, seed=seed) if curve or figures else []
    rated = (
        [ratings_curve(ratings, set_ratings(dataset, ratings), target, range(1, 101), repeats=repeats, seed=seed)]
        if ratings
        else []
    )
    if figures is not None:
        drawn = draw_scatters(table, target, parameter) | {"stability": draw_curves(curves, "sets")}
        if rated:
            drawn["stability-ratings"] = draw_curves(rated, "ratings per set")
        set_tests.write_figures(figures, drawn)
    if as_json:
        more: dict[str, list[Any]] = {"ranking": [*ordered], "curves": curves, "ratings_curves": rated}
        options.print_json(asdict(found) | {name: [asdict(one) for one in some] for name, some in more.items()})
        return
    header = ["evaluator", "rho mean", "rho sd", "Pearson", "rho of all", "low", "high", "sets"]
    rows: list[list[Cell]] = [
        [r.evaluator, r.rho_mean, r.rho_sd, r.pearson, r.rho, r.low, r.high, r.n] for r in found.results
    ]
    click.echo(text_table(header, rows))
    set_tests.say_reasons(found.results)
    set_tests.print_differences(found.comparisons)
    set_tests.print_ranking(ordered)
    for of, some in (("sets", curves if curve else []), ("ratings per set", rated)):
        settled: list[list[Cell]] = [
            [c.evaluator, n, m, s] for c in some for n, m, s in zip(c.sizes, c.mean, c.sd, strict=True)
        ]
        if settled:
            click.echo("\n" + text_table(["evaluator", of, "rho mean", "rho sd"], settled))
    options.say_notes(table)
