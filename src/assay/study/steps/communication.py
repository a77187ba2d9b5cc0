"""The step `[communication]`: do listeners recover what was meant?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from assay.analyses.communicate.groups import are_colors
from assay.analyses.communicate.part import LISTENERS, communicate
from assay.distractors import Rule
from assay.limits import MOST_COUNT
from assay.part import Part
from assay.records import Dataset
from assay.records.choices import CHOICE
from assay.study.keys import EvaluatorCall
from assay.study.step import Step
from assay.study.task import Task
from assay.typed_values import WholeNumbers

Choices = Annotated[int, WholeNumbers(2, MOST_COUNT)]


@dataclass(frozen=True)
class Communication(Step):
    """Accuracy of listeners by difficulty, parameter and system, calibration, confusion and shuffled words."""

    name: ClassVar[str] = "communication"
    about: ClassVar[str] = "How often listeners recover what was meant, and what they are blind to."

    listeners: tuple[EvaluatorCall, ...] = LISTENERS
    distractors: Rule | None = None
    choices: tuple[Choices, ...] = ()
    by: str | None = None
    fluency: EvaluatorCall | None = None

    def run(self, task: Task) -> Part:
        """Let each listener read every output."""
        return communicate(
            task.dataset,
            self.listeners,
            distractors=self.distractors,
            n_choices=self.choices,
            by=self.by,
            fluency=self.fluency,
            seed=task.seed,
            train=task.train,
            folds=task.folds,
            requests=task.sender,
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """Needs choices with targets: texts, or anything that people chose from."""
        aimed = dataset.items.target.lengths > 0
        if (aimed & ~are_colors(dataset)).any():
            return {"listeners": list(LISTENERS)}
        clicked = aimed.any() and CHOICE in dataset.judgments.columns
        return {"listeners": ["human_listener"]} if clicked else None
