"""Judgments brought together per unit, exactly."""

import math

import pytest

from assay import Dataset, score
from assay.errors import DataError


def judged(*answers: object, **about: object) -> dict[str, object]:
    judgments = [{"annotator": f"w{k}", "criterion": "c", "value": value} for k, value in enumerate(answers)]
    return {"text": "t", "judgments": judgments, **about}


@pytest.mark.parametrize(
    ("call", "answers", "expected"),
    [
        ("human('c')", (1, 2, 4), 7 / 3),
        ("human('c', aggregate='median')", (1, 2, 9), 2.0),
        ("human('c', aggregate='majority')", (1, 1, 0), 1.0),
        ("human('c', aggregate='share')", (1, 1, 0, 1), 0.75),
        ("human('c', aggregate='share', of='real')", ("real", "fake", "real"), 2 / 3),
        ("human('c', aggregate='share', of=5)", (5, 1), 0.5),
        ("human('c')", (True, False), 0.5),
    ],
)
def test_aggregates(call: str, answers: tuple[object, ...], expected: float) -> None:
    assert score(Dataset.from_records([judged(*answers)]), [call])[call].values.tolist() == [expected]


def test_a_tied_vote_and_no_vote_are_gaps_with_reasons() -> None:
    data = Dataset.from_records([judged(1, 0), judged(), judged(1)])
    call = "human('c', aggregate='majority')"
    column = score(data, [call])[call]
    assert column.gaps.counts() == {"no judgments of c": 1, "tied votes": 1}
    assert column.values[2] == 1.0


def test_only_units_with_the_number_of_votes_count() -> None:
    data = Dataset.from_records([judged(1, 1, 0), judged(1, 1), judged()])
    call = "human('c', aggregate='majority', votes=3)"
    column = score(data, [call])[call]
    assert column.gaps.counts() == {"no judgments of c": 1, "not exactly 3 judgments of c": 1}
    assert column.values[0] == 1.0


def test_equal_sums_give_equal_means_to_the_last_bit() -> None:
    data = Dataset.from_records([judged(0.1, 0.2, 0.3), judged(1, 2, 3, 1, 2, 3), judged(2, 2, 2)])
    values = score(data, ["human('c')"])["human('c')"].values
    assert values[1] == values[2] == 2.0


def test_labels_have_no_mean() -> None:
    column = score(Dataset.from_records([judged("good", "bad")]), ["human('c')"])["human('c')"]
    assert math.isnan(column.values[0])
    assert "aggregate='share'" in column.gaps[0]


def test_judgments_about_sets_systems_and_pairs_are_scored_as_such() -> None:
    rows = [
        {"id": "1", "text": "a", "system": "s", "item": "i"},
        {"id": "2", "text": "b", "system": "s", "item": "i"},
    ]
    rows[0]["judgments"] = [
        {"annotator": "w", "criterion": "diversity", "value": 4, "unit": "set"},
        {"annotator": "w", "criterion": "trust", "value": 2, "unit": "system"},
        {"annotator": "w", "criterion": "similarity", "value": 5, "other": "2"},
        {"annotator": "v", "criterion": "similarity", "value": 2, "other": "2"},
    ]
    data = Dataset.from_records(rows)
    for criterion, kind, value in (("diversity", "set", 4), ("trust", "system", 2), ("similarity", "pair", 3.5)):
        call = f"human('{criterion}')"
        table = score(data, [call])
        assert (table.kind, table[call].values.tolist()) == (kind, [value])


def test_an_unknown_criterion_is_named_with_the_nearest() -> None:
    with pytest.raises(DataError, match="no judgments of 'k'"):
        score(Dataset.from_records([judged(1)]), ["human('k')"])
