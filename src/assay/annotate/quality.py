"""How each annotator works: checks, speed, straight-lining. Reasons to look at somebody's answers, not verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from statistics import median

from assay.annotate.records import StoredJudgment

FAST = 1 / 3
"""Answers that take less than this share of what the median annotator takes are fast."""

FEWEST_ANNOTATORS = 5
"""With fewer, there is no usual speed to compare with."""

FEWEST_ANSWERS = 10
"""So many equal answers to a question are suspicious, unless others answer alike."""

USUAL_SHARE = 0.9
"""Where the median annotator gives one answer this often, equal answers mean nothing."""


@dataclass(frozen=True)
class Work:
    """The work of one annotator.

    Attributes:
        annotator: the pseudonym.
        pages: answered.
        answers: judgments that count.
        seconds: per answer, by the median page; NaN where no page told how long it was visible.
        checks: answered.
        passed: checks passed.
        top_share: how often the most frequent answer to a question was given; NaN without answers.
        reasons: why to look at the answers.
    """

    annotator: str
    pages: int
    answers: int
    seconds: float
    checks: int
    passed: int
    top_share: float
    reasons: tuple[str, ...] = ()


def work_of(judgments: Iterable[StoredJudgment], checks: Mapping[str, Sequence[tuple[str, bool]]]) -> tuple[Work, ...]:
    """The work of every annotator who answered, those with reasons first."""
    by_annotator: dict[str, list[StoredJudgment]] = {name: [] for name in checks}
    for one in judgments:
        by_annotator.setdefault(one.annotator, []).append(one)
    measured = [_measured(name, given, checks.get(name, ())) for name, given in by_annotator.items()]
    seconds = [one.seconds for one in measured if not isnan(one.seconds)]
    usual_seconds = median(seconds) if len(seconds) >= FEWEST_ANNOTATORS else nan
    shares = [one.top_share for one in measured if one.answers >= FEWEST_ANSWERS]
    usual_share = median(shares) if shares else nan
    explained = [_with_reasons(one, usual_seconds, usual_share) for one in measured]
    return tuple(sorted(explained, key=lambda one: -len(one.reasons)))


def _measured(name: str, given: Sequence[StoredJudgment], checks: Sequence[tuple[str, bool]]) -> Work:
    sizes = Counter(one.page for one in given)
    visible = {one.page: one.ms / 1000 for one in given if one.ms is not None}
    answers: dict[str, Counter[float | str]] = {}
    for one in given:
        answers.setdefault(one.criterion, Counter())[one.value] += 1
    return Work(
        name,
        pages=len(sizes),
        answers=len(given),
        seconds=median(seconds / sizes[page] for page, seconds in visible.items()) if visible else nan,
        checks=len(checks),
        passed=sum(passed for _, passed in checks),
        top_share=max((counts.most_common(1)[0][1] / counts.total() for counts in answers.values()), default=nan),
    )


def _with_reasons(work: Work, usual_seconds: float, usual_share: float) -> Work:
    reasons = []
    failed = work.checks - work.passed
    if failed and 2 * failed >= work.checks:
        reasons.append(f"failed {failed} of {work.checks} checks")
    if work.seconds < FAST * usual_seconds:
        reasons.append(f"{work.seconds:.1f} s per answer, where {usual_seconds:.1f} s are usual")
    if work.answers >= FEWEST_ANSWERS and work.top_share == 1.0 and usual_share < USUAL_SHARE:
        reasons.append("always the same answer")
    return Work(**{**vars(work), "reasons": tuple(reasons)})
