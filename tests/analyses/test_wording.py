"""A result that rests on judgments says what annotators were asked, where the data does."""

import pytest

import assay
from assay.analyses.words import p_value
from assay.sample import PATH

ASKED = "Annotators were asked “How typical is this answer of what people say?”."


@pytest.fixture(scope="module")
def few() -> assay.Dataset:
    sample = assay.load(str(PATH))
    return sample.select(sample.outputs.item < 6)


def test_the_question_is_quoted(few: assay.Dataset) -> None:
    target = "human('typicality')"
    assert ASKED in assay.meta(few, ["length"], target=target, resamples=0).summary
    assert ASKED in assay.huse(few, quality=target, k=3, intervals=False, figures=False).summary
    assert ASKED in assay.neighbors(few, criterion="typicality", n_resamples=0).summary


def test_no_question_where_nobody_was_asked(few: assay.Dataset) -> None:
    assert "asked" not in assay.meta(few, ["length"], target="chrf(references=others())", resamples=0).summary


def test_one_look_of_a_p_value() -> None:
    assert [p_value(p) for p in (0.0004, 0.003, 0.05, 1.0)] == ["p < .001", "p = .003", "p = .050", "p = 1.000"]
