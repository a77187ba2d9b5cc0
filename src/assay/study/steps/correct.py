"""The step `[correct]`: human means from few labels and judges on everything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from assay.analyses.correct import correct
from assay.part import Part
from assay.records import Dataset
from assay.study.proposals import quality_criterion
from assay.study.step import Step
from assay.study.task import Task


@dataclass(frozen=True)
class Correct(Step):
    """Prediction-powered means of systems, beside those of the labels alone."""

    name: ClassVar[str] = "correct"
    about: ClassVar[str] = "Human means from few labels and judges on everything."

    criterion: str
    judges: tuple[str, ...]
    population: Literal["these", "new"] = "these"

    def run(self, task: Task) -> Part:
        """Correct the judges by the labels."""
        return correct(task, self.criterion, self.judges, population=self.population, seed=task.seed)

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """A model must be among the annotators, and some outputs labeled by people and others not."""
        criterion = quality_criterion(dataset)
        if criterion is None:
            return None
        table = dataset.judgments
        models = [name for name in table.annotators if name in table.models()]
        view = table.about("output").of(criterion)
        by_people = np.array([name not in models for name in table.annotators])[view.annotator]
        n_labeled = len(np.unique(view.unit[by_people]))
        return {"criterion": criterion, "judges": models} if models and 2 <= n_labeled < len(dataset) else None
