"""A step of studies: which outputs shout."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.part import Number, Part
from assay.records import Dataset
from assay.study.step import Step
from assay.study.task import Task


@dataclass(frozen=True)
class Loudness(Step):
    """How many outputs are mostly in capitals."""

    name: ClassVar[str] = "loudness"
    about: ClassVar[str] = "Outputs that shout."

    most: float = 0.5

    def run(self, task: Task) -> Part:
        """Count them."""
        column = task.score(["shouting"])["shouting"]
        loud = int((column.values > self.most).sum())
        number = Number("loud", loud, column.n, column.signature, column.n_missing, reason="a count")
        return Part("Loudness", f"{loud} of {column.n} outputs shout.", {"wrong": ["Some shout."]}, (number,))

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any]:
        """Any texts will do."""
        return {"most": 0.5}
