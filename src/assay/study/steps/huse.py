"""The step `[huse]`: quality and diversity in one number, and the outputs that give each system away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.analyses.huse.part import huse
from assay.part import Part
from assay.records import Dataset
from assay.records.columns import numbers_of
from assay.study.keys import Positive
from assay.study.proposals import quality_criterion
from assay.study.step import Step
from assay.study.task import Task

SWEPT = ("params.temperature", "params.top_p", "params.top_k")
EXAMPLES = 40  # outputs shown per system and kind of failure; counts cover all


@dataclass(frozen=True)
class Huse(Step):
    """Every system against human texts: HUSE, HUSE-Q, HUSE-D."""

    name: ClassVar[str] = "huse"
    about: ClassVar[str] = "Quality and diversity in one number (HUSE), from judgments and log-probabilities."

    criterion: str
    k: Positive = 16
    curve: str | None = None

    def run(self, task: Task) -> Part:
        """Measure each system; intervals come from random splits of the items, not from resamples."""
        quality = f"human(criterion={self.criterion!r})"
        return huse(
            task.dataset,
            k=self.k,
            quality=quality,
            train=task.train,
            folds=task.folds,
            examples=EXAMPLES,
            curve=self.curve,
            seed=task.seed,
            progress=task.progress,
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """Needs human texts, judgments and log-probabilities."""
        criterion = quality_criterion(dataset)
        if criterion is None or not dataset.human.any() or not len(dataset.logprobs):
            return None
        swept = _swept(dataset)
        return {"criterion": criterion} if swept is None else {"criterion": criterion, "curve": swept}


def _swept(dataset: Dataset) -> str | None:
    """A decoding parameter of which systems have one value each, and not all the same."""
    by_system = dataset.outputs_by_system
    for name, column in dataset.outputs.columns.items():
        values = numbers_of(column) if name in SWEPT else None
        if values is not None:
            own = [set(values[by_system[row]].tolist()) for row in range(len(by_system))]
            # A gap equals nothing, so a system without the parameter has as many values as outputs, or NaN alone.
            single = {value for some in own if len(some) == 1 for value in some if value == value}
            if len(single) > 1:
                return name.removeprefix("params.")
    return None
