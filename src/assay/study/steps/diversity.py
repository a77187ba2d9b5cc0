"""The step `[diversity]`: how much each system's outputs for one item differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from assay.analyses.sets.diversity import diversity
from assay.part import Part
from assay.records import Dataset
from assay.study.keys import EvaluatorCall
from assay.study.proposals import diversity_metrics
from assay.study.step import Step
from assay.study.task import Task


@dataclass(frozen=True)
class Diversity(Step):
    """Systems ranked by diversity metrics over sets of outputs."""

    name: ClassVar[str] = "diversity"
    about: ClassVar[str] = "How much each system's outputs for one item differ, by several metrics."

    evaluators: tuple[EvaluatorCall, ...]

    def run(self, task: Task) -> Part:
        """Rank the systems by each metric, and compare each with human texts."""

        def score_from(dataset: Dataset) -> Task:
            return replace(task, dataset=dataset, _scored={})

        return diversity(task, task.dataset, self.evaluators, score_from, task.seed)

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """Needs sets of several outputs."""
        metrics = diversity_metrics(dataset)
        return {"evaluators": metrics} if metrics else None
