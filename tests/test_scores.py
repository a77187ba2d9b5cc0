"""Score tables: gaps keep their reasons, columns are joined by id."""

import numpy as np
import pytest

from assay import Column, DataError, Gaps, ScoreTable
from assay.errors import EvaluatorError
from assay.kernels.ragged import Ragged
from assay.kernels.statistics.exact_means import exact_means
from assay.text.strings import Strings


def table(ids: list[str], **columns: list[float]) -> ScoreTable:
    names = Strings.of(ids)
    made = {name: Column.of(name, values) for name, values in columns.items()}
    return ScoreTable("output", names, Strings.of(["i"] * len(ids)), Strings.of(["s"] * len(ids)), made)


def test_columns_are_joined_by_id_whatever_the_order() -> None:
    joined = table(["a", "b", "c"], x=[1, 2, 3]).join(table(["c", "a", "b"], y=[30, 10, 20]))
    assert joined["y"].values.tolist() == [10, 20, 30]


def test_tables_about_different_units_are_refused_and_the_first_differences_named() -> None:
    with pytest.raises(DataError, match="they differ in b, d"):
        table(["a", "b"], x=[1, 2]).join(table(["a", "d"], y=[1, 2]))
    with pytest.raises(DataError, match="both tables have a column 'x'"):
        table(["a"], x=[1]).join(table(["a"], x=[1]))


def test_complete_cases_count_what_they_drop() -> None:
    complete, dropped = table(["a", "b", "c"], x=[1, np.nan, 3], y=[np.nan, 2, 3]).complete(["x", "y"])
    assert (complete.unit.to_list(), dropped) == (["c"], 2)


def test_an_unknown_column_is_named_with_the_nearest() -> None:
    with pytest.raises(EvaluatorError, match="Did you mean 'length'"):
        table(["a"], length=[1])["lenght"]


def test_a_group_without_scores_is_a_gap_with_the_commonest_reason() -> None:
    column = Column("x", np.full(3, np.nan), Gaps.of(["late", "late", "lost"]))
    assert column.pooled(Ragged.grouped(np.zeros(3, np.int64), 1)).gaps.counts() == {"late": 1}


def test_the_first_mask_that_holds_explains_a_gap() -> None:
    gaps = Gaps.where(3, {"a": np.array([True, False, False]), "b": np.array([True, True, False])})
    assert [gaps[row] for row in range(3)] == ["a", "b", ""]


def test_gaps_of_stretches_share_their_reasons() -> None:
    both = Gaps.concatenate([Gaps.of(["x", ""]), Gaps.of(["", "y", "x"])])
    assert [both[row] for row in range(5)] == ["x", "", "", "y", "x"]
    assert both.counts() == {"x": 2, "y": 1}


def test_means_of_equal_ratings_are_equal_to_the_last_bit() -> None:
    ratings = np.array([1, 2, 4, 1, 2, 4, 1, 2, 4], float)
    means = exact_means(ratings, np.array([0, 0, 0, 1, 1, 1, 1, 1, 1]), np.array([3.0, 6.0]))
    assert means[0] == means[1] == 7 / 3
