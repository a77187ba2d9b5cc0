"""Reproduced numbers: matches stay matches, differences are explained, and the docs page is up to date."""

from collections import Counter
from math import isnan, nan
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.reproduce_command import command
from assay.errors import EvaluatorError
from assay.io import load
from assay.reproduce import PAPERS, Cell, reproduce
from assay.reproduce.cells import summary
from assay.reproduce.communication import candidates, click_grades
from assay.reproduce.judges_generators import DISCRIMINATORS, NEURAL
from assay.reproduce.judges_page import judges_tables
from assay.reproduce.page import page

DOCS = Path(__file__).parents[2] / "docs" / "reproduction.md"

# Differences from published numbers, which must have a note: paper, row, column.
DIFFER = Counter(
    {
        ("huse", "t = 1.0, exact ties", "HUSE-Q"): 1,
        ("huse", "t = 1.0, exact ties", "HUSE-D"): 1,
        ("neighbors", "BLEU Neighbors", "rho"): 1,
        ("neighbors", "ROUGE-L Neighbors", "MSE"): 1,
        ("neighbors", "ROUGE-L Neighbors", "rho"): 1,
        ("neighbors", "ROUGE-L Neighbors", "coverage"): 1,
        ("neighbors", "best annotator", "rho"): 1,
        ("neighbors", "average annotator", "MSE"): 1,
        ("neighbors", "average annotator", "rho"): 1,
        ("judges", "Fleiss' kappa", "real/fake"): 1,
        ("diversity", "distinct-n", "rho"): 1,
        ("diversity", "distinct-n", "OCA"): 4,
        ("communication", "BLEU-1", "Spearman"): 1,
    }
)
# Published numbers and total cells of each paper.
CELLS = {"huse": (6, 6), "neighbors": (10, 10), "judges": (32, 696), "diversity": (31, 100), "communication": (15, 15)}


@pytest.fixture(scope="module")
def measured(data: Path) -> dict[str, list[Cell]]:
    return {paper: reproduce([paper]) for paper in PAPERS}


def differing(paper: str, cells: list[Cell]) -> Counter[tuple[str, str, str]]:
    """The published numbers that ours differ from; each must be explained."""
    result = [cell for cell in cells if cell.printed and not cell.equal]
    for cell in result:
        assert cell.note and cell.cause in ("measured", "guess"), cell
    return Counter((paper, cell.row, cell.column) for cell in result)


def test_a_paper_alone(data: Path) -> None:
    cells = reproduce(["huse"])
    assert len(cells) == CELLS["huse"][1]
    assert differing("huse", cells) == Counter({key: n for key, n in DIFFER.items() if key[0] == "huse"})


# Kendall's tau-b with H1 over the twelve generators, found by independent code with other discriminators.
TAU = {
    "BLEU": 0.67,
    "CIDEr": 0.67,
    "METEOR": 0.52,
    "ROUGE-L": 0.48,
    "Self-BLEU": 0.73,
    "type-token ratio": -0.58,
    "naive Bayes": -0.64,
    "random forest": -0.61,
    "SVM": -0.52,
    "XGBoost": -0.42,
}
LEAST_ACCURACY = {"naive Bayes": 64.0, "random forest": 66.0, "XGBoost": 70.0}


@pytest.mark.slow
def test_evaluators_rank_the_generators_of_reviews_as_known(measured: dict[str, list[Cell]]) -> None:
    cells = {(c.table, c.row, c.column): c for c in measured["judges"]}
    for name, expected in TAU.items():
        cell = cells["Generators, Kendall's tau-b", f"{name} with H1: single votes", "12 generators"]
        assert cell.measured * expected > 0, cell
        assert cell.low < cell.measured < cell.high
        if name in ("BLEU", "CIDEr", "METEOR", "ROUGE-L", "Self-BLEU", "type-token ratio"):
            assert cell.measured == pytest.approx(expected, abs=0.006)
    for name, least in LEAST_ACCURACY.items():
        cell = cells["Discriminators, cross-fitted", name, "accuracy"]
        assert cell.measured >= least
        assert "public" in cell.note
    assert cells["Votes, Pearson", "BLEU", "between generators"].measured > 0.8
    assert cells["Votes, Pearson", "BLEU", "within generators"].measured < 0.15


@pytest.mark.slow
def test_every_paper_gives_its_cells(measured: dict[str, list[Cell]]) -> None:
    result = {paper: (sum(bool(c.printed) for c in cells), len(cells)) for paper, cells in measured.items()}
    assert result == CELLS


@pytest.mark.slow
def test_every_number_is_the_published_one_or_explained(measured: dict[str, list[Cell]]) -> None:
    assert sum((differing(paper, cells) for paper, cells in measured.items()), Counter()) == DIFFER
    assert not any(isnan(cell.measured) for cells in measured.values() for cell in cells)


@pytest.mark.slow
def test_no_cell_appears_twice(measured: dict[str, list[Cell]]) -> None:
    keys = Counter((c.paper, c.table, c.row, c.column) for cells in measured.values() for c in cells)
    assert max(keys.values()) == 1


@pytest.mark.slow
def test_the_docs_page_is_up_to_date(measured: dict[str, list[Cell]]) -> None:
    """Neural discriminators, which train for ten minutes, are on the page too: as more rows and columns."""
    lines = iter(DOCS.read_text(encoding="utf-8").splitlines())
    quick = page([cell for cells in measured.values() for cell in cells])
    for line in quick.splitlines():
        if "published numbers match" in line or line.startswith("| --- ") or line.startswith("- naive Bayes"):
            continue
        assert any(there.startswith(line.removesuffix(" |").rstrip()) for there in lines), line


