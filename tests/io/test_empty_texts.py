"""Every reader keeps, counts and reports empty texts."""

from pathlib import Path

import pytest

from assay import Dataset
from assay.io import load, save
from assay.run import score

RECORDS = [
    {"id": "s1|1.0|0", "text": "good day", "set": "s1|1.0", "context": "C"},
    {"id": "s1|1.0|1", "text": "", "set": "s1|1.0", "context": "C"},
    {"id": "s1|1.0|2", "text": "good night", "set": "s1|1.0", "context": "C"},
    {"id": "s2|0.0|0", "text": "", "set": "s2|0.0", "context": "D"},
]
ABOUT = {"s1|1.0": ("s1", 1.0), "s2|0.0": ("s2", 0.0)}


def data() -> Dataset:
    return Dataset.from_records(
        record
        | {"system": "people", "human": True}
        | {
            "set_columns": dict(
                zip(
                    ("sample_id", "label_value", "label_name"),
                    (*ABOUT[record["set"]], "content_diversity"),
                    strict=True,
                )
            )
        }
        for record in RECORDS
    )


@pytest.mark.parametrize(
    ("name", "format"),
    [
        *((f"data{ending}", "flat") for ending in (".jsonl", ".csv", ".tsv", ".parquet", "")),
        ("data.csv", "diversity"),
    ],
)
def test_every_format_keeps_empty_texts(tmp_path: Path, name: str, format: str) -> None:
    save(data(), tmp_path / name, format)
    again = load(tmp_path / name)
    assert again == data()
    table = score(again, ["distinct", "self_bleu", "edit_distance"], unit="set")
    assert "2 of 4 outputs have an empty text" in table.notes
    for column in table.columns.values():
        assert column.gaps.counts() == {"no response has any text": 1}
