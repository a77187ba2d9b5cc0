"""`assay.hds`: human diversity scores of sets, with intervals and cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.analyses.sets.against_target import CITE
from assay.metaeval.questions.question import signature
from assay.metaeval.sets.human_diversity import HumanDiversity, human_diversity
from assay.part import Number, Part, Table, reasons_once
from assay.records import Dataset

HEADER = (
    "criterion",
    "asked about",
    "sets",
    "judgments per set",
    "annotators per set",
    "cost per set",
    "width of intervals",
)


def hds(dataset: Dataset, criteria: Sequence[str], *, price: float = 1.0, confidence: float = 0.95) -> Part:
    """Summarize human diversity scores of sets, with intervals over annotators, and their cost.

    Args:
        dataset: sets with judgments about sets, pairs of their outputs, or pairs of sets.
        criteria: the criteria of the judgments.
        price: of one judgment.
        confidence: of the intervals.
    """
    results = [human_diversity(dataset, name, price=price, confidence=confidence) for name in criteria]
    rows = tuple(
        (
            one.criterion,
            one.asked_about,
            len(one.sets),
            one.judgments_per_set,
            one.annotators_per_set,
            one.cost_per_set,
            one.mean_width,
        )
        for one in results
    )
    return Part(
        title="Human diversity scores",
        summary=f"{confidence:.0%} intervals over annotators.",
        numbers=tuple(number for one in results for number in _numbers(one)),
        tables=(Table("hds", "Human diversity scores", HEADER, rows),),
        methods=(*(_signature(one) for one in results), CITE),
        notes=tuple(
            note for one in results for note in reasons_once((f"{one.criterion}, {s.set}", s.reason) for s in one.sets)
        ),
    )


def _signature(result: HumanDiversity) -> str:
    return signature("hds", criterion=result.criterion, confidence=result.confidence)


def _numbers(result: HumanDiversity) -> Iterator[Number]:
    for row in result.sets:
        about = {"set": row.set, "annotators": row.n_annotators}
        yield Number(
            result.criterion,
            row.value,
            row.n_judgments,
            _signature(result),
            low=row.low,
            high=row.high,
            reason=row.reason,
            about=about,
        )
