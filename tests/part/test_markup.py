import re

import pytest

from assay.part import FORMS, Part, Table
from assay.part.markup import latex_table, markdown_rows


def table(title, header, rows):
    return Table("t", title, tuple(header), tuple(map(tuple, rows)))


def render(form, *about):
    return Part("", "", tables=(table(*about),)).render(form)


ROWS = [["bleu_4 & co", 0.5, 3], ["a|b", float("nan"), 12]]


def test_markdown_aligns_numbers_and_escapes_bars():
    assert markdown_rows(["name", "value", "n"], ROWS) == (
        "| name | value | n |\n| --- | ---: | ---: |\n| bleu_4 & co | 0.5 | 3 |\n| a\\|b | - | 12 |"
    )


def test_latex_escapes_what_it_must():
    text = latex_table(table("100% of {x}", ["name", "value", "n"], ROWS))
    assert r"\begin{tabular}{lrr}" in text
    assert r"bleu\_4 \& co & 0.5 & 3 \\" in text
    assert r"\caption{100\% of \{x\}}" in text


def test_three_forms_of_one_table():
    for form, mark in (("text", "----"), ("markdown", "**T**"), ("latex", r"\midrule")):
        assert mark in render(form, "T", ["name", "value", "n"], ROWS)


@pytest.mark.parametrize("name", ["[x]", "*", "*2pt", " [4em]"])
def test_latex_keeps_names_that_look_like_settings_of_a_line_break(name):
    lines = latex_table(table("T", [name, "b"], [["a", "b"], [name, "[b]"]])).splitlines()
    written = [line for line in lines if name in line]
    assert written == [rf"{{}}{name} & b \\", rf"{{}}{name} & [b] \\"]


def test_tables_stay_on_their_lines_and_steer_no_terminal():
    rows = [["a\x1b[31mb\nc\td\x9be\u2028", 1]]
    for form in FORMS:
        text = render(form, "T", ["na\nme", "n"], rows)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028]", text)
        assert "x1b[31mb" in text
    assert r"a\x1b[31mb\nc\td\x9be\u2028" in render("text", "T", ["name", "n"], rows)


def test_bars_in_a_header_are_escaped():
    assert markdown_rows(["a|b"], [["x"]]).startswith(r"| a\|b |")
