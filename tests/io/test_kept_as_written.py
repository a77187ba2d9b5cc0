"""Input is preserved exactly or rejected: no cell, digit, key or character changes on reading."""

import csv
import datetime
import decimal
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import assay
from assay import DataError, Dataset, load, save
from assay.records.columns import numbers_of
from assay.text.strings import Strings

CELLS = {
    "price": ["1.10", "2.5"],
    "number": ["1234567890123456789", "1234567890123456788"],
    "word": ["NA", "None"],
    "gap": ["nan", "null"],
    "code": ["007", "7"],
    "point": ["1.0", "2.0"],
    "plus": ["+1", "1e3"],
    "quoted": ['"a"', '"b"'],
    "whole": ["1", "-2"],
    "real": ["0.1", "1e+22"],
}


def table(path: Path, cells: dict[str, list[str]]) -> Path:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writerow(["text", *cells])
        writer.writerows(zip(["a", "b"], *cells.values(), strict=True))
    return path


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
def test_cells_round_trip_unchanged(tmp_path: Path, ending: str) -> None:
    save(load(table(tmp_path / f"in{ending}", CELLS)), tmp_path / f"out{ending}")
    with open(tmp_path / f"out{ending}", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t" if ending == ".tsv" else ","))
    assert {name: [row[name] for row in rows] for name in CELLS} == CELLS


@pytest.mark.parametrize("step", ["x.jsonl", "x.parquet", "folder", "x.tsv"])
def test_cells_survive_other_formats(tmp_path: Path, step: str) -> None:
    data = load(table(tmp_path / "in.csv", CELLS))
    save(data, tmp_path / step)
    again = load(tmp_path / step)
    assert again.outputs.columns.keys() == data.outputs.columns.keys() and again == data
    save(again, tmp_path / "out.csv")
    with open(tmp_path / "out.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {name: [row[name] for row in rows] for name in CELLS} == CELLS


def test_a_column_is_numeric_on_request(tmp_path: Path) -> None:
    data = load(table(tmp_path / "in.csv", {"price": ["1.10", ""], "with_gaps": ["3.50", "NA"]}))
    scores = assay.score(data, ["column('price')", "column('with_gaps')"])
    assert scores["column('price')"].values[0] == 1.1 and np.isnan(scores["column('price')"].values[1])
    assert scores["column('with_gaps')"].values[0] == 3.5
    assert scores["column('with_gaps')"].n_missing == 1
    data = load(table(tmp_path / "in.csv", {"word": ["1", "one"]}))
    with pytest.raises(assay.EvaluatorError, match="column 'word' holds texts such as 'one'"):
        assay.score(data, ["column('word')"])


def test_texts_that_look_like_numbers_stay_texts(tmp_path: Path) -> None:
    data = Dataset.from_records([{"text": "a", "x": "1", "y": '"1"'}, {"text": "b", "x": "2", "y": '"2"'}])
    for name in ("x.csv", "x.tsv", "x.jsonl", "x.parquet"):
        save(data, tmp_path / name)
        again = load(tmp_path / name).outputs.columns
        assert [again["x"][0], again["y"][0]] == ["1", '"1"']


def column(path: Path, name: str = "x") -> Any:
    result = load(path).outputs.columns[name]
    return result.to_list() if isinstance(result, Strings) else result.tolist()


def test_large_integers_are_exact(tmp_path: Path) -> None:
    large = [2**53 + 1, 2**53 + 2]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps({"text": "a", "x": x}) + "\n" for x in large))
    assert column(tmp_path / "x.jsonl") == list(map(str, large))
    pq.write_table(pa.table({"text": ["a", "b"], "x": large}), tmp_path / "x.parquet")
    assert column(tmp_path / "x.parquet") == list(map(str, large))
    pq.write_table(
        pa.table({"text": ["a", "b"], "x": pa.array([2**64 - 1, None], pa.uint64())}), tmp_path / "x.parquet"
    )
    assert column(tmp_path / "x.parquet") == [str(2**64 - 1), ""]
    for value in (2**53 + 1, -(2**53) - 1):
        judged = {"text": "a", "judgments": [{"annotator": "w", "criterion": "c", "value": value}]}
        with pytest.raises(DataError, match="more digits than a number can hold"):
            Dataset.from_records([judged])
    with pytest.raises(DataError, match="more digits than a number can hold"):
        Dataset.from_records([{"text": "a", "logprobs": {"s": -(2**53) - 1}}])


