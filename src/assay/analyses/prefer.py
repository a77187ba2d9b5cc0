"""Systems ranked by pairwise preferences, of annotators or of an evaluator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from math import nan
from typing import Any, Unpack

from assay.analyses.sources import Data, ScoreSource, refuse_unused, source_of
from assay.errors import AssayError, DataError
from assay.metaeval.questions.question import signature
from assay.metaeval.votes.equal_length import EqualLength, win_rates_at_equal_length
from assay.metaeval.votes.pair_judgments import Comparisons, compared_criteria, comparisons_of
from assay.metaeval.votes.pair_scores import comparisons_from, preferring_unit
from assay.metaeval.votes.preference import preferences_of
from assay.metaeval.votes.preference_spread import Factor, Intervals, PreferenceOptions
from assay.part import Bounded, Cell, Number, Part, Table
from assay.records import Dataset
from assay.registry import parse
from assay.run.scoring import ScoringOptions
from assay.scores import Column


def prefer(
    data: Data,
    criterion: str | None = None,
    *,
    evaluator: str | None = None,
    prior_wins: float = 0.0,
    intervals: Intervals = "clustered",
    over: Sequence[Factor] = (),
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    **scoring: Unpack[ScoringOptions],
) -> Part:
    """Rank systems by Bradley and Terry's model, with ties as in Davidson's.

    Args:
        data: a data set with judgments about pairs, or outputs of several systems for one item.
        criterion: the criterion whose judgments compare two units; by default the only one.
        evaluator: an evaluator that compares outputs instead, by name or call.
        prior_wins: pseudo-wins added both ways to each pair of systems.
        intervals: clustered, bootstrap, or information (independent judgments).
        over: the clusters: items, annotators or both; by default those with several judgments.
        resamples: of the bootstrap.
        confidence: of the intervals.
        seed: of everything random.
        scoring: how evaluators are scored: `train`, `folds`, `executor`, `cache` and `requests` of `assay.score`.
    """
    source = source_of(data, seed, **scoring)
    if criterion is None and evaluator is None and source.dataset is not None:
        criterion = _only_criterion(source.dataset)
    comparisons, column, notes = _comparisons(source, criterion, evaluator, scoring)
    options = PreferenceOptions(prior_wins, intervals, tuple(over), resamples, confidence, seed)
    result = preferences_of(comparisons, options).as_json()
    controlled = win_rates_at_equal_length(comparisons, confidence)
    origin = signature("preference", criterion=criterion, evaluator=column, **asdict(options))
    if result.get("reason"):
        notes.append(f"no strengths: {result['reason']}")
    if result.get("no_interval"):
        notes.append(f"no intervals: {result['no_interval']}")
    same = f" {result['n_same_system']} more compare a system with itself." if result["n_same_system"] else ""
    return Part(
        title="Preferences",
        summary=f"{len(result['systems'])} systems by {criterion or evaluator}: {result['n']} comparisons, "
        f"{result['model']}, p adjusted for all pairs (Holm).{same}",
        numbers=(
            *_strengths(result, origin),
            *_controlled_numbers(controlled, origin),
            *_differences(result, origin),
        ),
        tables=(*_tables(result), *_controlled_tables(controlled)),
        methods=tuple(filter(None, (origin, result.get("signature")))),
        notes=tuple(notes),
        seed=seed,
    )


def _comparisons(
    source: ScoreSource, criterion: str | None, evaluator: str | None, scoring: ScoringOptions
) -> tuple[Comparisons, Column | None, list[str]]:
    """The comparisons, the scores they come from if an evaluator made them, and notes."""
    if criterion is not None and evaluator is not None:
        raise AssayError("whose preferences? Give --criterion NAME for annotators, or -e NAME for an evaluator.")
    if source.dataset is None:
        raise DataError("a table of scores holds no comparisons. Give the data set with texts and judgments.")
    if evaluator is None:
        assert criterion is not None
        refuse_unused(scoring, "judgments are compared")
        return comparisons_of(source.dataset, criterion), None, []
    table = source.score([evaluator], preferring_unit(source.dataset, parse(evaluator)))
    comparisons = comparisons_from(source.dataset, table, evaluator)
    notes = list(table.notes)
    if comparisons.n_missing:
        notes.append(f"{comparisons.n_missing} matchups are left out: {evaluator} has no score for them.")
    return comparisons, table[evaluator], notes


def _only_criterion(dataset: Dataset) -> str:
    compared = compared_criteria(dataset)
    if len(compared) != 1:
        known = f" Criteria that compare units: {', '.join(compared)}." if compared else ""
        raise AssayError(
            f"whose preferences? Give --criterion NAME for annotators, or -e NAME for an evaluator.{known}"
        )
    return compared[0]


def _strengths(result: Mapping[str, Any], origin: str) -> Iterator[Number]:
    reason = result.get("reason") or result.get("no_interval") or ""
    for row in result["systems"]:
        place = [row["rank_low"], row["rank_high"]] if row["rank_low"] is not None else None
        about = {key: row[key] for key in ("system", "rank", "wins", "ties", "losses")} | {"rank_interval": place}
        ends = _float(row["low"]), _float(row["high"])
        yield Number("strength", _float(row["strength"]), row["n"], origin, 0, *ends, reason, about)


def _differences(result: Mapping[str, Any], origin: str) -> Iterator[Number]:
    reason = result.get("reason") or result.get("no_interval") or ""
    for row in result["pairs"]:
        about = {key: row[key] for key in ("left", "right", "p_value", "p_adjusted", "p_preferred", "p_tie")}
        ends = _float(row["low"]), _float(row["high"])
        yield Number("difference", row["difference"], result["n"], origin, 0, *ends, reason, about)


def _controlled_numbers(controlled: Sequence[EqualLength], origin: str) -> Iterator[Number]:
    for one in controlled:
        about = {"left": one.left, "right": one.right, "win_rate": one.as_it_is}
        reason = "" if one.low == one.low else "too few items"
        yield Number(
            "win rate at equal length", one.at_equal_length, one.n, origin, 0, one.low, one.high, reason, about
        )


def _controlled_tables(controlled: Sequence[EqualLength]) -> Iterator[Table]:
    if controlled:
        rows: list[tuple[Cell, ...]] = [
            (one.left, one.right, one.n, one.as_it_is, Bounded(one.at_equal_length, one.low, one.high))
            for one in controlled
        ]
        header = ("left", "right", "comparisons", "win rate of left", "at equal length")
        note = "A tie is half a win. At equal length: by a logistic regression on log2 of the ratio of the lengths."
        yield Table("preference_lengths", "Win rates at equal length", header, tuple(rows), note)


def _tables(result: Mapping[str, Any]) -> tuple[Table, ...]:
    systems: list[tuple[Cell, ...]] = [
        (a["rank"], "-".join(map(str, a["rank_interval"] or ())), a["system"], number.cell, *_counts(a))
        for number in _strengths(result, "")
        for a in (number.about,)
    ]
    pairs: list[tuple[Cell, ...]] = [
        (a["left"], a["right"], number.cell, a["p_value"], a["p_adjusted"], a["p_preferred"], a["p_tie"])
        for number in _differences(result, "")
        for a in (number.about,)
    ]
    of_systems = ("rank", "ranks", "system", "strength", "wins", "ties", "losses")
    of_pairs = ("left", "right", "difference", "p", "p (holm)", "left preferred", "tie")
    ranking = Table("preference", "Systems by strength", of_systems, tuple(systems))
    compared = Table("preference_pairs", "Differences of strength, left minus right", of_pairs, tuple(pairs))
    return (ranking, compared) if pairs else (ranking,)


def _counts(about: Mapping[str, Any]) -> tuple[int, int, int]:
    return about["wins"], about["ties"], about["losses"]


def _float(value: float | None) -> float:
    return nan if value is None else value
