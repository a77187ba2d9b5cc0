"""The step `[meta]`: which evaluators can be trusted here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from assay.analyses.meta import meta
from assay.part import Part
from assay.records import Dataset
from assay.study.keys import EvaluatorCall
from assay.study.proposals import human_evaluators, usable_evaluators
from assay.study.step import Step
from assay.study.task import Task


@dataclass(frozen=True)
class Meta(Step):
    """Every evaluator against each target: by unit, between systems and within them."""

    name: ClassVar[str] = "meta"
    about: ClassVar[str] = "Which evaluators can be trusted: each against a target, usually people."

    targets: tuple[EvaluatorCall, ...]
    evaluators: tuple[EvaluatorCall, ...]
    levels: tuple[Literal["output", "pair", "matchup", "set", "system"], ...] = ()

    def run(self, task: Task) -> Part:
        """Correlate, compare and cluster the evaluators."""
        return meta(
            task,
            self.evaluators,
            target=self.targets,
            levels=self.levels,
            resamples=task.resamples,
            seed=task.seed,
            progress=task.progress,
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """Needs human judgments, and evaluators to compare with them."""
        targets = human_evaluators(dataset)
        candidates = [name for name in usable_evaluators(dataset, unit="output") if name not in targets]
        return {"targets": targets[:2], "evaluators": candidates} if targets and candidates else None
