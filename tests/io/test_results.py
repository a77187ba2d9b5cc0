import csv
import json
from pathlib import Path

import pytest

from assay.errors import DataError
from assay.io.arrays import packed, unpacked
from assay.io.results import check_path, write_rows, write_text

ROWS = [
    {"id": "a", "value": 0.5, "near": [{"id": "b", "similarity": 1.0}], "reason": ""},
    {"id": "é", "value": float("nan"), "near": [], "reason": "too few"},
]


def test_json_lines_have_null_for_a_gap(tmp_path: Path) -> None:
    write_rows(ROWS, tmp_path / "rows.jsonl")
    first, second = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    assert first == ROWS[0]
    assert second["value"] is None and second["id"] == "é"


def test_csv_has_an_empty_cell_for_a_gap_and_json_for_nested_values(tmp_path: Path) -> None:
    write_rows(ROWS, tmp_path / "rows.csv")
    with open(tmp_path / "rows.csv", encoding="utf-8", newline="") as file:
        first, second = list(csv.DictReader(file))
    assert first["value"] == "0.5" and json.loads(first["near"]) == ROWS[0]["near"]
    assert second["value"] == "" and second["near"] == "[]"


def test_wrong_suffixes_and_missing_folders_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"written as \.jsonl or \.csv"):
        write_rows(ROWS, tmp_path / "rows.txt")
    with pytest.raises(DataError, match="no such folder"):
        check_path(tmp_path / "absent" / "rows.csv", [".csv"])


def test_arrays_round_trip_with_their_header() -> None:
    import numpy as np

    header, arrays = unpacked(packed({"kind": "x", "n": 2}, {"a": np.arange(3), "b": np.zeros((2, 2))}))
    assert header == {"kind": "x", "n": 2}
    assert arrays["a"].tolist() == [0, 1, 2] and arrays["b"].shape == (2, 2)


def test_a_name_that_is_too_long_is_a_plain_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"File name too long\. Choose another name or location\."):
        write_text("x", tmp_path / f"{'x' * 300}.csv")


def test_a_name_of_maximum_length_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    write_text("y", path)
    assert path.read_text() == "y"
