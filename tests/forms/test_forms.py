"""Forms, and the verdicts in replies."""

from math import isnan, log

import pytest

from assay import DataError, Dataset
from assay.forms import SHIPPED, Form
from assay.forms.verdicts import chosen, expected
from assay.io.forms import named_form, read_form
from assay.records import Criterion

RATING = SHIPPED["rating"].answers
PREFERENCE = SHIPPED["preference"].answers


def outputs():
    data = Dataset.from_records([{"text": "One.", "context": "How?"}, {"text": "Two.", "context": "How?"}])
    return [data.output(0), data.output(1)]


def test_a_form_shows_context_texts_question_and_answers():
    one, two = outputs()
    shown = SHIPPED["rating"].prompt([one])
    assert "Context:\nHow?" in shown and "Text:\nOne." in shown and "5: very good" in shown
    assert shown.endswith("Reply with 1, 2, 3, 4 or 5, and nothing else.")
    pair = SHIPPED["preference"].prompt([two, one])
    assert pair.index("Text A:\nTwo.") < pair.index("Text B:\nOne.") and pair.endswith("A, B or tie, and nothing else.")


@pytest.mark.parametrize(
    ("reply", "value"),
    [("4", 4), (" **4**.\n", 4), ("It is fine.\nAnswer: 3", 3), ("Rating = 2", 2), ("Verdict: 5\nVerdict: 5", 5)],
)
def test_verdicts(reply, value):
    assert chosen(reply, RATING, cut=False).value == value


@pytest.mark.parametrize(
    ("reply", "cut", "reason"),
    [
        ("", False, "an empty reply"),
        ("0", False, "no verdict"),
        ("4 or 5", False, "no verdict"),
        ("Answer: 6", False, "not one of the answers: 6"),
        ("Answer: 4\nAnswer: 2", False, "two verdicts"),
        ("I'm sorry, I cannot rate this.", False, "refused"),
        ("Well, the text is", True, "truncated before a verdict"),
    ],
)
def test_every_reply_without_a_verdict_has_its_reason(reply, cut, reason):
    found = chosen(reply, RATING, cut=cut)
    assert isnan(found.value) and found.reason == reason


def test_expected_answers():
    first = [("4", log(0.6)), (" 5", log(0.2)), ("The", log(0.2))]
    found = expected(first, RATING, 0.5)
    assert found.value == pytest.approx((4 * 0.6 + 5 * 0.2) / 0.8) and found.mass == pytest.approx(0.8)
    assert expected(first, RATING, 0.9).reason == "the answers cover 0.80 of the probability (< 0.9)"
    assert expected([("A", log(0.5)), ("B", log(0.25)), ("t", log(0.25))], PREFERENCE, 0.5).value == pytest.approx(0.25)


def test_a_form_from_a_file(tmp_path):
    path = tmp_path / "helpful.toml"
    path.write_text('question = "Is it helpful?"\nlabels = ["no", "yes"]\ninstruction = "Read it."\n')
    form = read_form(str(path))
    assert form.answers == {"no": 0.0, "yes": 1.0} and form.criterion.name == "helpful"
    named = named_form(str(path))
    assert read_form(named) == form
    path.write_text('question = "Is it useful?"\nlabels = ["no", "yes"]\n')
    with pytest.raises(DataError, match="its content has changed"):
        read_form(named)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("low = 1\nhigh = 5", "has no question"),
        ('question = "How?"', "has no scale"),
        ('question = "How?"\nlow = 1\nhigh = 90', "has 90 answers"),
        ('question = "How?"\nunit = "set"\nlow = 1\nhigh = 2', "asks about units of the kind 'set'"),
        ('question = "How?"\nunit = "pair"\nlow = 1\nhigh = 2', "Leave the scale out"),
        ('question = "How?"\nlow = 1\nhigh = 5\ncolor = 1', "no key 'color'"),
    ],
)
def test_what_is_no_form(tmp_path, content, message):
    (tmp_path / "bad.toml").write_text(content)
    with pytest.raises(DataError, match=message):
        read_form(str(tmp_path / "bad.toml"))


def test_an_unknown_form_is_named():
    with pytest.raises(DataError, match="Did you mean 'rating'"):
        named_form("ratings")
    with pytest.raises(ValueError, match="kind ''"):
        Form(Criterion("x", "How?", low=1, high=2))