@pytest.mark.slow
def test_every_discriminator_is_in_the_matrices(measured: dict[str, list[Cell]]) -> None:
    text = DOCS.read_text(encoding="utf-8")
    for name in (*DISCRIMINATORS, *NEURAL):
        # Quality, scores, three matrices, other systems, between and within.
        assert text.count(f"\n| {name} |") == 7, name


@pytest.mark.slow
def test_between_and_within_generators_have_intervals(measured: dict[str, list[Cell]]) -> None:
    rows = [cell for cell in measured["judges"] if cell.table == "Votes, Pearson"]
    assert len(rows) == 18
    assert all(cell.low < cell.measured < cell.high and 0 < cell.p_value <= 1 for cell in rows)


def test_cells_of_judges_as_tables() -> None:
    def cell(table: str, row: str, column: str, value: float, low: float = nan, p: float = nan) -> Cell:
        return Cell("p", table, row, column, "", value, "why" if row == "SVM" else "", low=low, high=1.0, p_value=p)

    cells = [
        cell("Discriminators, cross-fitted", "SVM", "accuracy", 68.0833),
        cell("Generators, score", "SVM", "LeakGAN", 0.58),
        cell("Generators, rank", "SVM", "LeakGAN", 2.5),
        cell("Generators, Kendall's tau-b", "SVM with BLEU", "12 generators", 0.5, 0.25, 0.04),
        cell("Generators, Kendall's tau-b", "SVM with H1", "without Google LM", 0.5, 0.25, 0.06),
        cell("Votes, Pearson", "SVM", "within generators", 0.5, 0.25, 0.06),
    ]
    text = "\n".join(judges_tables(cells))
    assert "- SVM: why." in text
    for rows in (
        "|  | accuracy |\n| --- | --- |\n| SVM | 68.08 |",
        "|  | LeakGAN |\n| --- | --- |\n| SVM | 0.580 (2.5) |",
        "|  | BLEU |\n| --- | --- |\n| SVM | 0.50 [0.25, 1.00] * |",
        "|  | Kendall's tau-b, without Google LM |\n| --- | --- |\n| SVM | 0.50 [0.25, 1.00] |",
        "|  | within generators |\n| --- | --- |\n| SVM | 0.50 [0.25, 1.00] |",
    ):
        assert rows in text


def test_neural_discriminators_belong_to_judges() -> None:
    with pytest.raises(EvaluatorError, match="belong to judges alone"):
        reproduce(["huse"], neural=True)
    for papers in (["huse"], ["colors"]):
        result = CliRunner().invoke(command, [*papers, "--neural"])
        assert result.exit_code == 2 and "--neural is for judges" in result.output


@pytest.mark.slow
def test_the_candidates_of_the_colors_are_those_of_the_paper(data: Path) -> None:
    groups = candidates(load("data:colors/utterances"))
    assert [sum(map(len, group.values())) for group in groups] == [1912, 1343, 1909]
    clicks, grades = click_grades(groups)
    assert len(clicks) == len(grades) == 12_735


def test_an_unknown_paper_is_named_with_the_nearest() -> None:
    with pytest.raises(EvaluatorError, match=r"no paper 'husse' to reproduce\. Did you mean 'huse'"):
        reproduce(["husse"])
    with pytest.raises(EvaluatorError, match="no paper 'bogus'"):
        reproduce(["all", "bogus"])


def cell(printed: str, measured: float) -> Cell:
    return Cell("p", "t", "r", "c", printed, measured)


def test_a_cell_is_equal_if_it_rounds_to_the_printed_value() -> None:
    assert cell("0.50", 0.5049).equal
    assert cell("0.99", 0.995).equal
    assert not cell("0.50", 0.5051).equal
    assert cell("0.5", 0.5051).equal
    assert not cell("0.50", nan).equal
    assert cell("0.54873164219", 411 / 749).equal
    assert not cell("0.54873164219", 411 / 749 + 1e-11).equal


def test_a_cell_without_a_printed_value_is_neither_equal_nor_counted() -> None:
    cells = [cell("", 0.5), cell("0.50", 0.5), Cell("p", "t", "r", "d", "0.50", 0.6, "why", "guess")]
    assert not cells[0].equal and isnan(cells[0].distance) and cells[0].paper_value is None
    assert summary(cells) == (
        "1 of 2 published numbers match as printed; for the 1 others, the cause of the difference was measured for 0 "
        "and is a guess for 1. 1 more were measured without a published value to compare with."
    )


def test_a_cell_in_json() -> None:
    assert Cell("p", "t", "r", "c", "0.50", 0.75, "why", "measured").as_json() == {
        "paper": "p", "table": "t", "row": "r", "column": "c", "printed": "0.50", "measured": 0.75,
        "note": "why", "cause": "measured", "paper_value": 0.5, "distance": 0.25, "equal": False,
        "interval": None, "p_value": None,
    }  # fmt: skip
    tested = Cell("p", "t", "r", "c", "", 0.5, low=0.25, high=0.75, p_value=0.01)
    assert tested.as_json()["interval"] == [0.25, 0.75]
    assert tested.interval == "[0.25, 0.75] *"
