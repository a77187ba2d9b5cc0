"""Outputs that copy a reference, the context or another system are counted, and items that were trained on."""

from pathlib import Path

import pytest

import assay
from assay.study.copies import equal_to_another_system, equal_to_context, equal_to_references

RECORDS = [
    {"item": "1", "context": "q", "references": ["r"], "system": "a", "text": "r"},
    {"item": "1", "system": "b", "text": "q"},
    {"item": "1", "system": "c", "text": "x"},
    {"item": "1", "system": "d", "text": "x"},
    {"item": "1", "system": "people", "human": True, "text": "x"},
    {"item": "2", "context": "p", "references": ["x", "y"], "system": "a", "text": ""},
    {"item": "2", "system": "b", "text": "x"},
    {"item": "2", "system": "c", "text": "r"},
]


def test_copies() -> None:
    data = assay.Dataset.from_records(RECORDS)
    assert equal_to_references(data).tolist() == [True, False, False, False, False, False, True, False]
    assert equal_to_context(data).tolist() == [False, True, False, False, False, False, False, False]
    assert equal_to_another_system(data).tolist() == [False, False, True, True, False, False, False, False]


def test_health_tells_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assay.save(assay.Dataset.from_records(RECORDS), "outputs.jsonl")
    Path("train.jsonl").write_text('{"context": "q", "text": "other"}\n')
    Path("study.toml").write_text('data = "outputs.jsonl"\ntrain = "train.jsonl"\n[health]\n')
    said = assay.run_study("study.toml").parts["health"].answers["missing"]
    assert "a: 1 of 2 outputs are equal to a reference. Check that the right column was read." in said
    assert "c: 1 of 2 outputs are equal to another system. Check that the right column was read." in said
    assert any(line.startswith("1 of 2 items are in the training data too.") for line in said)
