"""The step `[neighbors]`: quality from the judged outputs most like each, checked by leaving one out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isnan, nan
from typing import Any, ClassVar

from assay.analyses.neighbors.check import Check, check
from assay.analyses.neighbors.figures import check_figure
from assay.analyses.neighbors.values import agreement_json
from assay.analyses.words import ALPHA, FEW_UNITS, counted, follows, interval
from assay.evaluators.neighbors.judged import MOST_TEXTS, judged_outputs
from assay.evaluators.neighbors.rule import Rule
from assay.evaluators.neighbors.similarity import Similarity
from assay.metaeval.questions.question import signature as meta_signature
from assay.part import Cell, Number, Part, Picture, Table
from assay.records import Dataset
from assay.registry import factory
from assay.study.proposals import judged_criteria
from assay.study.step import Step
from assay.study.task import Task

CITE = "Ethayarajh & Sadigh 2020, BLEU Neighbors: A Reference-less Approach to Automatic Evaluation"
RIVALS = {"mean": "the mean", "length": "the length of a text"}
NOT_RESAMPLED = "only rho of the neighbors is resampled"


@dataclass(frozen=True)
class Neighbors(Step):
    """Leave-one-out estimates of one criterion, beside the baselines that any estimate must beat."""

    name: ClassVar[str] = "neighbors"
    about: ClassVar[str] = "Quality without references, from judged neighbors, with abstention."

    criterion: str
    kernel: str = "bleu"

    def __post_init__(self) -> None:
        Similarity(self.kernel)

    def run(self, task: Task) -> Part:
        """Check the method on this data."""
        similarity = Similarity(self.kernel)
        judged = judged_outputs(task.dataset, criterion=self.criterion).with_quality()
        found = check(
            judged, similarity, Rule(similarity.tau), n_resamples=task.resamples, most=MOST_TEXTS, seed=task.seed
        )
        signature = factory("neighbors")(kernel=self.kernel, tau=similarity.tau, criterion=self.criterion).signature
        drawn = len(found.train)
        rows: list[tuple[Cell, ...]] = [("neighbors", found.found.mse, found.found.rho, found.found.n_covered)]
        rows += [(f"{name}, the same texts", r.mse, nan, r.n) for name, r in found.rivals.items()]
        rows += [(name.replace("_", " "), b.mse, b.rho, b.n) for name, b in found.baselines.items()]
        return Part(
            title="Quality from neighbors",
            summary=(
                f"Each output's {self.criterion} estimated from the judged outputs most like it "
                f"({self.kernel}), or left open: {found.found.coverage:.0%} have an estimate. "
                "An estimate is worth something only where it beats the mean and the length of the text."
                + (f" {drawn:,} of {len(judged):,} judged texts were drawn for this." if drawn < len(judged) else "")
            ),
            answers={"trust": [said_of(found)]},
            numbers=tuple(_numbers(found, self.criterion, len(judged), signature, task)),
            tables=(Table("neighbors", "Estimates beside baselines", ("estimate", "MSE", "rho", "n"), tuple(rows)),),
            pictures=(Picture("neighbors", check_figure(found).draw(), "Estimates against judged quality."),),
            methods=(signature, CITE),
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """One criterion with numbers about outputs is needed."""
        criteria = judged_criteria(dataset)
        return {"criterion": criteria[0]} if criteria else None


def _numbers(found: Check, criterion: str, n_judged: int, signature: str, task: Task) -> Iterator[Number]:
    near, rho = found.found, found.rho_interval
    about = {"estimate": "neighbors", "criterion": criterion, "n_judged": n_judged}
    uncovered = near.n - near.n_covered
    why = agreement_json(near)["reason"]
    drawn = {"resampled": ["outputs"], "resamples": task.resamples}
    reason = why or task.why_no_interval(rho.low)
    yield Number("rho", near.rho, near.n_covered, signature, uncovered, rho.low, rho.high, reason, about=about | drawn)
    beaten = {f"p_against_{name}": None if isnan(rival.p) else rival.p for name, rival in found.rivals.items()}
    own = about | beaten
    yield Number("mse", near.mse, near.n_covered, signature, uncovered, reason=why or NOT_RESAMPLED, about=own)
    yield Number("coverage", near.coverage, near.n, signature, reason=NOT_RESAMPLED, about=about)
    for name, row in found.baselines.items():
        about = {"estimate": name, "criterion": criterion, "n_judged": n_judged}
        made = meta_signature("baseline", estimate=name, criterion=criterion)
        yield Number("rho", row.rho, row.n, made, reason=row.reason or NOT_RESAMPLED, about=about)
        yield Number("mse", row.mse, row.n, made, reason=NOT_RESAMPLED, about=about)


def said_of(found: Check) -> str:
    """Say whether the estimates can be trusted: whether they follow people, and beat what is trivial."""
    near, over = found.found, found.rho_interval
    if isnan(near.rho) or near.n_covered < FEW_UNITS:
        return f"{counted(near.n_covered, 'neighbor estimate')}: too few to say whether they can be trusted."
    numbers = f"rho {near.rho:.2f}, {interval(over.low, over.high)}"
    if not follows(near.rho, over.low):
        return f"Neighbor estimates follow people too little to decide by them ({numbers})."
    same = f"on the {counted(near.n_covered, 'text')} that have an estimate"
    unbeaten = [name for name, rival in found.rivals.items() if not rival.beaten(ALPHA)]
    if unbeaten:
        named = " or ".join(RIVALS[name] for name in unbeaten)
        return f"Neighbor estimates follow people ({numbers}), but are not shown to be better than {named} {same}."
    return f"Neighbor estimates follow people ({numbers}), better than the mean and the length of a text {same}."
