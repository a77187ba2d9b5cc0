"""The step `[neighbors]`: quality from the judged outputs most like each, checked by leaving one out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any, ClassVar

from assay.evaluators.neighbors.check import Check, check
from assay.evaluators.neighbors.judged import judged_outputs
from assay.evaluators.neighbors.rule import Rule
from assay.evaluators.neighbors.similarity import Similarity
from assay.records import Dataset
from assay.registry import factory
from assay.report.neighbor_figures import check_figure
from assay.report.pieces import Cell, Number, Part, Picture, Table
from assay.study.proposals import judged_criteria
from assay.study.step import Step
from assay.study.task import Task

CITE = "Ethayarajh & Sadigh 2020, BLEU Neighbors: A Reference-less Approach to Automatic Evaluation"
MOST_TEXTS = 10_000  # every text is compared with every other: time and memory grow with the square
ENOUGH = 0.3  # a rank correlation below this is no basis for decisions
NOT_RESAMPLED = "only rho of the neighbours is resampled"


@dataclass(frozen=True)
class Neighbors(Step):
    """Leave-one-out estimates of one criterion, beside the baselines that any estimate must beat."""

    name: ClassVar[str] = "neighbors"
    about: ClassVar[str] = "Quality without references, from judged neighbours, with abstention."

    criterion: str
    kernel: str = "bleu"

    def __post_init__(self) -> None:
        Similarity(self.kernel)

    def run(self, task: Task) -> Part:
        """Check the method on this data."""
        similarity = Similarity(self.kernel)
        judged = judged_outputs(task.dataset, criterion=self.criterion).with_quality()
        texts = judged.drawn(MOST_TEXTS, task.seed)
        found = check(texts, similarity, Rule(similarity.tau), n_resamples=task.resamples, seed=task.seed)
        signature = factory("neighbors")(kernel=self.kernel, tau=similarity.tau, criterion=self.criterion).signature
        rows: list[tuple[Cell, ...]] = [("neighbours", found.found.mse, found.found.rho, found.found.n_covered)]
        rows += [(name.replace("_", " "), b.mse, b.rho, b.n) for name, b in found.baselines.items()]
        return Part(
            title="Quality from neighbours",
            summary=(
                f"Each output's {self.criterion} estimated from the judged outputs most like it "
                f"({self.kernel}), or left open: {found.found.coverage:.0%} have an estimate. "
                "An estimate is worth something only where it beats the mean and the length of the text."
                + ("" if texts is judged else f" {len(texts):,} of {len(judged):,} judged texts were drawn for this.")
            ),
            answers={"trust": [_said(found)]},
            numbers=tuple(_numbers(found, self.criterion, len(judged), signature)),
            tables=(Table("neighbors", "Estimates beside baselines", ("estimate", "MSE", "rho", "n"), tuple(rows)),),
            pictures=(Picture("neighbors", check_figure(found).svg(), "Estimates against judged quality."),),
            methods=(signature, CITE),
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """One criterion with numbers about outputs is needed."""
        criteria = judged_criteria(dataset)
        return {"criterion": criteria[0]} if criteria else None


def _numbers(found: Check, criterion: str, n_judged: int, signature: str) -> Iterator[Number]:
    near, rho = found.found, found.rho_interval
    about = {"estimate": "neighbours", "criterion": criterion, "n_judged": n_judged}
    uncovered = near.n - near.n_covered
    yield Number("rho", near.rho, near.n_covered, signature, uncovered, rho.low, rho.high, about=about)
    yield Number("mse", near.mse, near.n_covered, signature, uncovered, reason=NOT_RESAMPLED, about=about)
    yield Number("coverage", near.coverage, near.n, signature, reason=NOT_RESAMPLED, about=about)
    for name, row in found.baselines.items():
        about = {"estimate": name, "criterion": criterion, "n_judged": n_judged}
        yield Number("rho", row.rho, row.n, signature, reason=row.reason or NOT_RESAMPLED, about=about)
        yield Number("mse", row.mse, row.n, signature, reason=NOT_RESAMPLED, about=about)


def _said(found: Check) -> str:
    rho, interval = found.found.rho, found.rho_interval
    if isnan(rho):
        return "Neighbour estimates are undefined on this data."
    how = "follow people" if interval.low > ENOUGH else "follow people too little to decide by them"
    return f"Neighbour estimates {how} (rho {rho:.2f}, {interval.low:.2f} to {interval.high:.2f})."
