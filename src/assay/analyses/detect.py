"""How well people tell human-written texts from generated ones, and by which generators they are fooled."""

from __future__ import annotations

from math import isnan

import numpy as np

from assay.analyses.reasons import LEXICON, Reason, reasons
from assay.analyses.words import counted, listed, wording
from assay.analyses.words import interval as interval_words
from assay.errors import DataError
from assay.limits import check_share
from assay.metaeval.estimate import Estimate
from assay.metaeval.questions.question import signature
from assay.metaeval.votes.detection import Detection, Votes
from assay.part import Bounded, Cell, Number, Part, Table, reasons_once
from assay.records import Dataset

SINGLE, TOGETHER = "H1: single votes", "H2: majority"
CITE = "Garbacea et al. 2019"


def detect(data: Dataset, criterion: str | None = None, *, votes: Votes = "modal", confidence: float = 0.95) -> Part:
    """Measure how well annotators tell human-written texts from generated ones, over all and for each generator.

    Positive means human-written. A generator's quality is 1 - the accuracy on its texts. Intervals are over
    annotators and pages.

    Args:
        data: with votes of 1 (a human wrote it) or 0 about outputs, human and generated.
        criterion: of the votes; by default the one that asks for authorship.
        votes: a majority is of exactly so many votes; `modal` is the most frequent number.
        confidence: of the intervals.
    """
    check_share("confidence", confidence)
    detection = Detection(data, criterion or _authorship(data), votes)
    numbers = _numbers(detection, confidence)
    found = reasons(detection.comments)
    return Part(
        title="Human or machine?",
        summary=_summary(detection),
        answers={"best": [_fooled(numbers)], "wrong": _why(found, len(detection.comments))},
        numbers=numbers,
        tables=tuple(filter(None, (_rates(numbers), _generators(numbers), _reasons(found, len(detection.comments))))),
        methods=(CITE,),
        notes=tuple(
            reasons_once((f"{number.about['votes']}, {number.about['system'] or number.name}", number.reason)
                         for number in numbers)
        ),
    )  # fmt: skip


def _authorship(data: Dataset) -> str:
    asking = data.asking("authorship", "output")
    if len(asking) != 1:
        which = f"{listed(asking)} ask" if asking else "none asks"
        raise DataError(f"name the criterion of the votes: of the declared ones, {which} for authorship.")
    return asking[0]


def _numbers(detection: Detection, confidence: float) -> tuple[Number, ...]:
    numbers = []
    systems = detection.dataset.systems
    for label, answers in ((SINGLE, detection.single), (TOGETHER, detection.together)):
        about = {"criterion": detection.criterion, "votes": label}
        rates = answers.rates(confidence)
        for name, estimate in (("accuracy", rates.accuracy), ("TPR", rates.tpr), ("TNR", rates.tnr)):
            numbers.append(_number(name, estimate, detection, confidence, {**about, "system": ""}))
        for row, (system, human) in enumerate(zip(systems.id, systems.human, strict=True)):
            if not human:
                estimate = answers.share(answers.system == row, confidence)
                numbers.append(_number("accuracy", estimate, detection, confidence, {**about, "system": system}))
    return tuple(numbers)


def _number(name: str, estimate: Estimate, detection: Detection, confidence: float, about: dict[str, str]) -> Number:
    made = signature(
        "detect",
        **{
            "criterion": detection.criterion,
            "votes": detection.n_votes,
            "of": about["votes"],
            "system": about["system"],
        },
        confidence=confidence,
    )
    return Number(name, estimate.value, estimate.n, made, low=estimate.low, high=estimate.high, reason=estimate.reason,
                  about=about)  # fmt: skip


def _summary(detection: Detection) -> str:
    together = detection.together
    n_left_out = len(np.unique(detection.single.clusters[1])), len(detection.dataset)
    return (
        f"{counted(len(detection.single.right), 'vote')} of {counted(detection.n_annotators, 'annotator')} on "
        f"{counted(n_left_out[0], 'page')}; majorities are of exactly {detection.n_votes} votes, "
        f"{len(together.right):,} of {n_left_out[1]:,} texts.{wording(detection.dataset, [detection.criterion])} "
        "Positive means human-written; a generator is the better the less accurate people are about its texts."
    )


def _by_generator(numbers: tuple[Number, ...], label: str) -> dict[str, Number]:
    return {n.about["system"]: n for n in numbers if n.about["system"] and n.about["votes"] == label}


def _fooled(numbers: tuple[Number, ...]) -> str:
    known = [number for number in _by_generator(numbers, SINGLE).values() if not isnan(number.value)]
    if not known:
        return "No generator has votes."
    best = min(known, key=lambda number: number.value)
    return (
        f"{best.about['system']} fools people most: {best.value:.0%} of the votes on its texts are right "
        f"({interval_words(best.low, best.high)})."
    )


def _why(found: list[Reason], n_comments: int) -> list[str]:
    named = [f"{reason.name} ({reason.n})" for reason in found if reason.n]
    return [f"Of {counted(n_comments, 'comment')}, annotators mention {listed(named)}."] if named else []


def _rates(numbers: tuple[Number, ...]) -> Table:
    whole = [number for number in numbers if not number.about["system"]]
    rows: list[tuple[Cell, ...]] = [
        (label, *(number.cell for number in whole if number.about["votes"] == label), _n(whole, label))
        for label in (SINGLE, TOGETHER)
    ]
    return Table(
        "rates",
        "Human or machine: shares of right answers",
        ("votes", "accuracy", "TPR", "TNR", "n"),
        tuple(rows),
        note="Intervals are over annotators and pages.",
    )


def _n(numbers: list[Number], label: str) -> int:
    return next(number.n for number in numbers if number.about["votes"] == label)


def _generators(numbers: tuple[Number, ...]) -> Table:
    single, together = _by_generator(numbers, SINGLE), _by_generator(numbers, TOGETHER)
    rows = [
        (
            system,
            number.cell,
            together[system].cell,
            Bounded(1 - number.value, 1 - number.high, 1 - number.low),
            number.n,
        )
        for system, number in sorted(single.items(), key=lambda pair: (isnan(pair[1].value), pair[1].value))
    ]
    return Table(
        "generators",
        "Accuracy on the texts of each generator, the best generator first",
        ("generator", "H1 accuracy", "H2 accuracy", "quality (1 - H1 accuracy)", "votes"),
        tuple(rows),
    )


def _reasons(found: list[Reason], n_comments: int) -> Table | None:
    if not n_comments:
        return None
    rows = [
        (reason.name, reason.n, reason.n / n_comments, ", ".join(LEXICON[reason.name]), " / ".join(reason.examples))
        for reason in found
    ]
    return Table(
        "reasons",
        "Reasons in comments",
        ("reason", "comments", "share", "counted if it contains", "examples"),
        tuple(rows),
        note="A comment may give several reasons. The lexicon is a list of word starts: check it against the examples.",
    )
