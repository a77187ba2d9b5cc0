"""Where an analysis gets its scores: a data set, a table of scores, or a source with its own cache and options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, Unpack

from assay.errors import AssayError, EvaluatorError, did_you_mean
from assay.grammar import without_origin
from assay.io.frames import from_frame, is_frame
from assay.needs import choose_unit, parse_for
from assay.records import Dataset
from assay.run import score
from assay.run.scoring import ScoringOptions
from assay.scores import ScoreTable


class ScoreSource(Protocol):
    """Scores on demand; `dataset` is None where there are only scores. The command line and studies have their own."""

    @property
    def dataset(self) -> Dataset | None:
        """What is scored."""

    def score(self, evaluators: Sequence[str], unit: str | None = None) -> ScoreTable:
        """The scores by these evaluators, or columns; of a table, all where none is named."""


Data = Dataset | ScoreTable | ScoreSource


@dataclass(frozen=True)
class _FromDataset:
    dataset: Dataset
    seed: int
    workers: int
    options: ScoringOptions = field(default_factory=ScoringOptions)

    def score(self, evaluators: Sequence[str], unit: str | None = None) -> ScoreTable:
        names = list(dict.fromkeys(evaluators))
        return score(
            self.dataset, names, unit=unit, seed=self.seed, workers=self.workers, failures="error", **self.options
        )


@dataclass(frozen=True)
class _FromTable:
    table: ScoreTable
    dataset: None = None

    def score(self, evaluators: Sequence[str], unit: str | None = None) -> ScoreTable:
        chosen = {name: self.table[column_of(self.table, name)] for name in evaluators or self.table.columns}
        return replace(self.table, columns={name: replace(column, name=name) for name, column in chosen.items()})


def source_of(data: Data, seed: int = 0, workers: int = 1, **scoring: Unpack[ScoringOptions]) -> ScoreSource:
    """The scores of a data set, of a table, or of a source as it is."""
    if is_frame(data):
        data = from_frame(data)
    if isinstance(data, Dataset):
        return _FromDataset(data, seed, workers, scoring)
    refuse_unused(scoring, "the scores are given")
    return _FromTable(data) if isinstance(data, ScoreTable) else data


def refuse_unused(scoring: ScoringOptions, why: str) -> None:
    """Refuse scoring options where nothing is scored."""
    unused = [name for name, value in scoring.items() if value is not None]
    if unused:
        raise AssayError(f"{why}, so nothing is scored. Leave out {' and '.join(unused)}.")


def tables_by_unit(source: ScoreSource, evaluators: Sequence[str], unit: str | None = None) -> list[ScoreTable]:
    """Score each evaluator at its own unit, or all at `unit`; those of one unit share their pass over the texts."""
    if source.dataset is None or unit or not evaluators:
        return [source.score(evaluators, unit)]
    by_unit: dict[str, list[str]] = {}
    for name in evaluators:
        by_unit.setdefault(choose_unit(source.dataset, [parse_for(source.dataset, name)], None), []).append(name)
    return [source.score(names, own) for own, names in by_unit.items()]


def column_of(table: ScoreTable, wanted: str, where: str = "the table of scores") -> str:
    """Find a column by name or by signature, which is how results name their columns."""
    if wanted in table.columns:
        return wanted
    matches = [name for name, column in table.columns.items() if without_origin(column.signature) == wanted]
    if not matches:
        raise EvaluatorError(f"{where} has no column {wanted!r}.{did_you_mean(wanted, table.columns)}")
    return matches[0]


def share_of(progress: Callable[[int, int], None] | None, place: int, n: int) -> Callable[[int, int], None] | None:
    """The progress callback of one of n equal shares of the work."""
    return progress and (lambda done, total: progress(place * total + done, n * total))


def people_of(source: ScoreSource) -> set[str]:
    """The systems that are people."""
    if source.dataset is None:
        return set()
    systems = source.dataset.systems
    return {name for name, human in zip(systems.id, systems.human, strict=True) if human}
