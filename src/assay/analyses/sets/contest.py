"""`assay.contest`: which diversity metrics separate sets of high from sets of low diversity?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from assay.analyses.sets.against_target import METRICS, number, part_of, rho_number, scored_target, study_against
from assay.analyses.sets.figures import histograms
from assay.evaluators.set_value import set_value
from assay.metaeval.questions.correlation import Correlation, correlate
from assay.metaeval.questions.question import USUAL, Resampling
from assay.metaeval.sets.contest import BestThreshold, two_classes
from assay.metaeval.sets.contest import contest as run_contest
from assay.metaeval.sets.ranking_pairs import ordered_pairs
from assay.metaeval.sets.set_study import study_of_sets
from assay.part import Bounded, Number, Part, Table
from assay.records import Dataset
from assay.run.scoring import ScoringOptions
from assay.scores import ScoreTable

HEADER = ("evaluator", "rho", "OCA", "OCA corrected", "threshold", "sets")


def contest(
    dataset: Dataset,
    metrics: Sequence[str] | ScoreTable = METRICS,
    *,
    label: str = "label_value",
    high: str | None = None,
    ranking: bool = False,
    resampling: Resampling = USUAL,
    workers: int = 1,
    **scoring: Unpack[ScoringOptions],
) -> Part:
    """Test whether metrics separate sets of high from sets of low diversity (conTest).

    Args:
        dataset: sets of outputs, with a label of two values.
        metrics: evaluators by name, or a table of their scores of the sets.
        label: a column of the sets, a parameter of their outputs, or `system`.
        high: the value of the label that is high diversity; by default the larger number.
        ranking: whether to test the ranking of pairs of sets of one context too.
        resampling: `resamples` are those of the interval of OCA; 0 for no intervals.
        workers: threads.
        scoring: how evaluators are scored: `train`, `folds`, `executor`, `cache` and `requests` of `assay.score`.
    """
    target = scored_target(dataset, set_value(label, high=high))
    two_classes(label, target)
    study = study_against(target, dataset, metrics, resampling, workers=workers, **scoring)
    result = run_contest(study)
    plain = replace(resampling, resamples=0)
    pearsons = correlate(study_of_sets(study.table, target.name, dataset, plain, statistics=["pearson"]))
    pairs = ordered_pairs(study) if ranking else []
    rows = list(zip(result.correlations, result.thresholds, strict=True))
    part = Part(
        title="Content diversity (conTest)",
        summary=(
            "Spearman's rho with the label, and OCA: the best accuracy of one threshold on these sets. As the best it "
            "is biased upward; the corrected value and its interval are for the population of sets."
        ),
        numbers=tuple(n for (rho, best), r in zip(rows, pearsons, strict=True) for n in _numbers(rho, best, r)),
        tables=(Table("contest", "conTest", HEADER, tuple(_row(rho, best) for rho, best in rows)),),
        pictures=tuple(histograms(study, result)),
    )
    return part_of(study, result.correlations, result.contrasts, pairs, f"the label {label}", part)


def _row(rho: Correlation, best: BestThreshold) -> tuple[str, Bounded, float, Bounded, float, int]:
    corrected = Bounded(best.corrected, best.low, best.high)
    return rho.candidate, Bounded(rho.value, rho.low, rho.high), best.oca, corrected, best.threshold, rho.n


def _numbers(rho: Correlation, best: BestThreshold, pearson: Correlation) -> list[Number]:
    return [
        rho_number(rho),
        number("oca", best, best.oca),
        number("oca, corrected", best, best.corrected, best.low, best.high, best.reason),
        number("threshold", best, best.threshold),
        rho_number(pearson, "pearson"),
    ]
