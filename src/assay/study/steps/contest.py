"""The steps `[contest]` and `[dectest]`: do diversity metrics follow content, and decoding?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.analyses.sets.against_target import METRICS
from assay.analyses.sets.contest import contest
from assay.analyses.sets.dectest import dectest
from assay.metaeval.sets.dectest import REPEATS, SUBSET
from assay.part import Part
from assay.records import Dataset
from assay.records.columns import numbers_of
from assay.study.keys import EvaluatorCall, Positive
from assay.study.step import Step
from assay.study.task import Task


@dataclass(frozen=True)
class ConTest(Step):
    """Sets labeled high or low in diversity: which metrics separate them?"""

    name: ClassVar[str] = "contest"
    about: ClassVar[str] = "Which diversity metrics separate sets of high from sets of low diversity (conTest)."

    label: str = "label_value"
    evaluators: tuple[EvaluatorCall, ...] = METRICS

    def run(self, task: Task) -> Part:
        """Correlate each metric with the label."""
        scores = task.score(self.evaluators, "set")
        return contest(task.dataset, scores, label=self.label, resampling=task.resampling())

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """Needs a set column with two values."""
        for name, column in dataset.sets.columns.items():
            values = numbers_of(column)
            if values is not None and len(np.unique(values[~np.isnan(values)])) == 2:
                return {"label": name, "evaluators": list(METRICS)}
        return None


@dataclass(frozen=True)
class DecTest(Step):
    """Sets sampled at several values of a decoding parameter: which metrics follow it?"""

    name: ClassVar[str] = "dectest"
    about: ClassVar[str] = "Which diversity metrics follow a decoding parameter (decTest)."

    param: str = "temperature"
    evaluators: tuple[EvaluatorCall, ...] = METRICS
    subset: Positive = SUBSET
    repeats: Positive = REPEATS

    def run(self, task: Task) -> Part:
        """Correlate each metric with the parameter."""
        return dectest(
            task.dataset,
            task.score(self.evaluators, "set"),
            parameter=self.param,
            subset=self.subset,
            repeats=self.repeats,
            resampling=task.resampling(),
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """Needs a numeric parameter with several values."""
        for name, values in dataset.outputs.columns.items():
            if name.startswith("params.") and isinstance(values, np.ndarray):
                if len(np.unique(values[~np.isnan(values)])) > 1 and len(dataset.sets) < len(dataset.outputs):
                    return {"param": name.removeprefix("params."), "evaluators": list(METRICS)}
        return None
