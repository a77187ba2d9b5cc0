"""Published numbers: what is met stays met, what differs says why, and the page of docs shows just that."""

from pathlib import Path

import pytest

from assay.errors import EvaluatorError
from assay.reproduce import PAPERS, Cell, reproduce
from assay.reproduce.page import page

DOCS = Path(__file__).parents[2] / "docs" / "reproduction.md"

# What cannot be met, and is explained in its note.
DIFFER = {
    ("t = 1.0, exact ties", "HUSE-Q"),
    ("t = 1.0, exact ties", "HUSE-D"),
    ("ROUGE-L Neighbors", "coverage"),
    ("Fleiss' kappa", "real/fake"),
    ("distinct-n", "OCA"),
}


@pytest.mark.slow
def test_every_number_is_met_or_explained_and_the_docs_say_so(data: Path) -> None:
    cells = reproduce(["all"])
    assert {cell.paper for cell in cells} and len(cells) == 50
    differing = [cell for cell in cells if not cell.ok]
    assert len(differing) == 5
    assert {(cell.row, cell.column) for cell in differing} == DIFFER
    assert all(cell.note for cell in cells if not cell.equal)
    assert page(cells) == DOCS.read_text(encoding="utf-8")


@pytest.mark.parametrize("paper", ["huse", "neighbors", "judges"])
def test_a_paper_alone(data: Path, paper: str) -> None:
    cells = reproduce([paper])
    assert cells and sum(cell.ok for cell in cells) >= len(cells) - 2


def test_an_unknown_paper_is_named_with_the_nearest() -> None:
    assert set(PAPERS) == {"huse", "neighbors", "judges", "diversity"}
    with pytest.raises(EvaluatorError, match=r"no paper 'husse' to reproduce\. Did you mean 'huse'"):
        reproduce(["husse"])
    with pytest.raises(EvaluatorError, match="no paper 'bogus'"):
        reproduce(["all", "bogus"])


def cell(printed: str, measured: float, within: float) -> Cell:
    return Cell("p", "t", "r", "c", printed, measured, within)


def test_a_cell_is_met_at_its_stated_distance_and_never_by_a_gap() -> None:
    assert cell("0.50", 0.51, 0.01).ok
    assert not cell("0.50", 0.52, 0.01).ok
    assert not cell("0.50", float("nan"), 0.01).ok


def test_a_cell_is_equal_when_it_would_be_printed_alike() -> None:
    assert cell("0.50", 0.5049, 0.01).equal
    assert not cell("0.50", 0.5051, 0.01).equal
    assert cell("0.5", 0.5051, 0.01).equal
    assert not cell("0.50", float("nan"), 0.01).equal


def test_a_cell_in_json() -> None:
    assert cell("0.50", 0.51, 0.01).as_json() == {
        "paper": "p", "table": "t", "row": "r", "column": "c",
        "paper_value": 0.5, "measured": 0.51, "ok": True, "note": "",
    }  # fmt: skip
