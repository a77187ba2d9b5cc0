"""The folder of annotations of people and of models."""

import json

import pytest

from assay import DataError, load, save

PEOPLE = {"a": {f"t{i}__M{k}__{c}": i % 3 + 1 for i in range(6) for k in range(2) for c in ("x", "y")}}


def folder(path, people, models=None):
    path.mkdir()
    (path / "human_annotations.json").write_text(json.dumps(people))
    if models is not None:
        (path / "llm_annotations.json").write_text(json.dumps(models))
    return path


def test_aspects_are_criteria_and_models_are_declared(tmp_path):
    data = load(folder(tmp_path / "set", PEOPLE, {"m": PEOPLE["a"]}))
    assert len(data) == 12 and data.judgments.criteria.to_list() == ["x", "y"]
    assert data.outputs.id[0] == "t0__M0" and data.systems.id.to_list() == ["set"]
    assert data.judgments.models() == {"m"}
    assert load(tmp_path / "set" / "llm_annotations.json") == data
    save(data, tmp_path / "flat.jsonl")
    assert load(tmp_path / "flat.jsonl") == data


def test_names_that_hardly_repeat_are_no_aspects(tmp_path):
    people = {"a": {f"one__two__{i}": "yes" for i in range(6)}}
    data = load(folder(tmp_path / "set", people))
    assert data.judgments.criteria.to_list() == ["answer"] and data.outputs.id[0] == "one__two__0"
    assert data.judgments.models() == set()


def test_one_label_makes_labels_of_all_and_gaps_are_left_out(tmp_path):
    data = load(folder(tmp_path / "set", {"a": {"s": 1, "t": None, "u": "no", "v": ["x"]}}))
    answers = {output.id: [j.value for j in output.judgments] for output in data.iter_outputs()}
    assert answers == {"s": ["1"], "t": [], "u": ["no"], "v": ['["x"]']}


def test_numbers_in_quotes_are_numbers_and_blanks_are_gaps(tmp_path):
    people = {"a": {"s": "4", "t": " 3.0 ", "u": "nan", "v": "  ", "w": float("nan"), "x": True}}
    data = load(folder(tmp_path / "set", people, {"m": {"s": 4, "t": 3, "unseen": "2"}}))
    answers = {output.id: [j.value for j in output.judgments] for output in data.iter_outputs()}
    assert answers == {"s": [4, 4], "t": [3, 3], "u": [], "v": [], "w": [], "x": [1], "unseen": [2]}
    labels = load(folder(tmp_path / "labels", {"a": {"s": "none", "t": "yes", "u": 1}}))
    assert [[j.value for j in output.judgments] for output in labels.iter_outputs()] == [["none"], ["yes"], ["1"]]


@pytest.mark.parametrize(
    ("people", "models", "message"),
    [
        ([], None, "not an object of objects"),
        ({"a": [1]}, None, "not an object of objects"),
        ({}, None, "no annotators"),
        ({"a": {"s": 1}}, {"a": {"s": 1}}, "is an annotator of human_annotations.json too"),
        ({"a": {"": 1}}, None, "has no name"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, people, models, message):
    with pytest.raises(DataError, match=message):
        load(folder(tmp_path / "set", people, models))
