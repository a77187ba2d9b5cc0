"""A whole meta-evaluation: correlations, comparisons, clusters, matrices, rankings and warnings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil

from assay.errors import AssayError, did_you_mean
from assay.metaeval.questions.contrast import Clusters, Contrast, contrast
from assay.metaeval.questions.correlation import Correlation, correlate
from assay.metaeval.questions.inquiry import FEWEST, Inquiry
from assay.metaeval.questions.matrix import Matrix, matrices
from assay.metaeval.questions.pair_tests import Procedure
from assay.metaeval.questions.question import Question
from assay.metaeval.questions.ranking import BetweenWithin, WithoutSystem, between_within, leave_one_out
from assay.metaeval.questions.sample import Sample
from assay.metaeval.systems.comparison import rank_systems
from assay.metaeval.systems.ranks import SystemRank
from assay.metaeval.votes.annotators import ratings_of
from assay.records import Dataset
from assay.scores import UNITS, ScoreTable

MOST_LEFT_OUT = 500
"""More systems than this are not left out in turn: each recomputes every correlation."""
FEW = 10
"""Bootstrap intervals from fewer clusters than this are too narrow."""


@dataclass(frozen=True)
class MetaAnswers:
    """All results about one table."""

    correlations: list[Correlation]
    comparisons: list[Contrast]
    clusters: list[Clusters]
    matrices: list[Matrix]
    between_within: list[BetweenWithin]
    rankings: list[SystemRank]
    leave_one_out: list[WithoutSystem]
    warnings: list[str]


def plan(question: Question, unit: str | None = None) -> list[tuple[str | None, Question]]:
    """The tables a question needs: one of `unit`, or one per unit it names; system scores come from the first."""
    for level in question.levels:
        if level not in UNITS:
            raise AssayError(f"no level {level!r}: levels are {', '.join(UNITS)}.{did_you_mean(level, UNITS)}")
    if unit:
        return [(unit, question)]
    units = [level for level in dict.fromkeys(question.levels) if level != "system"]
    if not units:
        return [(None, question)]
    with_systems = ("system",) if "system" in question.levels else ()
    levels = [(units[0], *with_systems), *((other,) for other in units[1:])]
    return [(of_unit[0], replace(question, levels=of_unit)) for of_unit in levels]


def ask(
    table: ScoreTable,
    question: Question,
    procedure: Procedure | None,
    *,
    dataset: Dataset | None = None,
    ranking: bool = False,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> MetaAnswers:
    """Answer a question about a table. `dataset` is needed where annotators are resampled or swapped."""
    study = prepare(table, question, procedure, dataset=dataset, workers=workers, progress=progress)
    return answer(study, procedure, dataset=dataset, ranking=ranking)


def answer(
    study: Inquiry, procedure: Procedure | None, *, dataset: Dataset | None = None, ranking: bool = False
) -> MetaAnswers:
    """Answer a prepared question."""
    table = study.table
    comparisons, clusters = contrast(study, procedure) if procedure else ([], [])
    sides = between_within(study)
    systems = dataset.systems if dataset is not None else None
    humans = [name for name, human in zip(systems.id, systems.human, strict=True) if human] if systems else []
    shown = [study.target.name, *(column.name for column in study.candidates)] if ranking else []
    n_systems = len(study.sample.system_names)
    in_turn = ranking and FEWEST < n_systems <= MOST_LEFT_OUT
    return MetaAnswers(
        correlate(study),
        comparisons,
        clusters,
        matrices(study),
        sides,
        rank_systems(table, shown, study.resampling.confidence),
        leave_one_out(study, humans) if in_turn else [],
        [
            *table.notes,
            *_few(study),
            *(
                [f"{n_systems:,} systems are too many to leave out in turn; up to {MOST_LEFT_OUT} are"]
                if ranking and n_systems > MOST_LEFT_OUT
                else []
            ),
            *_never_significant(study, procedure, comparisons),
            *(side.warning for side in sides if side.warning and side.statistic == sides[0].statistic),
        ],
    )


def prepare(
    table: ScoreTable,
    question: Question,
    procedure: Procedure | None,
    *,
    dataset: Dataset | None = None,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Inquiry:
    """Join a question to its table, with the judgments behind the target where annotators are drawn."""
    swapped = procedure.swapped if procedure else ()
    drawn = (*question.resampling.factors, *swapped)
    ratings = None
    if dataset is not None and "annotators" in drawn:
        ratings = ratings_of(dataset, table, question.target)
    sample = Sample.of(table, ratings, dataset if "contexts" in drawn else None)
    sample.check(swapped)
    if not question.levels and table.kind != "system":
        levels = (table.kind, "system") if len(sample.system_names) >= FEWEST else (table.kind,)
        question = replace(question, levels=levels)
    return Inquiry(table, question, sample, workers=workers, progress=progress)


def _few(study: Inquiry) -> list[str]:
    """Warn of bootstrap intervals drawn from few members; t intervals allow for that."""
    if not study.resampling.resamples or study.resampling.interval == "t":
        return []
    return [
        f"{study.sample.size(factor)} {factor} are few to draw from: the intervals at {level} level are rough"
        for level in study.levels
        for factor in study.factors(level)
        if study.sample.size(factor) < FEW
    ]


def _never_significant(study: Inquiry, procedure: Procedure | None, pairs: Sequence[Contrast]) -> list[str]:
    """Warn where even the smallest p-value of a bootstrap test cannot survive the correction."""
    if procedure is None or not study.resampling.resamples or not pairs or pairs[0].test != "bootstrap":
        return []
    m = len(study.candidates)
    n_tests = procedure.family(m * (m - 1) // 2)
    if 2 * n_tests / (study.resampling.resamples + 1) < procedure.alpha:
        return []
    enough = ceil(4 * n_tests / procedure.alpha)
    return [
        f"{study.resampling.resamples:,} resamples are too few for a bootstrap test of {n_tests} pairs: no difference "
        f"can be significant after the correction. Use --resamples {enough}, or --test t."
    ]
