"""A fluency score beside the listeners, which do not see fluency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.analyses.system_scores import scores_of
from assay.metaeval.systems.comparison import rank_systems
from assay.part import Cell, Number, Table
from assay.records import Dataset
from assay.run import score

NONE = "no fluency score is shown beside the listeners: name one, such as perplexity or a human criterion."


def fluency_of(dataset: Dataset, evaluator: str | None, scoring: Mapping[str, Any]) -> tuple[list[Number], list[str]]:
    """Score the systems by a fluency evaluator, by default perplexity where the data has log-probabilities."""
    if evaluator is None and len(dataset.logprobs):
        evaluator = "perplexity"
    if evaluator is None:
        return [], [NONE]
    table = score(dataset, [evaluator], unit="output", failures="error", **scoring)
    return scores_of(table, evaluator, rank_systems(table, [evaluator])), [*table.notes, *table.gap_notes()]


def fluency_table(numbers: Sequence[Number]) -> Table:
    """A row per system."""
    rows: list[tuple[Cell, ...]] = [(number.about["system"], number.n, number.cell) for number in numbers]
    header = ("system", "outputs", str(numbers[0].about["evaluator"]))
    return Table("fluency", "Fluency, which listeners do not see", header, tuple(rows))
