"""Reasons to look at an annotator's answers: checks, speed, one answer only."""

from math import isnan

from assay.annotate.quality import Work, work_of
from assay.annotate.records import StoredJudgment


def answer(annotator: str, page: int, value: float, ms: int | None = 10_000, criterion: str = "q") -> StoredJudgment:
    return StoredJudgment(
        "output", f"o{page}", None, criterion, value, annotator, 0.0, 0, 0.5, ms, 1, page, 0, 1, "submitted"
    )


def panel(n_pages: int = 12) -> list[StoredJudgment]:
    return [answer(f"a{who}", page, float((who + page) % 5)) for who in range(5) for page in range(n_pages)]


def of(works: tuple[Work, ...], name: str) -> Work:
    return next(one for one in works if one.annotator == name)


def test_ordinary_annotators_have_no_reasons() -> None:
    works = work_of(panel(), {"a0": [("check 1", True), ("check 2", True), ("check 3", False)]})
    assert [one.reasons for one in works] == [()] * 5
    assert (of(works, "a0").checks, of(works, "a0").passed) == (3, 2)
    assert of(works, "a1").seconds == 10.0


def test_failed_checks_speed_and_straight_lining_are_named() -> None:
    hasty = [answer("a9", page, 3.0, ms=2_000) for page in range(12)]
    works = work_of(panel() + hasty, {"a9": [("check 1", False), ("check 2", True)]})
    assert works[0].annotator == "a9"
    assert works[0].reasons == (
        "failed 1 of 2 checks",
        "2.0 s per answer, where 10.0 s are usual",
        "always the same answer",
    )


def test_time_is_per_answer_of_a_page() -> None:
    works = work_of([answer("a1", 1, 1.0, 9_000), answer("a1", 1, 2.0, 9_000), answer("a1", 2, 2.0, 1_500)], {})
    assert of(works, "a1").seconds == 3.0  # the median of 4.5 and 1.5
    assert (of(works, "a1").pages, of(works, "a1").answers) == (2, 3)


def test_equal_answers_are_fine_where_everybody_gives_them() -> None:
    works = work_of([answer(f"a{who}", page, 1.0) for who in range(6) for page in range(12)], {})
    assert not any(one.reasons for one in works)


def test_few_annotators_have_no_usual_speed_and_gaps_are_gaps() -> None:
    works = work_of([answer("a1", 1, 1.0, None), answer("a2", 1, 1.0, 10)], {"a3": [("check 1", True)]})
    assert isnan(of(works, "a1").seconds) and isnan(of(works, "a3").top_share)
    assert not any(one.reasons for one in works)
