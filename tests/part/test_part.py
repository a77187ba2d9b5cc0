"""The one result: the same after a round trip, in every form, with gaps that say why."""

import json
from math import inf, isnan, nan

import pytest

from assay.io.results import as_csv
from assay.part import FORMS, Bounded, Number, Part, Picture, Table, reasons_once
from assay.plot import Figure

TABLE = Table(
    "t", "Scores", ("system", "score", "n"), (("a", Bounded(0.335, 0.274, 0.404), 3), ("b", None, 0)), "Note."
)
UNITS = Table("units", "Units", ("unit",), (("u1",),), in_file=True)
PART = Part(
    "Title",
    "What was done.",
    {"best": ["a leads."]},
    (
        Number("score", 0.335, 3, "f()|assay:0", 1, 0.274, 0.404, about={"system": "a", "rank": None}),
        Number("score", nan, 0, "f()|assay:0", reason="no outputs", about={"system": "b"}),
        Number("score", inf, 2, "f()|assay:0", reason="no interval", about={"system": "c"}),
    ),
    (TABLE, UNITS),
    (Picture.of("p", Figure("Drawn").points([0, 1], [0, 1]), "See."),),
    ("f()|assay:0",),
    {"outputs": "unit\n"},
    ("b: no outputs",),
    seed=7,
)


def test_a_part_is_the_same_after_json() -> None:
    stored = json.dumps(PART.to_json(), allow_nan=False)
    again = Part.from_json(json.loads(stored))
    assert json.dumps(again.to_json(), allow_nan=False) == stored
    assert again.tables == PART.tables and again.numbers[0] == PART.numbers[0]
    assert isnan(again.numbers[1].value) and again.numbers[2].value == inf


def test_a_number_says_everything_about_itself() -> None:
    first = PART.to_json()["numbers"][0]
    assert first == {
        "name": "score", "system": "a", "rank": None, "value": 0.335, "n": 3, "n_missing": 1,
        "interval": [0.274, 0.404], "reason": "", "signature": "f()|assay:0", "seed": 7,
    }  # fmt: skip


@pytest.mark.parametrize("write", [str, *(lambda part, form=form: part.render(form) for form in FORMS),
                                   Part._repr_markdown_, Part._repr_html_])  # fmt: skip
def test_an_interval_looks_the_same_everywhere(write) -> None:
    text = write(PART)
    assert "0.335 [0.274, 0.404]" in text
    assert "u1" not in text


def test_a_file_has_a_column_for_each_end() -> None:
    lines = as_csv(*TABLE.flat()).splitlines()
    assert lines == [
        "system,score,score low,score high,n",
        "a,0.335,0.274,0.404,3",
        "b,,,,0",
    ]


def test_a_notebook_shows_sentences_figures_and_notes() -> None:
    html = PART._repr_html_()
    for shown in ("a leads.", "Drawn</title>", "b: no outputs", "What was done."):
        assert shown in html
    assert "b: no outputs" in str(PART) and "b: no outputs" not in PART.render()


def test_what_belongs_into_files_can_be_left_out() -> None:
    brief = PART.without_files()
    assert brief.tables == (TABLE,) and not brief.pictures and not brief.scores


def test_a_reason_is_given_once() -> None:
    assert reasons_once([("a", "x"), ("b", ""), ("c", "x"), ("d", "y")]) == ["a: x (1 more alike)", "d: y"]


def test_a_table_without_a_title_stands_alone_and_is_captioned_by_its_part() -> None:
    part = Part("Title", "", tables=(Table("t", "", ("a",), ((1,),)),))
    assert part.render() == "a\n-\n1\n"
    assert r"\caption{Title}" in part.render("latex")