ODD_TYPES = {
    "time": (pa.array([1, None], pa.timestamp("ns")), ["1970-01-01T00:00:00.000000001", ""]),
    "zone": (pa.array([0, 1], pa.timestamp("ms", "UTC")), ["1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.001Z"]),
    "date": (pa.array([datetime.date(2020, 1, 2), None]), ["2020-01-02", ""]),
    "clock": (pa.array([datetime.time(1, 2, 3), None], pa.time64("us")), ["01:02:03.000000", ""]),
    "decimal": (pa.array([decimal.Decimal("1.10"), decimal.Decimal("2.00")]), ["1.10", "2.00"]),
    "bytes that are text": (pa.array([b"abc", None], pa.binary()), ["abc", ""]),
    "category": (pa.array(["u", "v"]).dictionary_encode(), ["u", "v"]),
    "numbers in a category": (pa.array([1, 2]).dictionary_encode(), [1.0, 2.0]),
    "list": (pa.array([[1, 2], None]), ["[1, 2]", ""]),
    "object": (
        pa.array([{"a": 1, "b": datetime.datetime(2020, 1, 2)}, None]),
        ['{"a": 1, "b": "2020-01-02T00:00:00"}', ""],
    ),
    "map": (pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64())), ['{"k": 1}', ""]),
}


@pytest.mark.parametrize("name", ODD_TYPES)
def test_types_of_parquet(tmp_path: Path, name: str) -> None:
    values, expected = ODD_TYPES[name]
    pq.write_table(pa.table({"text": ["a", "b"], "x": values}), tmp_path / "x.parquet")
    assert column(tmp_path / "x.parquet") == expected


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            pa.array([b"\xff", b"a"], pa.binary()),
            r"x\.parquet line 1: x is not UTF-8 \(at byte 1\)\. Store texts as UTF-8",
        ),
        (pa.array([1, 2], pa.duration("s")), r"x\.parquet: the column 'x' has the type duration\[s\].* Leave it out"),
        (
            pa.array([[b"a"], []], pa.list_(pa.binary())),
            r"x\.parquet: the column 'x' has the type list<.*Leave it out",
        ),
    ],
)
def test_unsupported_parquet_types(tmp_path: Path, values: Any, message: str) -> None:
    pq.write_table(pa.table({"text": ["a", "b"], "x": values}), tmp_path / "x.parquet")
    with pytest.raises(DataError, match=message):
        load(tmp_path / "x.parquet")


def not_utf8() -> Any:
    """A text column that is not UTF-8, as some tools write without checking."""
    offsets = pa.py_buffer(np.array([0, 2, 3], np.int32))
    return pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"\xff\xfea")])


@pytest.mark.parametrize("name", ["text", "system", "x", "references"])
def test_parquet_that_is_not_utf8(tmp_path: Path, name: str) -> None:
    columns = {"text": pa.array(["a", "b"]), name: not_utf8()}
    if name == "references":
        columns[name] = pa.ListArray.from_arrays([0, 1, 2], not_utf8())
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    with pytest.raises(DataError, match="not UTF-8"):
        load(tmp_path / "x.parquet")


def test_nulls_in_objects_of_parquet_are_gaps(tmp_path: Path) -> None:
    judgments = [[{"annotator": "w", "criterion": "c", "value": 1.0, "unit": None, "other": None}], []]
    pq.write_table(pa.table({"text": ["a", "b"], "judgments": judgments}), tmp_path / "x.parquet")
    assert load(tmp_path / "x.parquet").judgments.value.tolist() == [1.0]


def test_a_duplicate_parquet_column(tmp_path: Path) -> None:
    texts = pa.array(["a"])
    pq.write_table(pa.Table.from_arrays([texts, texts], names=["text", "text"]), tmp_path / "x.parquet")
    with pytest.raises(DataError, match=r"the column 'text' appears twice\. Rename one"):
        load(tmp_path / "x.parquet")


