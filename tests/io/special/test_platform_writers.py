"""Outputs and their judgments go to Label Studio and Argilla, and come back."""

from pathlib import Path

import pytest

import assay
from assay.errors import DataError
from assay.io.special.platform_writers import PLATFORMS

RECORDS = [
    {
        "id": "o1",
        "item": "i1",
        "context": "How are you?",
        "references": ["Fine.", "Well."],
        "system": "a",
        "text": 'Very <b>"good"</b>\u2028!',
        "length_class": "short",
        "judgments": [
            {"annotator": "p2", "criterion": "typicality", "value": 4},
            {"annotator": "p1", "criterion": "typicality", "value": 2.5},
            {"annotator": "p1", "criterion": "tone", "value": "kind"},
        ],
    },
    {"id": "o2", "item": "i1", "system": "b", "text": "Nobody judged this.", "length_class": "long"},
]


@pytest.mark.parametrize("format", PLATFORMS)
def test_outputs_and_judgments_come_back(format: str, tmp_path: Path) -> None:
    data = assay.Dataset.from_records(RECORDS)
    path = tmp_path / "tasks.json"
    assay.save(data, path, format)
    back = assay.load(path, keep_worker_ids=True)
    for given, read in zip(data.iter_outputs(), back.iter_outputs(), strict=True):
        assert (read.id, read.text, read.system, read.item) == (given.id, given.text, given.system, given.item)
        assert read.columns["length_class"] == given.columns["length_class"]
        assert set(read.judgments) == set(given.judgments)


@pytest.mark.parametrize("format", PLATFORMS)
def test_annotators_are_numbered_when_read(format: str, tmp_path: Path) -> None:
    assay.save(assay.Dataset.from_records(RECORDS), tmp_path / "tasks.json", format)
    names = assay.load(tmp_path / "tasks.json").judgments.annotators.to_list()
    assert sorted(names) == ["annotator-0001", "annotator-0002"]


@pytest.mark.parametrize("format", PLATFORMS)
def test_what_has_no_place_is_refused(format: str, tmp_path: Path) -> None:
    pair = {"annotator": "p", "criterion": "better", "value": 1, "other": "o2"}
    records = [RECORDS[1] | {"id": "o1", "judgments": [pair]}, RECORDS[1]]
    with pytest.raises(DataError, match="1 judgments are about sets, systems or pairs"):
        assay.save(assay.Dataset.from_records(records), tmp_path / "tasks.json", format)
    with pytest.raises(DataError, match=r"one of \.json"):
        assay.save(assay.Dataset.from_records(RECORDS), tmp_path / "tasks.csv", format)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("format", PLATFORMS)
def test_who_is_human_comes_back(format: str, tmp_path: Path) -> None:
    data = assay.Dataset.from_records([RECORDS[0] | {"human": True}, RECORDS[1]])
    assay.save(data, tmp_path / "tasks.json", format)
    assert assay.load(tmp_path / "tasks.json").human.tolist() == [True, False]


@pytest.mark.parametrize("format", PLATFORMS)
def test_numbers_that_json_does_not_have_are_refused(format: str, tmp_path: Path) -> None:
    data = assay.Dataset.from_records([record | {"cost": float("inf")} for record in RECORDS])
    with pytest.raises(DataError, match="infinite, and JSON has no such number"):
        assay.save(data, tmp_path / "tasks.json", format)
    assert not list(tmp_path.iterdir())


def test_a_mistyped_format_is_named_before_the_ending(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no format 'argila'\. Did you mean 'argilla'\?"):
        assay.save(assay.Dataset.from_records(RECORDS), tmp_path / "tasks.json", "argila")
