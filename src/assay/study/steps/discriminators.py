"""The step `[discriminators]`: can a classifier tell the generators' texts from human ones?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.analyses.discriminators.adversaries import adversaries
from assay.part import Part
from assay.records import Dataset
from assay.run.folds import USUAL_NUMBER, independent_parts
from assay.study.keys import EvaluatorCall
from assay.study.step import Step
from assay.study.task import Task

FEWEST_TEXTS = 20  # different texts of either class; from fewer a discriminator learns nothing that holds


@dataclass(frozen=True)
class Discriminators(Step):
    """Accuracy on each generator's texts: trained on all generators, on that one alone, and without it."""

    name: ClassVar[str] = "discriminators"
    about: ClassVar[str] = "Whether classifiers tell generated texts from human ones, also of unseen generators."

    evaluators: tuple[EvaluatorCall, ...] = ("nb",)

    def run(self, task: Task) -> Part:
        """Compare pooled, individual and unseen-generator discriminators."""
        return adversaries(task.dataset, self.evaluators, seed=task.seed, progress=task.progress)

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """Needs human and generated texts, enough of each, that fall into folds."""
        texts = dataset.outputs.text.codes()
        different = [len(np.unique(texts[dataset.human == human])) for human in (True, False)]
        if min(different) < FEWEST_TEXTS or len(np.unique(independent_parts(dataset))) < 2 * USUAL_NUMBER:
            return None
        return {"evaluators": ["nb"]}
