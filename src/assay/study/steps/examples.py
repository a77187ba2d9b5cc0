"""The step `[examples]`: texts worth reading, and what each generator gets wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.analyses.examples.part import examples
from assay.part import Part
from assay.records import Dataset
from assay.study.keys import EvaluatorCall, Positive
from assay.study.proposals import human_evaluators, usable_evaluators
from assay.study.step import Step
from assay.study.task import Task

MOST_PROPOSED = 6


@dataclass(frozen=True)
class Examples(Step):
    """Best, worst and disputed outputs side by side, and where each generator is behind the others."""

    name: ClassVar[str] = "examples"
    about: ClassVar[str] = (
        "The best, worst and most disputed outputs of each system beside the others' answers, and what each gets "
        "wrong. The first evaluator decides."
    )

    evaluators: tuple[EvaluatorCall, ...]
    each: Positive = 1

    def run(self, task: Task) -> Part:
        """Choose the outputs, and test each generator against the others."""
        return examples(task, self.evaluators, each=self.each, seed=task.seed)

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """Human judgments, then evaluators of single outputs."""
        usable = usable_evaluators(dataset, unit="output")
        chosen = [*human_evaluators(dataset), *(name for name in usable if name != "length")]
        return {"evaluators": list(dict.fromkeys(chosen))[:MOST_PROPOSED]} if chosen else None
