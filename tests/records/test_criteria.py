"""Criteria: declared with the data, checked with the data, inferred where nothing is declared."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import DataError, Dataset, load, save
from assay.records import Criterion
from assay.records.criteria import KEYS, read_criterion

GOOD = {"question": "Is it good?", "scale": "ordinal", "labels": ["bad", "fair", "good"], "better": "higher"}


def records(*values: Any, criteria: Any = None, criterion: str = "good") -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = [
        {"id": f"o{n}", "text": "t", "judgments": [{"annotator": "a", "criterion": criterion, "value": value}]}
        for n, value in enumerate(values)
    ]
    lines[0] |= {} if criteria is None else {"criteria": criteria}
    return lines


def test_labels_stand_for_their_numbers() -> None:
    data = Dataset.from_records(records("good", 1, "bad", criteria={"good": GOOD}))
    assert data.judgments.value.tolist() == [2.0, 1.0, 0.0]
    assert data.judgments.label.tolist() == [0, -1, 1]
    assert data.criterion("good").word(2.0) == "good"
    from_minus_one = Dataset.from_records(records("good", criteria={"good": GOOD | {"low": -1}}))
    assert from_minus_one.judgments.value.tolist() == [1.0]


def test_what_a_criterion_does_not_allow_is_listed_with_its_line() -> None:
    with pytest.raises(DataError) as caught:
        Dataset.from_records(records("good", "great", 7, 0.5, criteria={"good": GOOD}), "f.jsonl")
    said = " 'good' has 'bad', 'fair', 'good'. Correct it, or the labels of the criterion."
    assert caught.value.problems == [
        f"f.jsonl line 2: 'great' is no answer to 'good'.{said}",
        f"f.jsonl line 3: 7 is no answer to 'good'.{said}",
        f"f.jsonl line 4: 0.5 is no answer to 'good'.{said}",
    ]
    with pytest.raises(DataError, match=r"f\.jsonl line 2: the answer 6 to 'good' lies outside 0 to 5\."):
        Dataset.from_records(records(5, 6, criteria={"good": {"low": 0, "high": 5}}), "f.jsonl")
    with pytest.raises(DataError, match=r"line 1: 'x' is no answer to 'good'\."):
        Dataset.from_records(records("x", criteria={"good": {"scale": "interval"}}))
    with pytest.raises(
        DataError, match="line 1: 'good' asks about units of the kind 'set', and this judgment is about 'output'"
    ):
        Dataset.from_records(records(1, criteria={"good": {"unit": "set"}}))


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"scal": "ordinal"}, "has no key 'scal'. Did you mean 'scale'?"),
        ({"scale": "ordnal"}, "scale is \"ordnal\". Did you mean 'ordinal'?"),
        ({"low": 5, "high": 0}, "low is 5 and high 0."),
        ({"low": "a"}, 'low is "a", not a number.'),
        ({"low": float("nan")}, "low is nan, not a finite number."),
        ({"high": 10**400}, "too large a number."),
        ({"anchors": {"inf": "y"}}, "an anchor is at inf, which is no answer"),
        ({"anchors": {10**400: "y"}}, "not a text for each of some numbers."),
        ({"labels": ["a", "a"]}, "Give two or more different texts."),
        ({"labels": ["a", "b"], "high": 7}, "2 labels from 0 on end at 1, and high is 7."),
        ({"labels": "ab"}, 'labels is "ab", not a list of texts.'),
        ({"anchors": {"x": "y"}}, "not a text for each of some numbers."),
        ({"low": 0, "anchors": {"-1": "y"}}, "an anchor is at -1, which is no answer: give 0 and above."),
        ({"question": 3}, "question is 3, not a text."),
        (3, 'is 3, not an object. Write {"question": ..., "scale": ...}.'),
    ],
)
def test_a_wrong_declaration(declared: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        Dataset.from_records(records(1, criteria={"good": declared}), "f.jsonl")
    assert str(caught.value).startswith("f.jsonl line 1: criterion 'good' ")
    assert message in str(caught.value)


VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.sampled_from(["0", "nominal"])
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2) | st.sampled_from("01"), inner),
    max_leaves=4,
)


@given(st.dictionaries(st.sampled_from([*KEYS, "other"]), VALUES, max_size=4))
def test_any_declaration_is_read_whole_or_refused(declaration: dict[str, Any]) -> None:
    try:
        criterion = read_criterion("x", declaration)
    except ValueError:
        return
    assert read_criterion("x", criterion.as_record()) == criterion


def test_lines_must_declare_the_same() -> None:
    lines = records(1, 1, criteria={"good": GOOD})
    Dataset.from_records([lines[0], lines[1] | {"criteria": {"good": GOOD}}])
    with pytest.raises(DataError, match="line 2: criterion 'good' is declared differently on line 1"):
        Dataset.from_records([lines[0], lines[1] | {"criteria": {"good": {"low": 0}}}])


def test_every_key_is_written_and_read() -> None:
    every = {
        "question": "How typical?",
        "scale": "ordinal",
        "low": 0,
        "high": 2,
        "labels": ["a", "b", "c"],
        "anchors": {"0": "never", "2": "always"},
        "better": "lower",
        "unit": "pair",
        "asks": "diversity",
        "aspect": "form",
    }
    assert set(every) == set(KEYS)
    criterion = read_criterion("x", every)
    assert criterion.as_record() == every
    assert criterion.higher_is_better is False
    assert Criterion("x", better="neither").higher_is_better is None
    assert Criterion("x").higher_is_better is True


def test_declarations_are_part_of_the_data() -> None:
    plain, declared = (Dataset.from_records(records(1, 2, criteria=these)) for these in (None, {"good": GOOD}))
    assert plain != declared
    assert plain.with_criteria(declared.criteria) == declared
    assert declared.select(np.array([False, True])).criteria == declared.criteria
    both = Dataset.from_records(records(1, criteria={"z": {}, "good": GOOD}))
    assert list(both.criteria) == ["good", "z"]
    assert both == Dataset.from_records(records(1, criteria={"good": GOOD, "z": {}}))


def test_declared_later_each_judgment_is_named() -> None:
    data = Dataset.from_records(records("good", "nice"))
    with pytest.raises(DataError, match="output 'o1', annotator 'a': 'nice' is no answer to 'good'"):
        data.with_criteria({"good": read_criterion("good", GOOD)})
    undone = Dataset.from_records(records("good", criteria={"good": GOOD})).with_criteria({"good": Criterion("good")})
    assert np.isnan(undone.judgments.value).all()


def test_a_file_of_criteria(tmp_path: Path) -> None:
    save(Dataset.from_records(records("good", 0)), tmp_path / "x.jsonl")
    (tmp_path / "criteria.toml").write_text('[good]\nlabels = ["bad", "good"]\nanchors = {0 = "awful"}\n')
    data = load(tmp_path / "x.jsonl", criteria=tmp_path / "criteria.toml")
    assert data.judgments.value.tolist() == [1.0, 0.0]
    (tmp_path / "criteria.toml").write_text('[good]\nlabels = "bad"\n[z]\nscale = "x"\n')
    with pytest.raises(DataError, match=r"criteria\.toml: \[good\] labels is .*\n.*\[z\] scale is"):
        load(tmp_path / "x.jsonl", criteria=tmp_path / "criteria.toml")


def test_what_is_asked_is_declared_or_else_inferred_from_the_name() -> None:
    named = Dataset.from_records(records(1, criterion="typicality"))
    assert named.asking("quality", "output") == ["typicality"]
    assert named.asking("quality", "set") == []
    question = {"typicality": {"question": "How typical?"}}
    assert Dataset.from_records(records(1, criterion="typicality", criteria=question)).asking("quality", "output")
    both = records(1, criterion="typicality") + [line | {"id": "x"} for line in records(1, criterion="ease")]
    assert Dataset.from_records(both).asking("quality", "output") == ["typicality"]
    both[0]["criteria"] = {"ease": {"asks": "quality"}, "not asked": {"asks": "quality"}}
    assert Dataset.from_records(both).asking("quality", "output") == ["ease"]
    about_set = {"annotator": "a", "criterion": "form_diversity", "value": 1, "unit": "set"}
    aspect = Dataset.from_records([{"text": "t", "judgments": [about_set]}])
    assert aspect.asking("diversity", "set", "form") == ["form_diversity"]
    assert aspect.asking("diversity", "set") == []


def test_a_folder_says_what_is_wrong_with_its_table(tmp_path: Path) -> None:
    save(Dataset.from_records(records(1)), tmp_path / "tables")
    (tmp_path / "tables" / "criteria.csv").write_text("criterion,scale,lowest\ngood,nomnal,\ngood,nominal,3\n")
    with pytest.raises(DataError) as caught:
        load(tmp_path / "tables")
    assert caught.value.problems == [
        "criteria.csv line 1: criteria have no 'lowest'. Did you mean 'low'?",
        "criteria.csv line 2: criterion 'good' scale is \"nomnal\". Did you mean 'nominal'?",
    ]
