"""The step `[generators]`: which generator is best, and how certain that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.analyses.compare import compare
from assay.part import Part
from assay.records import Dataset
from assay.study.keys import EvaluatorCall
from assay.study.proposals import cost_column, diversity_metrics, quality_evaluators
from assay.study.step import Step
from assay.study.task import Task


@dataclass(frozen=True)
class Generators(Step):
    """Rankings with intervals, paired tests, and quality against diversity."""

    name: ClassVar[str] = "generators"
    about: ClassVar[str] = (
        "Which generator is best, and how sure is that: rankings and paired tests over shared items. The first "
        "evaluator decides; diversity and cost are what it is drawn against."
    )

    evaluators: tuple[EvaluatorCall, ...]
    diversity: EvaluatorCall | None = None
    cost: EvaluatorCall | None = None

    def run(self, task: Task) -> Part:
        """Rank and compare the systems by each evaluator; the first decides."""
        return compare(
            task,
            self.evaluators,
            diversity=self.diversity,
            cost=self.cost,
            resamples=task.resamples,
            seed=task.seed,
            progress=task.progress,
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """Human judgments decide if there are any, else overlap with references."""
        chosen = quality_evaluators(dataset)[:2]
        if not chosen or len(np.unique(dataset.outputs.system)) < 2:
            return None
        drawn = {"diversity": next(iter(diversity_metrics(dataset)), None), "cost": cost_column(dataset)}
        return {"evaluators": chosen, **{key: call for key, call in drawn.items() if call}}
