"""Intraclass correlations against the example of Shrout & Fleiss (1979)."""

import numpy as np
import pytest

from assay import Dataset, agree
from assay.errors import AssayError
from assay.kernels.votes.intraclass import one_way, two_way

# Their Table 2: six targets, four judges; and Table 4.
RATINGS = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float)
PUBLISHED = {"ICC(1,1)": 0.17, "ICC(2,1)": 0.29, "ICC(3,1)": 0.71, "ICC(1,k)": 0.44, "ICC(2,k)": 0.62, "ICC(3,k)": 0.91}


def judged(ratings: np.ndarray, *, rotate: bool = False) -> Dataset:
    """One output per row, one judgment per column; rotated, every output has its own annotators."""
    return Dataset.from_records(
        [
            {
                "text": f"text {row}",
                "judgments": [
                    {"annotator": f"a{column + 10 * row * rotate}", "criterion": "quality", "value": value}
                    for column, value in enumerate(values)
                ],
            }
            for row, values in enumerate(ratings.tolist())
        ]
    )


def by_name(data: Dataset, **options: object) -> dict:
    return {number.name: number for number in agree(data, ["quality"], icc=True, **options).numbers}


def test_the_published_example() -> None:
    numbers = by_name(judged(RATINGS))
    assert {name: round(numbers[name].value, 2) for name in PUBLISHED} == PUBLISHED
    assert "20 or more" in numbers["ICC(1,1)"].reason  # six items are too few for an interval


def test_without_common_annotators_only_the_first_form_is_defined() -> None:
    numbers = by_name(judged(RATINGS, rotate=True))
    assert numbers["ICC(1,1)"].value == pytest.approx(by_name(judged(RATINGS))["ICC(1,1)"].value)
    assert np.isnan(numbers["ICC(3,1)"].value) and "judged every unit" in numbers["ICC(3,1)"].reason


def test_a_weight_is_a_repeated_unit() -> None:
    times = np.array([2, 1, 3, 1, 1, 2])
    repeated = np.repeat(RATINGS, times, axis=0)
    weights, once = times[None].astype(float), np.ones((1, len(repeated)))
    assert one_way(RATINGS, weights) == pytest.approx(one_way(repeated, once))
    assert np.array(two_way(RATINGS, weights)) == pytest.approx(np.array(two_way(repeated, once)))


def test_more_items_have_intervals_and_the_mean_of_ratings_is_more_reliable() -> None:
    rng = np.random.default_rng(2)
    ratings = np.clip(np.round(3 + rng.normal(size=(40, 1)) + 0.7 * rng.normal(size=(40, 3))), 1, 5)
    numbers = by_name(judged(ratings))
    for form in "123":
        single, mean = numbers[f"ICC({form},1)"], numbers[f"ICC({form},k)"]
        assert single.low < single.value < single.high < 1
        assert mean.value > single.value and mean.low > single.low
    assert "no interval over annotators" in by_name(judged(ratings), factors=("items", "annotators"))["ICC(1,1)"].reason


def test_unequal_votes_are_refused() -> None:
    with pytest.raises(AssayError, match="as many votes on every unit"):
        agree(judged(RATINGS), icc=True, votes="all")
