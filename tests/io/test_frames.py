"""`load` with data frames of other libraries."""

import pandas as pd
import pyarrow as pa
import pytest

import assay

ROWS = [
    {"text": "a", "system": "s", "x": 1.5, "references": ["r"], "when": pd.Timestamp("2020-01-02")},
    {"text": "b", "system": "s", "x": None, "references": None, "when": pd.NaT},
]


@pytest.mark.parametrize("frame", [pd.DataFrame(ROWS), pa.Table.from_pandas(pd.DataFrame(ROWS))])
def test_a_frame_is_a_dataset(frame: object) -> None:
    data = assay.load(frame)
    assert data.outputs.text.to_list() == ["a", "b"]
    assert data.outputs.columns["x"][0] == 1.5
    assert data.outputs.columns["when"][0] == "2020-01-02T00:00:00"
    assert data.items.references[0] == ["r"]


def test_a_named_index_is_a_column() -> None:
    data = assay.load(pd.DataFrame(ROWS).assign(item=["i", "j"]).set_index(["item", "system"]))
    assert data.items.id.to_list() == ["i", "j"]
    assert data.systems.id.to_list() == ["s"]


def test_problems_with_a_frame_are_reported() -> None:
    with pytest.raises(assay.DataError, match="DataFrame line 1: no text"):
        assay.load(pd.DataFrame({"words": ["a"]}))
    with pytest.raises(assay.DataError, match="a column is named 1, which is not a text"):
        assay.load(pd.DataFrame({"text": ["a"], 1: ["b"]}))
    for twice in (pd.DataFrame([["a", 1, 2]], columns=["text", "x", "x"]), pa.table([["a"], [1], [2]], list("txx"))):
        with pytest.raises(assay.DataError, match="the column 'x' appears twice"):
            assay.load(twice)
    with pytest.raises(assay.DataError, match="a list cannot be loaded"):
        assay.load(ROWS)
    with pytest.raises(assay.DataError, match="score takes a Dataset, not a str"):
        assay.score("outputs.jsonl", ["length"])
