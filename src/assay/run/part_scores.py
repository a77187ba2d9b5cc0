"""Scoring one part of the data, in any process, into one file of scores."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from time import monotonic

import numpy as np

from assay.applied import Saved
from assay.errors import AssayError, DataError
from assay.evaluator import Counted, Evaluator
from assay.io.code import code_fingerprint
from assay.io.parts import DataPart
from assay.io.score_parts import save_part, stored_about_part
from assay.kernels.overlap.key_counts import KeyCounts
from assay.needs import native_unit
from assay.records import Dataset
from assay.run.facts import Facts
from assay.run.learning import Learning
from assay.run.one_pass import Run, RunSettings
from assay.run.part_folds import CrossFitted, Folds
from assay.run.part_models import Trained
from assay.run.part_references import Known, with_pools
from assay.run.partial_sums import ColumnSums
from assay.run.scoring import score_units
from assay.scores import Column, ScoreTable
from assay.text.strings import Strings
from assay.units import Units


@dataclass(frozen=True)
class OfPart:
    """What is known of a part from all the data: scores of its units, and by evaluator the fold of each output."""

    columns: Mapping[str, Column] = field(default_factory=dict)
    unit: Strings | None = None
    folds: Mapping[str, Folds] = field(default_factory=dict)


@dataclass(frozen=True)
class PartTask:
    """A part to score, and what is known of it from all the data."""

    part: DataPart
    key: str
    gathered: OfPart


@dataclass(frozen=True)
class PartOutcome:
    """What became of a part: its facts and sums, or why it failed, and the seconds that it took.

    `systems` are the facts of each system, where whole systems are scored.
    """

    name: str
    facts: Facts | None = None
    sums: Mapping[str, ColumnSums] | None = None
    notes: tuple[str, ...] = ()
    systems: Mapping[str, Facts] | None = None
    failure: str = ""
    seconds: float = 0.0

    def as_json(self) -> str:
        """What is stored beside the scores, so that a part that is finished is not read again."""
        sums = {name: column.as_json() for name, column in (self.sums or {}).items()}
        facts = None if self.facts is None else self.facts.as_json()
        systems = {system: one.as_json() for system, one in (self.systems or {}).items()}
        return json.dumps({"facts": facts, "sums": sums, "notes": self.notes, "systems": systems})

    @classmethod
    def from_json(cls, name: str, text: str) -> PartOutcome:
        """The inverse of `as_json`."""
        content = json.loads(text)
        sums = {column: ColumnSums.from_json(one) for column, one in content["sums"].items()}
        facts = Facts.from_json(content["facts"]) if content["facts"] else None
        systems = {system: Facts.from_json(one) for system, one in content["systems"].items()}
        return cls(name, facts, sums, tuple(content["notes"]), systems)


@dataclass(frozen=True)
class CountPart:
    """Counts in parts what evaluators need to know of all units."""

    evaluators: tuple[Evaluator, ...]
    kind: str
    known: Mapping[str, Known]

    def __call__(self, part: DataPart) -> list[KeyCounts] | str:
        """What each evaluator counts, or what is wrong with the part."""
        try:
            return counts_of(part.load(), self.evaluators, self.kind, self.known)
        except AssayError as error:
            return str(error)
        except (MemoryError, OSError) as error:
            return f"{part.path.name}: {type(error).__name__}: {error}".removesuffix(": ")


def counts_of(
    dataset: Dataset, evaluators: Sequence[Evaluator], kind: str, known: Mapping[str, Known]
) -> list[KeyCounts]:
    """What each evaluator counts in the units that it scores by itself."""
    dataset, sources = with_pools(dataset, evaluators, known)
    run = Run(dataset, RunSettings(sources=sources))
    return [run.over(native_unit(dataset, one, kind)).counts([one])[0] for one in evaluators]


@dataclass(frozen=True)
class ScorePart:
    """Scores parts: the same function for all, so that a worker loads its models once.

    `saved` are the saved models in all evaluators, gathered ones too. `known` is what sources of references must know
    of all parts, `counts` are those of all parts, `models` those of a training set and `cross_fitted` those of folds,
    of the evaluators that need them.
    """

    mapped: Mapping[str, Evaluator]
    order: tuple[str, ...]
    kind: str
    seed: int
    folder: Path
    saved: Saved
    known: Mapping[str, Known] = field(default_factory=dict)
    counts: Mapping[str, KeyCounts] = field(default_factory=dict)
    models: Mapping[str, Trained] = field(default_factory=dict)
    cross_fitted: Mapping[str, CrossFitted] = field(default_factory=dict)

    def __call__(self, task: PartTask) -> PartOutcome:
        """Score a part and write its scores; whatever is wrong with it is told, and no error."""
        return told(task, self._scored)

    def _scored(self, task: PartTask) -> PartOutcome:
        dataset = task.part.load()
        table = self.table(dataset, list(self.mapped), self.kind, task.gathered.folds)
        columns = {**table.columns, **_matched(task, table)}
        table = replace(table, columns={name: columns[name] for name in self.order})
        sums = {name: ColumnSums.of(table, name) for name in self.order}
        outcome = PartOutcome(task.part.name, Facts.of(Units(self.kind, dataset), self.saved), sums, table.notes)
        save_part(table, score_path(self.folder, task.part), {"key": task.key, "outcome": outcome.as_json()})
        return outcome

    def table(self, dataset: Dataset, names: Sequence[str], kind: str, folds: Mapping[str, Folds]) -> ScoreTable:
        """Score the units of a kind in a part with some of the mapped evaluators."""
        found = self._evaluators(folds)
        evaluators = {name: found[name] for name in names}
        dataset, sources = with_pools(dataset, evaluators.values(), self.known)
        settings = RunSettings(Learning(seed=self.seed), sources=sources)
        table = score_units(dataset, evaluators, kind, settings, "error")
        signatures = {name: one.signature for name, one in self.models.items()}
        signatures |= {name: one.signature for name, one in self.cross_fitted.items()}
        fitted = {name: replace(table[name], signature=signatures[name]) for name in names if name in signatures}
        return replace(table, columns={**table.columns, **fitted})

    def _evaluators(self, folds: Mapping[str, Folds]) -> dict[str, Evaluator]:
        """The evaluators, with the counts of all parts and the models that they need."""
        found = {**self.mapped, **{name: model.applied for name, model in self.models.items()}}
        found |= {name: one.applied(folds[name]) for name, one in self.cross_fitted.items()}
        for name, counts in self.counts.items():
            shape = found[name].shape
            assert isinstance(shape, Counted)
            found[name] = replace(found[name], shape=shape.given(counts))
        return found


def told(task: PartTask, scored: Callable[[PartTask], PartOutcome]) -> PartOutcome:
    """What became of a part, with the time that it took; an error that lies in the part is its outcome."""
    start = monotonic()
    try:
        return replace(scored(task), seconds=monotonic() - start)
    except AssayError as error:
        return PartOutcome(task.part.name, failure=str(error))
    except (MemoryError, OSError) as error:
        return PartOutcome(task.part.name, failure=f"{type(error).__name__}: {error}".removesuffix(": "))


def score_path(folder: Path, part: DataPart) -> Path:
    """Where the scores of a part go."""
    return folder / f"{part.name}.parquet"


def part_key(part: DataPart, question: str) -> str:
    """Says what the scores of a part were computed from: the file, the question and the code."""
    return blake2b(f"{part.identity}\0{question}\0{code_fingerprint()}".encode(), digest_size=16).hexdigest()


def kept_outcome(folder: Path, part: DataPart, key: str) -> PartOutcome | None:
    """What is known of a part that an earlier run finished; None if there is none, or it answers something else."""
    about = stored_about_part(score_path(folder, part))
    return PartOutcome.from_json(part.name, about["outcome"]) if about.get("key") == key else None


def _matched(task: PartTask, table: ScoreTable) -> dict[str, Column]:
    """The gathered scores of this part, in the order of its units."""
    if task.gathered.unit is None:
        return {}
    if task.gathered.unit == table.unit:
        return dict(task.gathered.columns)
    codes = Strings.concatenate([task.gathered.unit, table.unit]).codes()
    given, wanted = codes[: len(task.gathered.unit)], codes[len(task.gathered.unit) :]
    row = np.full(int(codes.max(initial=-1)) + 1, -1, np.int64)
    row[given] = np.arange(len(given))
    if (row[wanted] < 0).any():
        missing = table.unit[int(np.flatnonzero(row[wanted] < 0)[0])]
        raise DataError(f"{task.part.path.name}: {missing} was not in the data when all of it was scored.")
    return {name: column.take(row[wanted]) for name, column in task.gathered.columns.items()}
