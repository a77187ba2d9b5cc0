"""Scores of whole systems over data in parts.

Evaluators of finer units have given sums, part by part. Those that need all outputs of a system get one system after
the other, and those that compare systems get what they read of all the data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from assay.errors import AssayError, DataError, WorkerDied
from assay.evaluator import Evaluator
from assay.io.part_fields import Fields
from assay.io.parts import DataParts, PartNames
from assay.registry import travels
from assay.run.executor import Executor, Serial
from assay.run.facts import Facts
from assay.run.learning import Learning
from assay.run.one_pass import RunSettings
from assay.run.part_plan import Plan, fields_read
from assay.run.part_scores import PartOutcome
from assay.run.partial_sums import ColumnSums
from assay.run.scoring import score_units
from assay.scores import Column, ScoreTable
from assay.text.strings import Strings


@dataclass(frozen=True)
class ScoreSystem:
    """Scores single systems. `parts` are those that have outputs of each, and `read` is what is read of them."""

    evaluators: Mapping[str, Evaluator]
    parts: Mapping[str, DataParts]
    read: Fields
    seed: int

    def __call__(self, system: str) -> Mapping[str, Column] | str:
        """The scores of a system by evaluator, or what is wrong with it."""
        try:
            dataset = self.parts[system].load(self.read, system)
            settings = RunSettings(Learning(seed=self.seed))
            table = score_units(dataset, self.evaluators, "system", settings, "error")
        except AssayError as error:
            return str(error)
        except (MemoryError, OSError) as error:
            return f"{type(error).__name__}: {error}".removesuffix(": ")
        # What finishes statistics cannot be pickled.
        return {name: replace(column, finish=None) for name, column in table.columns.items()}


def table_of_systems(
    data: DataParts,
    names: Sequence[PartNames],
    plan: Plan,
    outcomes: Sequence[PartOutcome],
    engine: Executor,
    seed: int,
    compared: Callable[[], ScoreTable],
) -> ScoreTable:
    """The scores of systems: from the sums of parts, system by system, and by what `compared` gives of all data."""
    facts = _facts(outcomes)
    systems = list(facts)
    columns = {name: _pooled(name, plan, outcomes) for name in plan.mapped}
    columns |= _one_by_one(data, names, plan, systems, engine, seed)
    if plan.gathered:
        table = compared()
        row_of = {system: row for row, system in enumerate(table.unit)}
        rows = np.array([row_of[system] for system in systems])
        columns |= {name: table[name].take(rows) for name in plan.gathered}
    notes = [*reduce(Facts.__add__, facts.values()).notes(plan.evaluators)]
    notes += dict.fromkeys(note for one in outcomes for note in one.notes)
    ids = Strings.of(systems)
    return ScoreTable("system", ids, Strings.of([""] * len(systems)), ids, columns, seed, tuple(notes))


def _pooled(name: str, plan: Plan, outcomes: Sequence[PartOutcome]) -> Column:
    sums = ColumnSums.total(one.sums[name] for one in outcomes if one.sums is not None)
    return sums.column(name, plan.finish(name))


def _one_by_one(
    data: DataParts, names: Sequence[PartNames], plan: Plan, systems: Sequence[str], engine: Executor, seed: int
) -> dict[str, Column]:
    """The scores of each system from its own outputs alone, wherever there is room for one."""
    if not plan.by_system:
        return {}
    if not engine.in_process and not all(map(travels, plan.by_system.values())):
        engine = Serial()
    with_any = {
        system: replace(
            data, parts=tuple(p for p, own in zip(data.parts, names, strict=True) if system in own.n_of_system)
        )
        for system in systems
    }
    work = ScoreSystem(plan.by_system, with_any, fields_read(plan.by_system.values(), plan.sample), seed)
    found: list[Mapping[str, Column]] = []
    try:
        for system, scores in zip(systems, engine.map(work, systems), strict=True):
            if isinstance(scores, str):
                raise DataError(f"the system {system!r}: {scores}")
            found.append(scores)
    except WorkerDied as error:
        raise DataError(f"the system {systems[len(found)]!r}: {error}") from None
    return {name: Column.concatenate([scores[name] for scores in found]) for name in plan.by_system}


def _facts(outcomes: Sequence[PartOutcome]) -> dict[str, Facts]:
    """The facts of each system over all parts, in the order of the data."""
    found: dict[str, Facts] = {}
    for outcome in outcomes:
        for system, facts in (outcome.systems or {}).items():
            found[system] = found[system].continued(facts) if system in found else facts
    return found
