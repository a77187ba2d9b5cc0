"""The step `[scores]`: every evaluator on every system, and on every unit in a file beside the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.analyses.scores import study_scores
from assay.part import Part
from assay.records import Dataset
from assay.study.keys import EvaluatorCall
from assay.study.proposals import usable_evaluators
from assay.study.step import Step
from assay.study.task import Task


@dataclass(frozen=True)
class Scores(Step):
    """Scores of systems; a system's score is pooled from its outputs or sets, as the evaluator defines it."""

    name: ClassVar[str] = "scores"
    about: ClassVar[str] = "Every evaluator on every system, and on every unit in out/scores."

    evaluators: tuple[EvaluatorCall, ...]

    def run(self, task: Task) -> Part:
        """Score the systems with each evaluator at its own unit."""
        return study_scores(task, self.evaluators, task.progress)

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any]:
        """Every inexpensive evaluator that the data allows."""
        return {"evaluators": usable_evaluators(dataset)}
