"""What conTest and decTest have in common: metrics of sets against a target, in numbers, tables and one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np

from assay.analyses.words import ALPHA, FEW_UNITS, counted, listed
from assay.evaluator import Evaluator
from assay.kernels.statistics.significance import holm
from assay.metaeval.questions.contrast import Contrast
from assay.metaeval.questions.correlation import Correlation, Study
from assay.metaeval.questions.question import Resampling
from assay.metaeval.sets.ranking_pairs import OrderedPairs
from assay.metaeval.sets.set_study import study_of_sets
from assay.part import Bounded, Number, Table, reasons_once
from assay.records import Dataset
from assay.run import score
from assay.scores import Column, ScoreTable

CITE = "Tevet & Berant 2021, Evaluating the Evaluation of Diversity in Natural Language Generation"
METRICS = ("distinct", "cos_sim")
WITHOUT_INTERVAL = "this number has no interval"
NOT_ASKED = "no interval was asked for"


def scored_target(dataset: Dataset, target: Evaluator) -> Column:
    """The label or parameter of every set."""
    return next(iter(score(dataset, [target], unit="set").columns.values()))


def study_against(
    target: Column,
    dataset: Dataset,
    metrics: Sequence[str] | ScoreTable,
    resampling: Resampling,
    *,
    workers: int = 1,
    **scoring: Any,
) -> Study:
    """Score the sets by the metrics, unless that is done, and hold them against the target."""
    if isinstance(metrics, ScoreTable):
        table = metrics
    else:
        settings = {"seed": resampling.seed, "workers": workers, "failures": "error", **scoring}
        table = score(dataset, list(metrics), unit="set", **settings)
    table = replace(table, columns={**table.columns, target.name: target})
    return study_of_sets(table, target.name, dataset, resampling, workers=workers)


def rho_number(row: Correlation, name: str = "rho") -> Number:
    """A correlation with its interval."""
    reason = row.reason if not isnan(row.value) or row.reason else WITHOUT_INTERVAL
    about = {"evaluator": row.candidate, "p_value": row.p_value}
    return Number(name, row.value, row.n, row.signature, row.n_missing, row.low, row.high, reason, about)


def difference_numbers(contrasts: Sequence[Contrast]) -> list[Number]:
    """The differences between the rho of every two metrics."""
    return [
        Number(
            "rho, difference",
            pair.difference,
            pair.n,
            pair.signature,
            0,
            pair.low,
            pair.high,
            pair.reason,
            {"left": pair.left, "right": pair.right, "p_value": pair.p_value, "p_adjusted": pair.p_adjusted},
        )
        for pair in contrasts
    ]


def notes_of(study: Study, rows: Sequence[Correlation]) -> tuple[str, ...]:
    """Why intervals are missing, and what a reader of the scores should know."""
    reasons = reasons_once((row.candidate, row.reason) for row in rows)
    return (*reasons, *study.table.notes, *study.table.gap_notes())


def differences_table(name: str, contrasts: Sequence[Contrast]) -> list[Table]:
    """Which metrics differ, where there are several."""
    rows = tuple(
        (pair.left, pair.right, Bounded(pair.difference, pair.low, pair.high), pair.p_value, pair.p_adjusted, pair.n)
        for pair in contrasts
    )
    header = ("left", "right", "rho left - right", "p", "p (Holm)", "sets")
    return [Table(f"{name}-differences", "Differences between metrics", header, rows)] if rows else []


def pair_numbers(pairs: Sequence[OrderedPairs]) -> list[Number]:
    """How metrics order pairs of sets."""
    return [
        number
        for row in pairs
        for number in (
            Number(
                "accuracy over pairs",
                row.accuracy,
                row.n,
                row.signature,
                0,
                row.low,
                row.high,
                row.reason,
                {"evaluator": row.candidate},
            ),
            Number(
                "rho over pairs",
                row.rho,
                row.n,
                row.signature,
                reason=WITHOUT_INTERVAL,
                about={"evaluator": row.candidate},
            ),
        )
    ]


def pairs_table(name: str, pairs: Sequence[OrderedPairs]) -> list[Table]:
    """How metrics order pairs of sets, where that was asked for."""
    rows = tuple((row.candidate, row.rho, Bounded(row.accuracy, row.low, row.high), row.n) for row in pairs)
    header = ("evaluator", "rho of differences", "accuracy", "pairs")
    return [Table(f"{name}-pairs", "Pairs of sets", header, rows, "A tie is a miss.")] if rows else []


def followed(rows: Sequence[Correlation], contrasts: Sequence[Contrast], what: str) -> str:
    """Which metric follows the target, and which it is above, as far as tests adjusted for their number tell."""
    known = [row for row in rows if not isnan(row.value)]
    if not known:
        return f"No metric can be held against {what}: all scores, or all targets, are the same."
    best = max(known, key=lambda row: row.value)
    if best.n < FEW_UNITS:
        return f"{counted(best.n, 'set')} with {what}: too few to trust a metric by."
    if isnan(best.p_value):
        reason = best.reason.removeprefix("no interval: ") or NOT_ASKED
        return f"Whether a metric follows {what} cannot be told: {reason}."
    adjusted = holm(np.array([row.p_value for row in known]))
    if not (best.value > 0 and adjusted[known.index(best)] < ALPHA):
        return f"No metric clearly follows {what}."
    pairs = [pair for pair in contrasts if best.candidate in (pair.left, pair.right)]
    rivals = [pair.right if pair.left == best.candidate else pair.left for pair in pairs if not pair.p_adjusted < ALPHA]
    here = f"(rho {best.value:.2f} on these sets)"
    if rivals:
        return f"{best.candidate} follows {what} {here}, but is not clearly above {listed(rivals)}."
    return f"{best.candidate} follows {what} best {here}." if pairs else f"{best.candidate} follows {what} {here}."
