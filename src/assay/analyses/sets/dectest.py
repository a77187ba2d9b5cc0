"""`assay.dectest`: which diversity metrics follow a decoding parameter?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from assay.analyses.sets.against_target import METRICS, number, part_of, rho_number, scored_target, study_against
from assay.analyses.sets.figures import scatters, stability_picture
from assay.evaluators.set_value import set_value
from assay.metaeval.questions.question import USUAL, Resampling
from assay.metaeval.sets.dectest import (
    REPEATS,
    SUBSET,
    Stability,
    SubsetCorrelation,
    stability_of_ratings,
    stability_of_sets,
)
from assay.metaeval.sets.dectest import dectest as run_dectest
from assay.metaeval.sets.human_diversity import set_ratings
from assay.metaeval.sets.ranking_pairs import ordered_pairs
from assay.part import Bounded, Cell, Number, Part, Table
from assay.records import Dataset
from assay.run.scoring import ScoringOptions
from assay.scores import ScoreTable

SIZES = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
HEADER = ("evaluator", "rho", "sets", "mean of subsets", "sd of subsets", "Pearson of subsets")


def dectest(
    dataset: Dataset,
    metrics: Sequence[str] | ScoreTable = METRICS,
    *,
    parameter: str = "temperature",
    log10: bool = False,
    subset: int = SUBSET,
    repeats: int = REPEATS,
    ranking: bool = False,
    stability: bool = False,
    ratings: str | None = None,
    resampling: Resampling = USUAL,
    workers: int = 1,
    **scoring: Unpack[ScoringOptions],
) -> Part:
    """Test whether metrics follow a decoding parameter (decTest).

    Args:
        dataset: sets of outputs, sampled with a parameter of several values.
        metrics: evaluators by name, or a table of their scores of the sets.
        parameter: a parameter of the outputs, or a column of the sets.
        log10: whether to take its logarithm, as for top-k.
        subset: sets per random subset, at most all.
        repeats: number of random subsets.
        ranking: whether to test the ranking of pairs of sets too.
        stability: whether to show how rho converges with the number of sets.
        ratings: a criterion; shows how the rho of its judgments converges with their number.
        resampling: with 0 resamples there are no intervals.
        workers: threads.
        scoring: how evaluators are scored: `train`, `folds`, `executor`, `cache` and `requests` of `assay.score`.
    """
    target = scored_target(dataset, set_value(parameter, log10=log10))
    study = study_against(target, dataset, metrics, resampling, workers=workers, **scoring)
    result = run_dectest(study, subset=subset, repeats=repeats)
    pairs = ordered_pairs(study) if ranking else []
    curves = {}
    if stability:
        curves["sets"] = stability_of_sets(study, SIZES, repeats=repeats)
    if ratings:
        answers = set_ratings(dataset, ratings)
        sizes = range(1, 101)
        curves["ratings per set"] = [
            stability_of_ratings(ratings, answers, target.values, sizes, repeats=repeats, seed=resampling.seed)
        ]
    # Subsets of the size of the data would repeat one number.
    drawn = any(row.n > subset for row in result.subsets)
    rows: list[tuple[Cell, ...]] = [
        (rho.candidate, Bounded(rho.value, rho.low, rho.high), rho.n, part.rho_mean, part.rho_sd, part.pearson_mean)
        for rho, part in zip(result.correlations, result.subsets, strict=True)
    ]
    shown = len(HEADER) if drawn else 3
    over_subsets = f" and over {repeats} random subsets of {subset}" if drawn else ""
    part = Part(
        title="Diversity by decoding (decTest)",
        summary=f"Spearman's rho of each metric with {parameter}, over all sets{over_subsets}.",
        numbers=(
            *map(rho_number, result.correlations),
            *(n for row in result.subsets if drawn for n in _numbers(row)),
        ),
        tables=(
            Table("dectest", "decTest", HEADER[:shown], tuple(row[:shown] for row in rows)),
            *(_stability_table(of, some) for of, some in curves.items()),
        ),
        pictures=(
            *scatters(study, parameter),
            *(stability_picture(_name(of), some, of) for of, some in curves.items()),
        ),
    )
    return part_of(study, result.correlations, result.contrasts, pairs, parameter, part)


def _numbers(row: SubsetCorrelation) -> list[Number]:
    return [
        number("rho of subsets, mean", row, row.rho_mean, reason=row.reason),
        number("rho of subsets, sd", row, row.rho_sd, reason=row.reason),
        number("pearson of subsets, mean", row, row.pearson_mean, reason=row.reason),
    ]


def _name(of: str) -> str:
    return f"dectest-stability-{of.split()[0]}"


def _stability_table(of: str, curves: Sequence[Stability]) -> Table:
    rows = tuple(
        (curve.evaluator, size, mean, sd)
        for curve in curves
        for size, mean, sd in zip(curve.sizes, curve.mean, curve.sd, strict=True)
    )
    return Table(_name(of), f"Convergence of rho with {of}", ("evaluator", of, "rho mean", "rho sd"), rows)
