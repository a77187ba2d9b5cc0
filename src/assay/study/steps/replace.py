"""The step `[replace]`: may a judge replace a human annotator?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.analyses.replace import replace
from assay.part import Part
from assay.records import Dataset
from assay.study.step import Step
from assay.study.task import Task


@dataclass(frozen=True)
class Replace(Step):
    """The alternative annotator test of a judge, by the published rule and by clusters."""

    name: ClassVar[str] = "replace"
    about: ClassVar[str] = "May the judge replace a person?"

    judge: str
    criteria: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    epsilon: float = 0.2

    def run(self, task: Task) -> Part:
        """Leave each person out in turn, and compare the judge with that person."""
        return replace(task, self.judge, self.criteria, ignore=self.ignore, epsilon=self.epsilon, seed=task.seed)

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """A model must be among the annotators, beside two people."""
        table = dataset.judgments
        models = [name for name in table.annotators if name in table.models()]
        return {"judge": models[0]} if models and len(table.annotators) > len(models) + 1 else None
