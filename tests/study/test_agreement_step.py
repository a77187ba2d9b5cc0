"""The sentences of the step `[agreement]`: each says what the whole interval of alpha says, and no more."""

from math import nan

import pytest

from assay.analyses.agree import answers_of
from assay.metaeval.estimate import Estimate
from assay.metaeval.questions.question import Resampling
from assay.metaeval.votes.agreement import agreements
from assay.study.steps.agreement import Agreement
from assay.study.task import Task
from tests.metaeval import judged


def said(value: float, low: float, high: float, reason: str = "") -> tuple[str, list[str]]:
    """What is said, and what to do next, when alpha is this."""
    votes = [(f"u{k}", who, k % 2) for k in range(30) for who in "ab"]
    result = agreements(judged.dataset(votes), resampling=Resampling(0))[0]
    result.statistics["krippendorff_alpha"] = Estimate(value, low, high, 30, reason)
    answers = answers_of([result])
    return answers["trust"][0], answers["next"]


@pytest.mark.parametrize(
    ("low", "high", "sentence", "further"),
    [
        (0.81, 0.95, "Annotators agree well on quality", ""),
        (0.70, 0.95, "Annotators agree enough for tentative conclusions on quality", ""),
        (0.66, 0.95, "Whether annotators agree enough on quality cannot be said", "More items"),
        (0.30, 0.60, "Annotators agree little on quality", "More annotators"),
        (0.30, 0.70, "Whether annotators agree enough on quality cannot be said", "More items"),
        (nan, nan, "Whether annotators agree enough on quality cannot be said", "More items"),
    ],
)
def test_agreement_is_claimed_where_the_whole_interval_shows_it(
    low: float, high: float, sentence: str, further: str
) -> None:
    value = 0.72 if low != low else (low + high) / 2
    told, nexts = said(value, low, high, "19 items: an interval needs 20 or more" if low != low else "")
    assert told.startswith(sentence)
    assert [line.startswith(further) for line in nexts] == ([True] if further else [])
    assert ("19 items" in told) == (low != low)


def test_nothing_is_advised_where_agreement_is_undefined() -> None:
    told, nexts = said(nan, nan, nan, "one annotator")
    assert told == "Agreement on quality is undefined (one annotator)." and nexts == []


def test_few_items_say_nothing() -> None:
    """12 units on which all annotators agree: alpha is 1, and nobody knows how far they would agree on others."""
    votes = [(f"u{k}", who, k % 3) for k in range(12) for who in "abc"]
    part = Agreement(("quality",)).run(Task(judged.dataset(votes), seed=0, resamples=50))
    assert "cannot be said" in part.answers["trust"][0]
