"""The step `[judge]`: a language model answers a form about the outputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from assay.analyses.models.judge import judge
from assay.errors import AssayError
from assay.part import Part
from assay.records import Dataset
from assay.run.models import Budget
from assay.study.step import Step
from assay.study.task import Task


@dataclass(frozen=True)
class Judge(Step):
    """The answers of a model to a form: how many it gave, which, and why others are missing."""

    name: ClassVar[str] = "judge"
    about: ClassVar[str] = "A language model answers a form about the outputs."

    model: str
    form: str = "rating"
    answer: Literal["expected", "chosen", "compared"] = "chosen"
    prices: tuple[float, ...] = ()
    currency: str = ""
    person_price: float | None = None

    def run(self, task: Task) -> Part:
        """Ask the model, through the answer store, and tell what it cost."""
        if len(self.prices) not in (0, 2):
            raise AssayError("[judge] prices: give two, of a million tokens read and of a million written.")
        budget = Budget(prices=(self.prices[0], self.prices[1]), currency=self.currency) if self.prices else None
        return judge(
            task.dataset,
            self.model,
            self.form,
            answer=self.answer,
            person_price=self.person_price,
            requests=task.sender,
            budget=budget,
            progress=task.progress,
        ).part

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """Never: no model is asked behind the user's back."""
        return None
