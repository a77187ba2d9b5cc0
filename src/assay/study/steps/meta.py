"""The step `[meta]`: which evaluators can be trusted here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from assay.analyses.meta import meta
from assay.part import Part
from assay.records import Dataset
from assay.study.keys import EvaluatorCall
from assay.study.proposals import human_evaluators, usable_evaluators
from assay.study.step import Step
from assay.study.task import Task

FEWEST_SYSTEMS, MOST_ITEMS = 3, 0.5


@dataclass(frozen=True)
class Meta(Step):
    """Every evaluator against each target: by unit, between systems and within them."""

    name: ClassVar[str] = "meta"
    about: ClassVar[str] = "Which evaluators can be trusted: each against a target, usually people."

    targets: tuple[EvaluatorCall, ...]
    evaluators: tuple[EvaluatorCall, ...]
    levels: tuple[Literal["output", "pair", "matchup", "set", "system"], ...] = ()
    groupings: tuple[Literal["pooled", "item", "system"], ...] = ("pooled",)

    def run(self, task: Task) -> Part:
        """Correlate, compare and cluster the evaluators."""
        return meta(
            task,
            self.evaluators,
            target=self.targets,
            levels=self.levels,
            groupings=self.groupings,
            resamples=task.resamples,
            seed=task.seed,
            progress=task.progress,
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """Needs human judgments, and evaluators to compare with them."""
        targets = human_evaluators(dataset)
        candidates = [name for name in usable_evaluators(dataset, unit="output") if name not in targets]
        if not targets or not candidates:
            return None
        keys: dict[str, Any] = {"targets": targets[:2], "evaluators": candidates}
        return keys | ({"groupings": ["pooled", "item"]} if _share_items(dataset) else {})


def _share_items(dataset: Dataset) -> bool:
    """Whether most items have outputs of three systems or more, so that evaluators can order the texts of one item."""
    pairs = np.unique(np.stack([dataset.outputs.item, dataset.outputs.system]), axis=1)
    return bool((np.bincount(pairs[0], minlength=len(dataset.items)) >= FEWEST_SYSTEMS).mean() > MOST_ITEMS)
