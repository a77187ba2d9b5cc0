"""Every format round-trips any dataset to the last bit."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings

from assay import Dataset, score
from assay.io import load, save
from assay.io.folder import write_folder
from assay.records.columns import numbers_of
from tests.io.datasets import datasets

FLAT = ["x.jsonl", "x.ndjson", "x.csv", "x.tsv", "x.parquet"]


@contextmanager
def written(dataset: Dataset, name: str) -> Iterator[Path]:
    """A dataset on disk: a flat file, or a folder of tables in one format."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        if name.startswith("tables"):
            write_folder(dataset, Path(folder) / "tables", name.removeprefix("tables"))
            path = Path(folder) / "tables"
        else:
            save(dataset, path)
        yield path


@pytest.mark.parametrize("name", [*FLAT, "folder", "tables.jsonl", "tables.csv", "tables.tsv", "tables.parquet"])
@given(dataset=datasets())
@settings(max_examples=20)
def test_a_round_trip_loses_nothing(name: str, dataset: Dataset) -> None:
    with written(dataset, name) as path:
        assert load(path) == dataset


@pytest.mark.parametrize("name", FLAT)
@given(dataset=datasets())
@settings(max_examples=10)
def test_writing_again_gives_the_same_file(name: str, dataset: Dataset) -> None:
    with written(dataset, name) as path:
        # What was read has its columns in the order in which lines name them; from then on nothing moves.
        save(load(path), path)
        first = path.read_bytes()
        save(load(path), path)
        assert path.read_bytes() == first


@pytest.mark.parametrize("name", [*FLAT, "tables.csv"])
@given(dataset=datasets())
@settings(max_examples=5)
def test_scores_after_a_round_trip_are_bit_identical(name: str, dataset: Dataset) -> None:
    assume(len(dataset.outputs.text.packed))  # judgments without any text are a table of ratings, which has no length
    evaluators = [
        "length",
        *(f"column({column!r})" for column in dataset.outputs.columns if _is_asked(dataset, column)),
    ]
    with written(dataset, name) as path:
        before, after = score(dataset, evaluators, unit="output"), score(load(path), evaluators, unit="output")
    assert [column.values.tobytes() for column in before.columns.values()] == [
        column.values.tobytes() for column in after.columns.values()
    ]


def _is_asked(dataset: Dataset, column: str) -> bool:
    numbers = numbers_of(dataset.outputs.columns[column])
    return numbers is not None and not np.isinf(numbers).any()
