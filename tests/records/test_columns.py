"""Columns that grow: how they are cut into parts changes nothing."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.records.columns import ColumnCollector
from assay.text.strings import Strings

VALUES = st.lists(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.just(10**17 + 1), st.floats(-9, 9), st.text(max_size=2)),
    min_size=1,
    max_size=8,
)


def column(*parts: list[Any]) -> list[Any]:
    collector = ColumnCollector()
    start = 0
    for part in parts:
        collector.add("x", np.arange(start, start + len(part)), part)
        start += len(part)
    found = collector.dense(start).get("x")
    return found.to_list() if isinstance(found, Strings) else [] if found is None else [repr(v) for v in found.tolist()]


@given(VALUES, VALUES, VALUES)
def test_parts_give_what_the_whole_gives(one: list[Any], two: list[Any], three: list[Any]) -> None:
    assert column(one, two, three) == column(one + two + three)


def test_true_stays_true_among_texts() -> None:
    assert column([True, 1, 2.5], ["x", None]) == ["true", "1", "2.5", "x", ""]