@pytest.mark.parametrize("cut", [0.3, 0.6, 0.9])
def test_damaged_parquet(tmp_path: Path, cut: float) -> None:
    save(Dataset.from_records([{"text": f"word {k}" * 20, "x": k} for k in range(200)]), tmp_path / "x.parquet")
    content = bytearray((tmp_path / "x.parquet").read_bytes())
    at = int(cut * len(content))
    content[at : at + 40] = bytes(40)
    (tmp_path / "x.parquet").write_bytes(content)
    try:
        load(tmp_path / "x.parquet")
    except DataError as error:
        assert "x.parquet" in str(error)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"text": "a", "text": "b"}', "line 2: the key 'text' appears twice in one object. Keep one."),
        ('{"text": "a", "params": {"t": 1, "t": 2}}', "line 2: the key 't' appears twice in one object. Keep one."),
        ('{"text": "\\ud800"}', r"line 2: \ud800 is a lone surrogate, half of a character. Remove it."),
        ('{"text": "a", "x\\udfff": 1}', r"line 2: \udfff is a lone surrogate"),
        ('{"text": "a", "x": ' + "[" * 200 + "]" * 200 + "}", "line 2: nested more than 100 levels deep."),
    ],
)
def test_json_that_would_lose_values(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "x.jsonl").write_text('{"text": "first \\ud83d\\ude00 [[["}\n' + line + "\n")
    with pytest.raises(DataError) as caught:
        load(tmp_path / "x.jsonl")
    assert f"x.jsonl {message}" in str(caught.value)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ('["\\ud800"]', r"x.csv line 3: references: \ud800 is a lone surrogate"),
        ("[" * 200 + "]" * 200, "x.csv line 3: references: nested more than 100 levels deep."),
    ],
)
def test_json_in_cells_that_would_lose_values(tmp_path: Path, cell: str, message: str) -> None:
    with open(tmp_path / "x.csv", "w", newline="") as file:
        csv.writer(file).writerows([["text", "references"], ["a", "[]"], ["b", cell]])
    with pytest.raises(DataError) as caught:
        load(tmp_path / "x.csv")
    assert message in str(caught.value)


@pytest.mark.parametrize("record", [{"text": "\ud800"}, {"text": "a", "x": "\ud800"}, {"text": "a", "\ud800": "x"}])
def test_lone_surrogates_from_python(record: dict[str, Any]) -> None:
    with pytest.raises(DataError, match=r"lone surrogate .*'\\ud800'"):
        Dataset.from_records([record])


def test_python_values_that_json_lacks(tmp_path: Path) -> None:
    day, price = datetime.datetime(2020, 1, 2, 3), decimal.Decimal("1.10")
    data = Dataset.from_records([{"text": "a", "when": day, "price": price, "n": np.int64(3), "ok": np.bool_(True)}])
    result = {name: values[0] for name, values in data.outputs.columns.items()}
    assert result == {"when": "2020-01-02T03:00:00", "price": "1.10", "n": 3.0, "ok": "true"}
    with pytest.raises(DataError, match="a value of the type bytes, which no file can hold"):
        Dataset.from_records([{"text": "a", "x": b"raw"}])


def test_a_carriage_return_in_a_name(tmp_path: Path) -> None:
    data = Dataset.from_records([{"id": "a\rb", "text": "x\ry", "system": "\r", "x\r": "\r\n"}])
    for name in ("x.csv", "x.tsv"):
        save(data, tmp_path / name)
        assert load(tmp_path / name) == data


def test_codes_of_texts() -> None:
    assert numbers_of(Strings.of(["1.10", "", "NA", "1e3"])).tolist()[::3] == [1.1, 1000.0]  # type: ignore[union-attr]
    assert numbers_of(Strings.of(["1", "one"])) is None


@pytest.mark.parametrize("name", ["value", "unit", "kind", "output", "annotator", "criterion", "other"])
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_names_defined_in_other_tables_are_columns_here(tmp_path: Path, name: str, ending: str) -> None:
    save(load(table(tmp_path / "in.csv", {name: ["1.10", "null"]})), tmp_path / f"out{ending}")
    assert column(tmp_path / f"out{ending}", name) == ["1.10", "null"]
