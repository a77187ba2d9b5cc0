"""The step `[agreement]`: how far the annotators agree, and how good each of them is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.analyses.agree import agree
from assay.part import Part
from assay.records import Dataset
from assay.study.proposals import judged_criteria, labeled_criteria
from assay.study.step import Step
from assay.study.task import Task


@dataclass(frozen=True)
class Agreement(Step):
    """Kappas and alpha per criterion with intervals, and a row per annotator."""

    name: ClassVar[str] = "agreement"
    about: ClassVar[str] = "How far the annotators agree, and how good each of them is."

    criteria: tuple[str, ...]

    def run(self, task: Task) -> Part:
        """Measure agreement on each criterion."""
        return agree(task.dataset, self.criteria, resamples=task.resamples, seed=task.seed, progress=task.progress)

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """Several annotators are needed."""
        criteria = [*judged_criteria(dataset), *labeled_criteria(dataset)]
        return {"criteria": criteria} if criteria and len(dataset.judgments.annotators) > 1 else None
