"""Judgments go out as an MTurk batch and come back through its mapping."""

from pathlib import Path

import pytest

import assay
from assay.errors import DataError
from tests.io.special.test_platform_writers import RECORDS

CRITERIA = {"typicality": {"question": 'How "typical"?', "scale": "ordinal", "anchors": {"0": "not", "5": "very"}}}


def test_a_batch_comes_back_through_its_mapping(tmp_path: Path) -> None:
    records = [RECORDS[0] | {"human": True, "criteria": CRITERIA}, RECORDS[1]]
    data = assay.Dataset.from_records(records)
    path = tmp_path / "batch.csv"
    assay.save(data, path, "mturk")
    back = assay.load(path, mapping=path.with_suffix(".toml"), keep_worker_ids=True)
    for given, read in zip(data.iter_outputs(), back.iter_outputs(), strict=True):
        assert (read.id, read.text, read.system, read.human) == (given.id, given.text, given.system, given.human)
        assert (read.item.id, read.item.context) == (given.item.id, given.item.context)
        assert set(read.judgments) == set(given.judgments)
    assert back.criteria == data.criteria
    numbered = assay.load(path, mapping=path.with_suffix(".toml"))
    assert set(numbered.judgments.annotators) == {"annotator-0001", "annotator-0002"}


def test_a_label_that_looks_like_a_number_is_refused(tmp_path: Path) -> None:
    judgment = {"annotator": "p", "criterion": "tone", "value": "4"}
    data = assay.Dataset.from_records([RECORDS[1] | {"judgments": [judgment]}])
    with pytest.raises(DataError, match="cannot represent"):
        assay.save(data, tmp_path / "batch.csv", "mturk")
    assert not list(tmp_path.iterdir())
