"""What needs all the data of all parts: scores that depend on all of it, and models that are fitted on it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from assay.errors import EvaluatorError
from assay.io.parts import DataPart, DataParts, PartNames
from assay.records import Dataset
from assay.run.executor import executor as find_executor
from assay.run.learning import Learning
from assay.run.one_pass import Run, RunSettings
from assay.run.part_folds import CrossFitted, cross_fit
from assay.run.part_plan import Plan
from assay.run.part_scores import OfPart
from assay.run.requests import Sender
from assay.run.scoring import ScoringOptions, score_units
from assay.scores import ScoreTable
from assay.units import Units


@dataclass(frozen=True)
class Gathered:
    """What was made of all the data: models of all folds, and for each part its scores and the folds of its outputs."""

    cross_fitted: Mapping[str, CrossFitted] = field(default_factory=dict)
    of_part: Mapping[DataPart, OfPart] = field(default_factory=dict)


def gather_all(
    data: DataParts, names: Sequence[PartNames], plan: Plan, learning: Learning, scoring: ScoringOptions
) -> Gathered:
    """Bring all the data together for the evaluators that need it, and cut what they make of it into parts."""
    if not plan.gathered:
        return Gathered()
    dataset = data.load(plan.read_at_once)
    learning.check(dataset, [evaluator for evaluator, _ in plan.gathered.values()])
    fitted, folds = cross_fit(Run(dataset, RunSettings(learning)), plan, learning)
    table = scored_at_once(dataset, plan, plan.gathered.keys() - fitted.keys(), learning, scoring)
    members = Units(plan.kind, dataset).members
    first_output = members.values[members.offsets[:-1]]
    ends = np.cumsum([len(one.id) for one in names])
    part_of_unit = np.searchsorted(ends, first_output, side="right")
    of_part = {}
    for number, part in enumerate(data.parts):
        rows = np.flatnonzero(part_of_unit == number)
        columns = {name: column.take(rows) for name, column in table.columns.items()}
        own = {name: fold[ends[number] - len(names[number].id) : ends[number]] for name, fold in folds.items()}
        of_part[part] = OfPart(columns, table.unit.take(rows), own)
    return Gathered(fitted, of_part)


def scored_at_once(
    dataset: Dataset, plan: Plan, names: Collection[str], learning: Learning, scoring: ScoringOptions
) -> ScoreTable:
    """Score all the data in this process with some of the gathered evaluators. The notes are about failures alone."""
    evaluators = {name: evaluator for name, (evaluator, _) in plan.gathered.items() if name in names}
    learning.check(dataset, list(evaluators.values()))
    engine = find_executor(scoring.get("executor") or "serial")
    settings = RunSettings(learning, engine, scoring.get("cache"), None, Sender.of(scoring.get("requests")))
    table = score_units(dataset, evaluators, plan.kind, settings, "error")
    for name in evaluators:
        if n := sum(table[name].gaps.for_now.values()):
            raise EvaluatorError(
                f"{name}: {n} of {len(table)} {plan.kind}s were not asked about. Answers so far are kept: raise "
                "--max-requests or leave --offline out, and run the same command."
            )
    return replace(table, columns={name: replace(column, finish=None) for name, column in table.columns.items()})
