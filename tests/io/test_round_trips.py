"""Whatever a data set holds, each format gives it back."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings

from assay import Dataset
from assay.io import load, save
from tests.io.datasets import datasets


@pytest.mark.parametrize("name", ["x.jsonl", "x.csv", "x.tsv", "x.parquet", "folder"])
@given(dataset=datasets())
@settings(max_examples=25)
def test_a_round_trip_loses_nothing(name: str, dataset: Dataset) -> None:
    with tempfile.TemporaryDirectory() as folder:
        save(dataset, Path(folder) / name)
        assert load(Path(folder) / name) == dataset
