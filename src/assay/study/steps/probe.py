"""The step `[probe]`: damaged texts, and biases of judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.analyses.probe import probe
from assay.part import Part
from assay.records import Dataset
from assay.study.keys import Positive
from assay.study.proposals import quality_criterion
from assay.study.step import Step
from assay.study.task import Task


@dataclass(frozen=True)
class Probe(Step):
    """The wind tunnel of evaluators, and the bias card of judges."""

    name: ClassVar[str] = "probe"
    about: ClassVar[str] = "What deceives the judges, and which way they lean."

    judges: tuple[str, ...]
    criterion: str | None = None
    own: tuple[str, ...] = ()
    texts: Positive = 200

    def run(self, task: Task) -> Part:
        """Damage texts, score them again, and look at the answers."""
        return probe(
            task.dataset,
            self.judges,
            self.criterion,
            own=self.own,
            n_texts=self.texts,
            seed=task.seed,
            train=task.train,
            folds=task.folds,
            requests=task.sender,
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """The models among the annotators."""
        table, criterion = dataset.judgments, quality_criterion(dataset)
        models = [name for name in table.annotators if name in table.models()]
        return {"judges": models, "criterion": criterion} if models and criterion else None
