import numpy as np
import pytest

from assay.errors import DataError
from assay.io.read_scores import is_score_table, read_scores, with_unit
from assay.io.score_table import write_scores
from tests.meta.score_tables import score_table


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_what_is_written_is_read(tmp_path, ending):
    table = score_table(6, 3, 2, gaps=0.2)
    path = tmp_path / f"scores.{ending}"
    write_scores(table, path)
    assert is_score_table(path)
    again = read_scores(path)
    assert again.unit == table.unit
    assert again.item == table.item
    assert again.system == table.system
    assert list(again.columns) == list(table.columns)
    for name in table.columns:
        np.testing.assert_array_equal(again[name].values, table[name].values)


def test_gaps_ids_and_texts(tmp_path):
    path = tmp_path / "own.tsv"
    path.write_text("system\titem\tm\tnote\nA\t1\t0.5\tgood\nA\t2\tNA\tbad\nB\t1\t\tgood\nB\t2\t1e-3\t\n")
    table = read_scores(path)
    assert table.unit.to_list() == ["A/1", "A/2", "B/1", "B/2"]
    np.testing.assert_array_equal(table["m"].values, [0.5, np.nan, np.nan, 0.001])
    assert table["m"].gaps[1] == "missing"
    assert table.notes == ("the column 'note' holds texts and is left out",)
    assert with_unit(table, "set").kind == "set"


def test_outputs_are_no_scores(tmp_path):
    path = tmp_path / "outputs.csv"
    path.write_text("system,item,text\nA,1,Fine.\n")
    assert not is_score_table(path)
    assert not is_score_table(tmp_path / "nowhere.csv")
    assert not is_score_table(tmp_path / "outputs.jsonl")


PROBLEMS = [
    ("unit,m\nu1,1\nu1,2\n", "line 3: the unit 'u1' stands already on line 2"),
    ("system,item,m\nA,1,1\nA,1,2\n", "line 3: system 'A', item '1' stands already on line 2"),
    ("system,item,m,m\nA,1,1,2\n", "line 1: the column 'm' stands twice"),
    ("system,item\nA,1\n", "no column of numbers"),
    ('system,item,m\nA,"1,2\n', "not readable as CSV"),
    ("", "no scores"),
]


@pytest.mark.parametrize(("text", "message"), PROBLEMS)
def test_problems_name_the_line_and_the_remedy(tmp_path, text, message):
    path = tmp_path / "scores.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_scores(path)


def test_not_utf8(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_bytes(b"system,item,m\n\xff,1,2\n")
    with pytest.raises(DataError, match="not UTF-8"):
        read_scores(path)
