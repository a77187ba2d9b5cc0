"""What conTest and decTest share: metrics of sets compared with a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan, nan
from typing import Unpack

import numpy as np

from assay.analyses.sources import source_of
from assay.analyses.words import ALPHA, FEW_UNITS, counted, listed
from assay.evaluator import Evaluator
from assay.kernels.statistics.significance import holm
from assay.metaeval.questions.contrast import Contrast
from assay.metaeval.questions.correlation import Correlation
from assay.metaeval.questions.inquiry import Inquiry
from assay.metaeval.questions.question import Resampling
from assay.metaeval.sets.contest import BestThreshold
from assay.metaeval.sets.dectest import SubsetCorrelation
from assay.metaeval.sets.ranking_pairs import OrderedPairs
from assay.metaeval.sets.set_study import study_of_sets
from assay.part import Bounded, Number, Part, Table, reasons_once
from assay.records import Dataset
from assay.run import score
from assay.run.scoring import ScoringOptions
from assay.scores import Column, ScoreTable

CITE = "Tevet & Berant 2021, Evaluating the Evaluation of Diversity in Natural Language Generation"
METRICS = ("distinct", "cos_sim")
WITHOUT_INTERVAL = "this number has no interval"
NOT_ASKED = "no interval was requested"
Row = Correlation | BestThreshold | SubsetCorrelation | OrderedPairs


def scored_target(dataset: Dataset, target: Evaluator) -> Column:
    """The label or parameter of every set."""
    return next(iter(score(dataset, [target], unit="set", failures="error").columns.values()))


def study_against(
    target: Column,
    dataset: Dataset,
    metrics: Sequence[str] | ScoreTable,
    resampling: Resampling,
    *,
    workers: int = 1,
    **scoring: Unpack[ScoringOptions],
) -> Inquiry:
    """The study of metrics against the target; sets are scored unless a table is given."""
    data, names = (metrics, ()) if isinstance(metrics, ScoreTable) else (dataset, metrics)
    table = source_of(data, resampling.seed, workers, **scoring).score(names, "set")
    table = replace(table, columns={**table.columns, target.name: target})
    return study_of_sets(table, target.name, dataset, resampling, workers=workers)


def number(name: str, row: Row, value: float, low: float = nan, high: float = nan, reason: str = "") -> Number:
    """A number of one metric; without interval and reason, the reason is that it has none."""
    bare = isnan(low) and not isnan(value) and not reason
    about = {"evaluator": row.candidate}
    n_missing = 0 if isinstance(row, OrderedPairs) else row.n_missing
    return Number(name, value, row.n, row.signature, n_missing, low, high, WITHOUT_INTERVAL if bare else reason, about)


def rho_number(row: Correlation, name: str = "rho") -> Number:
    """A correlation with its interval and p-value."""
    plain = number(name, row, row.value, row.low, row.high, row.reason)
    return replace(plain, about={**plain.about, "p_value": row.p_value})


def part_of(
    study: Inquiry,
    rows: Sequence[Correlation],
    contrasts: Sequence[Contrast],
    pairs: Sequence[OrderedPairs],
    what: str,
    part: Part,
) -> Part:
    """Complete a part with what both tests show: differences, pairs of sets, the sentence, methods and notes."""
    name = part.tables[0].name
    differences = tuple(
        (pair.left, pair.right, Bounded(pair.difference, pair.low, pair.high), pair.p_value, pair.p_adjusted, pair.n)
        for pair in contrasts
    )
    header = ("left", "right", "rho left - right", "p", "p (Holm)", "sets")
    tables = [Table(f"{name}-differences", "Differences between metrics", header, differences)] if contrasts else []
    if pairs:
        ordered = tuple((row.candidate, row.rho, Bounded(row.accuracy, row.low, row.high), row.n) for row in pairs)
        of_pairs = ("evaluator", "rho of differences", "accuracy", "pairs")
        tables.append(Table(f"{name}-pairs", "Pairs of sets", of_pairs, ordered, "A tie is a miss."))
    return replace(
        part,
        answers={"trust": [followed(rows, contrasts, what)]},
        numbers=(*part.numbers, *map(_difference, contrasts), *(n for row in pairs for n in _pair_numbers(row))),
        tables=(part.tables[0], *tables, *part.tables[1:]),
        methods=(*(row.signature for row in rows), CITE),
        notes=(
            *reasons_once((row.candidate, row.reason) for row in rows),
            *study.table.notes,
            *study.table.gap_notes(),
        ),
        seed=study.resampling.seed,
    )


def _difference(pair: Contrast) -> Number:
    about = {"left": pair.left, "right": pair.right, "p_value": pair.p_value, "p_adjusted": pair.p_adjusted}
    ends = pair.low, pair.high
    return Number("rho, difference", pair.difference, pair.n, pair.signature, 0, *ends, pair.reason, about)


def _pair_numbers(row: OrderedPairs) -> list[Number]:
    accuracy = number("accuracy over pairs", row, row.accuracy, row.low, row.high, row.reason)
    return [accuracy, number("rho over pairs", row, row.rho)]


def followed(rows: Sequence[Correlation], contrasts: Sequence[Contrast], what: str) -> str:
    """Which metric follows the target, and which it beats, by tests adjusted for their number."""
    defined = [row for row in rows if not isnan(row.value)]
    if not defined:
        return f"No metric can be compared with {what}: all scores, or all targets, are the same."
    best = max(defined, key=lambda row: row.value)
    if best.n < FEW_UNITS:
        return f"{counted(best.n, 'set')} with {what}: too few to trust a metric by."
    if isnan(best.p_value):
        reason = best.reason.removeprefix("no interval: ") or NOT_ASKED
        return f"Whether a metric follows {what} is unknown: {reason}."
    adjusted = holm(np.array([row.p_value for row in defined]))
    if not (best.value > 0 and adjusted[defined.index(best)] < ALPHA):
        return f"No metric clearly follows {what}."
    pairs = [pair for pair in contrasts if best.candidate in (pair.left, pair.right)]
    rivals = [pair.right if pair.left == best.candidate else pair.left for pair in pairs if not pair.p_adjusted < ALPHA]
    here = f"(rho {best.value:.2f} on these sets)"
    if rivals:
        return f"{best.candidate} follows {what} {here}, but is not clearly above {listed(rivals)}."
    return f"{best.candidate} follows {what} best {here}." if pairs else f"{best.candidate} follows {what} {here}."
