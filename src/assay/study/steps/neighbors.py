"""The step `[neighbors]`: quality from the most similar judged outputs, validated leave-one-out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.analyses.neighbors.part import neighbors
from assay.evaluators.neighbors.judged import MOST_TEXTS
from assay.evaluators.neighbors.similarity import Similarity
from assay.part import Part
from assay.records import Dataset
from assay.study.proposals import quality_criterion
from assay.study.step import Step
from assay.study.task import Task


@dataclass(frozen=True)
class Neighbors(Step):
    """Leave-one-out estimates of one criterion, beside the baselines."""

    name: ClassVar[str] = "neighbors"
    about: ClassVar[str] = "Quality without references, from judged neighbors, with abstention."

    criterion: str
    kernel: str = "bleu"

    def __post_init__(self) -> None:
        Similarity(self.kernel)

    def run(self, task: Task) -> Part:
        """Validate the method on this data."""
        return neighbors(
            task.dataset,
            kernel=self.kernel,
            criterion=self.criterion,
            most=MOST_TEXTS,
            n_resamples=task.resamples,
            seed=task.seed,
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """Needs a criterion with numeric judgments of outputs."""
        criterion = quality_criterion(dataset)
        return None if criterion is None else {"criterion": criterion}
