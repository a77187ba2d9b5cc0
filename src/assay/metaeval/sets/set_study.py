"""Metrics of sets as a question: each against a label or a parameter, resampled by context.

Sets of one context are not independent, so contexts are the clusters.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.metaeval.questions.inquiry import Inquiry
from assay.metaeval.questions.levels import Cases
from assay.metaeval.questions.oriented import oriented
from assay.metaeval.questions.question import Question, Resampling, signature
from assay.metaeval.questions.study import prepare
from assay.records import Dataset
from assay.scores import Column, ScoreTable

CONTEXTS = ("contexts",)


def study_of_sets(
    table: ScoreTable,
    target: str,
    dataset: Dataset,
    how: Resampling,
    *,
    statistics: Sequence[str] = ("spearman",),
    workers: int = 1,
) -> Inquiry:
    """A question about every other column of a table of sets against `target`."""
    candidates = tuple(name for name in table.columns if name != target)
    question = Question(target, candidates, tuple(statistics), ("set",), resampling=how.with_factors(CONTEXTS))
    return prepare(table, question, None, dataset=dataset, workers=workers)


def cases_of(study: Inquiry, column: Column) -> Cases:
    """The sets with a target and a score of one metric."""
    mask = study.complete([column], "set", "pooled")
    return study.cases([column], mask, study.statistics[0], "set", "pooled")


def scores_and_target(cases: Cases) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The scores of one metric, oriented so that high is diverse, and the target."""
    return oriented(cases.candidates[0])[cases.rows], oriented(cases.target)[cases.rows]


def context_groups(study: Inquiry, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """The context of each row, numbered from 0, and how many there are; very many contexts are grouped."""
    cluster, n = study.sample.clusters("contexts", rows, study.resampling.seed)
    return cluster[study.sample.codes("contexts")[rows]], n


def made_by(study: Inquiry, result: str, column: Column, **settings: int) -> str:
    """The signature of a result about one metric."""
    about = {"target": study.target, "unit": study.table.kind, **settings, "resampling": study.resampling}
    return signature(result, candidate=column, **about)


def why_no_bounds(study: Inquiry, cases: Cases) -> str:
    """Why there is no interval; empty where there can be one."""
    return study.why_no_interval(cases) if study.resampling.resamples else "no interval was asked for"
