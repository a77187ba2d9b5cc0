"""Flat records to tables and back: what is checked, what is made, what is kept."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay import DataError, Dataset, load, save
from assay.records.unflat import flat_records
from tests.contracts.worlds import records

ANSWER = {"annotator": "w", "criterion": "c", "value": 1}


def problems(*rows: dict[str, Any]) -> list[str]:
    with pytest.raises(DataError) as caught:
        Dataset.from_records(rows, source="f")
    return caught.value.problems


def test_only_text_is_required() -> None:
    data = Dataset.from_records([{"text": "a"}, {"text": "b"}])
    assert data.outputs.id.to_list() == ["1", "2"]
    assert data.items.id.to_list() == ["1", "2"], "without an item or a context each output is its own item"
    assert data.systems.id.to_list() == ["system"]


def test_outputs_with_one_context_share_an_item() -> None:
    data = Dataset.from_records(
        [{"text": "a", "context": "x"}, {"text": "b", "context": "x"}, {"text": "c", "context": "y"}]
    )
    assert data.outputs.item.tolist() == [0, 0, 1]


def test_sets_are_item_and_system_unless_named() -> None:
    data = Dataset.from_records([
        {"text": "a", "item": "i", "system": "s"},
        {"text": "b", "item": "i", "system": "s"},
        {"text": "c", "item": "i", "system": "s", "set": "mine"},
    ])  # fmt: skip
    assert data.sets.id.to_list() == ["i|s", "mine"]
    assert data.outputs.set.tolist() == [0, 0, 1]


def test_what_is_said_once_about_an_item_holds_for_all_its_outputs() -> None:
    data = Dataset.from_records([{"text": "a", "item": "i"}, {"text": "b", "item": "i", "references": ["r"]}])
    assert data.output(0).item.references == ("r",)


def test_a_bare_logprob_is_under_its_own_system_and_on_human_texts_under_the_only_other() -> None:
    rows = [
        {"text": "a", "system": "m", "logprob": -1.0},
        {"text": "b", "system": "h", "human": True, "logprob": "-inf"},
    ]
    data = Dataset.from_records(rows)
    assert data.logprobs.system.tolist() == [0, 0]
    assert data.logprobs.value.tolist() == [-1.0, -np.inf]
    assert "the data has 2 other systems" in problems(*rows, {"text": "c", "system": "n"})[0]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({}, 'no text. Every line needs a "text"'),
        ({"text": 3}, "text is 3, not a text"),
        ({"text": "a", "references": "b"}, 'references is "b", not a list of texts'),
        ({"text": "a", "references": [1]}, "references is [1], not a list of texts"),
        ({"text": "a", "logprob": float("nan")}, "logprob is nan. Give a finite number, -inf"),
        ({"text": "a", "logprobs": {"s": float("inf")}}, "logprobs under 's' is inf."),
        ({"text": "a", "logprob": "high"}, 'logprob is "high", not a number'),
        ({"text": "a", "n_tokens": -1}, "n_tokens is -1, not a whole number of tokens"),
        ({"text": "a", "n_tokens": {"s": 1}}, "n_tokens names 's', which logprobs does not"),
        ({"text": "a", "human": "yes"}, 'human is "yes", not true or false'),
        ({"text": "a", "id": ""}, "id has"),
        ({"text": "a", "system": True}, "system has true where a name"),
        ({"text": "a", "target": 0}, "target is 0, without choices. Give the choices"),
        ({"text": "a", "choices": ["x"]}, "choices has a single choice ('x'). Give at least two"),
        ({"text": "a", "choices": "xy"}, 'choices is "xy", not a list'),
        ({"text": "a", "choices": ["x", 3]}, "choices holds neither a text nor a record of features at 1: 3"),
        ({"text": "a", "choices": ["x", {}]}, "choices holds a record without features at 1"),
        ({"text": "a", "choices": ["x", {"y": [1]}]}, "a record whose feature 'y' is not a text, a number"),
        ({"text": "a", "choices": ["x", {"y": float("inf")}]}, "a record whose feature 'y' is not a text, a number"),
        ({"text": "a", "choices": ["x", "y"], "target": 2}, "target is 2. Give an index into the 2 choices"),
        ({"text": "a", "choices": ["x", "y"], "target": -1}, "target is -1. Give an index into the 2 choices"),
        ({"text": "a", "choices": ["x", "y"], "target": [1.0]}, "Give one probability per choice (2)"),
        ({"text": "a", "choices": ["x", "y"], "target": [1.5, -0.5]}, "each from 0 to 1"),
        ({"text": "a", "choices": ["x", "y"], "target": [0.5, 0.4]}, "sums to 0.9. Probabilities must sum to 1"),
        ({"text": "a", "choices": ["x", "y"], "target": [0, 0]}, "sums to 0. Probabilities must sum to 1"),
        ({"text": "a", "params": 3}, "params is 3, not an object"),
        ({"text": "a", "judgments": {}}, "judgments is {}, not a list of objects"),
        ({"text": "a", "judgments": [{"annotator": "w", "criterion": "c"}]}, "a judgment has the value null"),
        ({"text": "a", "judgments": [{"criterion": "c", "value": 1}]}, "a judgment has null where a name"),
        ({"text": "a", "judgments": [ANSWER | {"unit": "sett"}]}, "Did you mean 'set'?"),
        ({"text": "a", "judgments": [ANSWER | {"other": "9"}]}, "unknown output '9'"),
        ({"text": "a", "set_columns": {"x": 1}}, "set_columns without a set"),
    ],
)  # fmt: skip
def test_a_bad_line_is_named_with_what_to_do(row: dict[str, Any], message: str) -> None:
    (found,) = problems(row)
    assert found.startswith("f line 1: ")
    assert message in found


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": "x", "text": "a"}, {"id": "x", "text": "b"}], "f line 2: id 'x' was used before, on line 1"),
        (
            [{"text": "a", "item": "i", "context": "p"}, {"text": "b", "item": "i", "context": "q"}],
            "f line 2: item 'i' has another context than on line 1",
        ),
        (
            [{"text": "a", "item": "i", "references": ["p", "q"]}, {"text": "b", "item": "i", "references": ["pq"]}],
            "f line 2: item 'i' has another references than on line 1",
        ),
        (
            [{"text": "a", "system": "s", "human": True}, {"text": "b", "system": "s", "human": False}],
            "f line 2: system 's' has another human than on line 1",
        ),
        (
            [{"text": "a", "item": "i", "set": "s"}, {"text": "b", "item": "j", "set": "s"}],
            "f line 2: set 's' holds outputs of item 'j' and of item 'i'",
        ),
        (
            [{"text": "a", "item": "i", "set": "s", "set_columns": {"m": m}} for m in (1, 2)],
            "f line 2: set 's' has another m than on line 1",
        ),
    ],
)
def test_lines_that_contradict_each_other_are_named(rows: list[dict[str, Any]], message: str) -> None:
    assert problems(*rows)[0].startswith(message)


def test_all_problems_come_at_once_sorted_by_line_up_to_a_limit() -> None:
    found = problems({"text": 1, "human": 3}, {"text": "fine"}, {})
    assert [text.split(":")[0] for text in found] == ["f line 1", "f line 1", "f line 3"]
    with pytest.raises(DataError) as caught:
        Dataset.from_records([{}] * 50)
    assert str(caught.value).endswith("... and 30 more problems of this kind.")


def test_no_records_are_no_data() -> None:
    assert problems() == ["f: no outputs. Give a file with at least one line."]


@pytest.mark.parametrize("name", ["x.jsonl", "x.csv", "x.tsv", "x.parquet", "folder"])
def test_a_round_trip_loses_nothing(tmp_path: Path, name: str) -> None:
    data = Dataset.from_records(RICH + records())
    save(data, tmp_path / name)
    assert load(tmp_path / name) == data


def test_flat_records_of_a_data_set_make_it_again() -> None:
    data = Dataset.from_records(RICH)
    assert Dataset.from_records(list(flat_records(data))) == data


def test_an_item_without_outputs_needs_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "outputs.jsonl").write_text('{"id": "o", "item": "i", "text": "a"}\n')
    (folder / "items.csv").write_text("id,context\ni,x\nj,y\n")
    data = load(folder)
    assert data.items.context.to_list() == ["x", "y"]
    with pytest.raises(DataError, match="item 'j' has no outputs, so a flat file cannot hold it"):
        save(data, tmp_path / "x.jsonl")
    save(data, tmp_path / "again")
    assert load(tmp_path / "again") == data


def test_a_selection_keeps_what_belongs_to_it() -> None:
    data = Dataset.from_records(records())
    people = data.select(data.human)
    assert people.outputs.id.to_list() == [row["id"] for row in records() if row["human"]]
    assert len(people.judgments) == sum(len(row["judgments"]) for row in records() if row["human"])
    assert {people.output(row).item.id for row in range(len(people))} == {f"i{n}" for n in range(6)}
    assert people.output(3) == data.output(int(np.flatnonzero(data.human)[3]))


def test_a_selection_of_systems_knows_no_others() -> None:
    rows = [
        {"text": "yes", "system": "people", "human": True, "logprobs": {"a": -1.0, "b": -2.0}},
        {"text": "no", "system": "a", "logprobs": {"a": -3.0, "b": -4.0}},
        {"text": "maybe", "system": "b", "logprobs": {"b": -5.0}},
    ]
    data = Dataset.from_records(rows)
    chosen = data.select_systems(np.isin(data.systems.id.to_list(), ["people", "a"]))
    assert chosen.systems.id.to_list() == ["people", "a"]
    assert chosen.outputs.text.to_list() == ["yes", "no"]
    assert chosen.logprobs.value.tolist() == [-1.0, -3.0]


RICH: list[dict[str, Any]] = [
    {
        "id": "r1",
        "text": 'Very good!\n"x", y',
        "system": "s",
        "references": ["Fine.", ""],
        "context": "How are you?",
        "logprobs": {"s": -7.1, "t": "-inf"},
        "n_tokens": {"s": 2},
        "params": {"temperature": 0.7, "mode": "007"},
        "metric": 3,
        "choices": ["a", "b"],
        "target": 1,
        "item_columns": {"topic": "health"},
        "judgments": [
            {"annotator": "w1", "criterion": "typicality", "value": 4, "seconds": 3.5},
            {"annotator": "w1", "criterion": "typicality", "value": "3"},
            {"annotator": "w2", "criterion": "preference", "value": "left", "other": "r2"},
            {"annotator": "w2", "criterion": "diversity", "value": 1, "unit": "set"},
        ],
    },
    {
        "id": "r2",
        "text": "",
        "system": "h",
        "human": True,
        "context": "How are you?",
        "set": "s9",
        "set_columns": {"spread": 0.25, "kind": "1e3"},
        "logprobs": {"s": -3},
        "n_tokens": 4,
        "note": "12",
    },
    {
        "id": "r3",
        "text": "ü\tß",
        "system": "h",
        "item": "z",
        "target": [0.5, 0.5],
        "choices": ["1", "2"],
        "note": '"q"',
    },
]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([{"text": "a"}, 7], r"records line 2: a int, not a record\. Give"),
        ([{"text": "a", "params": {1: 2}}], "records line 1: params has the key 1, which is not a text"),
        ([{"text": "a", 1: 2}], "a column is named 1, which is not a text"),
    ],
)
def test_records_of_other_things_are_refused(given: list[Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Dataset.from_records(given)
