"""A table of scores as a result: a score per system, what is missing, and the texts that explain scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assay.analyses.system_scores import scores_of
from assay.listening import has_beliefs, share_of_hits
from assay.part import Cell, Number, Part, Table
from assay.scores import Column, ScoreTable

NO_INTERVAL = "scored, not compared: `assay compare` has intervals"


def scores_part(table: ScoreTable, *, texts: bool = False) -> Part:
    """Show a table by system; with `texts`, also what evaluators left beside the scores of single units."""
    by_evaluator = {name: _numbers(table, name) for name in table.columns}
    explained: list[tuple[Cell, ...]] = [
        (name, unit, text)
        for name, column in table.columns.items()
        for unit, text in zip(table.unit, column.texts or (), strict=column.texts is not None)
        if text
    ]
    heard = {name: column for name, column in table.columns.items() if has_beliefs(column)}
    hits = [_share_of_hits(name, column) for name, column in heard.items()]
    shown = [replace(overview(by_evaluator), title="")]
    if hits:
        cells = tuple((number.about["evaluator"], number.value, number.n) for number in hits)
        shown.append(Table("hits", "How often the likeliest choice is the target", ("listener", "share", "n"), cells))
    if texts and explained:
        shown.append(Table("texts", "Texts beside scores", ("evaluator", "unit", "text"), tuple(explained)))
    return Part(
        title="Scores",
        summary="",
        numbers=(*(number for numbers in by_evaluator.values() for number in numbers), *hits),
        tables=tuple(shown),
        methods=tuple(column.signature for column in table.columns.values()),
        notes=(*table.notes, *missing(table)),
        seed=table.seed,
    )


def overview(by_evaluator: Mapping[str, list[Number]], note: str = "") -> Table:
    """A row per system, a column per evaluator."""
    rows: dict[str, dict[str, float]] = {}
    for name, numbers in by_evaluator.items():
        for number in numbers:
            rows.setdefault(number.about["system"], {})[name] = number.value
    cells: list[tuple[Cell, ...]] = [
        (system, *(row.get(name) for name in by_evaluator)) for system, row in rows.items()
    ]
    return Table("scores", "Scores of systems", ("system", *by_evaluator), tuple(cells), note)


def missing(table: ScoreTable) -> list[str]:
    """How many units have no score, and why."""
    sentences = []
    for name, column in table.columns.items():
        if column.n_missing:
            reasons = ", ".join(f"{reason}: {n}" for reason, n in column.gaps.counts().items())
            sentences.append(f"{name} has no score for {column.n_missing} of {len(table)} {table.kind}s ({reasons}).")
    return sentences


def _share_of_hits(name: str, column: Column) -> Number:
    share, n = share_of_hits(column)
    return Number(
        "share of hits", share, n, column.signature, len(column) - n, reason=NO_INTERVAL, about={"evaluator": name}
    )


def _numbers(table: ScoreTable, name: str) -> list[Number]:
    return [replace(number, reason=number.reason or NO_INTERVAL) for number in scores_of(table, name, None)]
