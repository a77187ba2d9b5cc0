"""The step `[agreement]`: how far the annotators agree, and how good each of them is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any, ClassVar, Literal

from assay.analyses.words import interval, listed
from assay.metaeval.estimate import Estimate
from assay.metaeval.votes.agreement import CriterionAgreement, agree
from assay.part import Cell, Number, Part, Table
from assay.records import Dataset
from assay.study.proposals import judged_criteria
from assay.study.step import Step
from assay.study.task import Task

# Krippendorff (2004) draws conclusions from alpha of .8 on, tentative ones from .667 on.
TENTATIVE, FIRM = 0.667, 0.8

Verdict = Literal["well", "enough for tentative conclusions", "little", "open"]


@dataclass(frozen=True)
class Agreement(Step):
    """Kappas and alpha for each criterion with intervals, and a line per annotator."""

    name: ClassVar[str] = "agreement"
    about: ClassVar[str] = "How far the annotators agree, and how good each of them is."

    criteria: tuple[str, ...]

    def run(self, task: Task) -> Part:
        """Measure agreement on each criterion."""
        found = []
        for criterion in self.criteria:
            found += agree(task.dataset, [criterion], resampling=task.resampling())
            task.progress(len(found), len(self.criteria))
        rows: list[tuple[Cell, ...]] = [
            (result.criterion, name, estimate.value, estimate.low, estimate.high, estimate.n)
            for result in found
            for name, estimate in {**result.statistics, **_ceiling(result)}.items()
        ]
        people: list[tuple[Cell, ...]] = [
            (
                result.criterion,
                annotator.annotator,
                annotator.n,
                "yes" if annotator.constant else "no",
                annotator.accuracy,
                annotator.seconds_per_judgment,
            )
            for result in found
            for annotator in result.annotators.annotators
        ]
        return Part(
            title="Annotators",
            summary="; ".join(
                f"{r.criterion}{f' ({r.question})' if r.question else ''}: "
                f"{r.n_votes} judgments of {r.n_annotators} annotators on {r.n_units} units"
                for r in found
            )
            + ".",
            answers=answers_of(found),
            numbers=tuple(number for result in found for number in _numbers(result, task)),
            tables=(
                Table(
                    "agreement",
                    "Agreement",
                    ("criterion", "statistic", "value", "low", "high", "n"),
                    tuple(rows),
                ),
                Table(
                    "annotators",
                    "Annotators",
                    ("criterion", "annotator", "judgments", "constant", "accuracy (Dawid and Skene)", "seconds each"),
                    tuple(people),
                ),
            ),
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """Several annotators are needed."""
        criteria = judged_criteria(dataset)
        return {"criteria": criteria} if criteria and len(dataset.judgments.annotators) > 1 else None


def answers_of(found: list[CriterionAgreement]) -> dict[str, list[str]]:
    """The sentences of the first screen: how far the judgments can be trusted, and what to do next."""
    return {"trust": [_said(result) for result in found], "next": _next(found)}


def _numbers(result: CriterionAgreement, task: Task) -> Iterator[Number]:
    about = {"criterion": result.criterion}
    for name, estimate in {**result.statistics, **_ceiling(result)}.items():
        yield _number(name, estimate, result, about | estimate.about, task)
    for annotator in result.annotators.annotators:
        own = about | {"annotator": annotator.annotator, "constant": annotator.constant}
        for name, estimate in annotator.measures.items():
            yield _number(name, estimate, result, own, task)
        reason = "Dawid and Skene's model is fitted once"
        yield Number("accuracy", annotator.accuracy, annotator.n, result.signature, reason=reason, about=own)


def _number(name: str, estimate: Estimate, result: CriterionAgreement, about: Mapping[str, Any], task: Task) -> Number:
    dropped = int(estimate.about.get("n_dropped", 0))
    return Number(
        name,
        estimate.value,
        estimate.n,
        result.signature,
        dropped,
        estimate.low,
        estimate.high,
        estimate.reason or task.why_no_interval(estimate.low),
        about,
    )


def _ceiling(result: CriterionAgreement) -> dict[str, Any]:
    return {f"ceiling: {name}": estimate for name, estimate in result.ceiling.items()}


def verdict(alpha: Estimate) -> Verdict:
    """What alpha says: no more than its whole interval does."""
    if isnan(alpha.low) or alpha.low < TENTATIVE <= alpha.high:
        return "open"
    if alpha.high < TENTATIVE:
        return "little"
    return "well" if alpha.low >= FIRM else "enough for tentative conclusions"


def _said(result: CriterionAgreement) -> str:
    alpha = result.statistics["krippendorff_alpha"]
    if isnan(alpha.value):
        return f"Agreement on {result.criterion} is undefined ({alpha.reason})."
    numbers = f"Krippendorff's alpha {alpha.value:.2f}, {interval(alpha.low, alpha.high)}"
    how = verdict(alpha)
    if how != "open":
        return f"Annotators agree {how} on {result.criterion} ({numbers})."
    why = f": {alpha.reason}" if isnan(alpha.low) else f", on both sides of {TENTATIVE}"
    return f"Whether annotators agree enough on {result.criterion} cannot be said ({numbers}{why})."


def _next(found: list[CriterionAgreement]) -> list[str]:
    alphas = {result.criterion: result.statistics["krippendorff_alpha"] for result in found}
    verdicts = {name: verdict(alpha) for name, alpha in alphas.items() if not isnan(alpha.value)}
    little = [name for name, how in verdicts.items() if how == "little"]
    unknown = [name for name, how in verdicts.items() if how == "open"]
    return [
        *([f"More annotators per output, or a clearer question, for {listed(little)}."] if little else []),
        *(
            [f"More items that several people judge, to know how far they agree on {listed(unknown)}."]
            if unknown
            else []
        ),
    ]
