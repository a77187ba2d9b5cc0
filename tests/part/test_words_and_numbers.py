"""How the page writes calls and numbers, and what BibTeX it knows."""

import re
from math import nan

import pytest

from assay import registry
from assay.part import Bounded, Cell
from assay.part.numbers import written_column
from assay.part.words import sentence
from assay.report.citations import works_cited


@pytest.mark.parametrize(
    ("name", "cells", "written"),
    [
        ("rank", (1.0, 2.0, 10.0), ["1", "2", "10"]),
        ("rank", (1.0, 2.5, None), ["1.0", "2.5", "–"]),
        ("score", (0.12345, float("nan"), 1), ["0.1235", "–", "1.0000"]),
        ("score", (0.123456, 1.2e-7), ["0.1235", "1.2e-07"]),
        ("sd", (1.1e-16, 0.25), ["0.0000", "0.2500"]),
        ("p (Holm)", (0.0004, 0.01, 1.0, None), ["< .001", ".010", "1.000", "–"]),
        ("p_adjusted", (0.0, 0.0312), ["< .001", ".031"]),
        ("pooled", (0.0004, 0.5), ["0.0004", "0.5000"]),
        ("empty", (None,), ["–"]),
        ("rho", (Bounded(0.335, 0.274, 0.404), Bounded(0.5, nan, nan), None), ["0.335 [0.274, 0.404]", "0.500", "–"]),
    ],
)
def test_a_column_is_written_as_people_read_it(name: str, cells: tuple[Cell, ...], written: list[str]) -> None:
    assert written_column(name, cells) == written


def test_calls_are_set_as_code_and_everything_is_escaped() -> None:
    assert sentence("By human(criterion='<b>'), a & b (0.1 to 0.2)") == (
        "By <code>human(criterion=&#x27;&lt;b&gt;&#x27;)</code>, a &amp; b (0.1 to 0.2)"
    )
    assert sentence("reduce(chrf(references=nearest(n=2)))") == "<code>reduce(chrf(references=nearest(n=2)))</code>"
    assert sentence("f(<i>") == "f(&lt;i&gt;"


def test_every_work_an_evaluator_cites_has_an_entry() -> None:
    for name in registry.names():
        cited = registry.factory(name).about.cite
        assert len(works_cited([cited])) == len(re.findall(r"\b\d{4}\b", cited)), f"{name} cites {cited}"


def test_a_work_is_listed_once_and_unknown_ones_are_left_to_the_reader() -> None:
    lines = ["Tevet & Berant 2021, Evaluating the Evaluation", "Tevet and Berant 2021", "Nobody 1901", "f(seed=2021)"]
    (entry,) = works_cited(lines)
    assert entry.startswith("@inproceedings{tevet2021evaluating,") and entry.endswith("}")
