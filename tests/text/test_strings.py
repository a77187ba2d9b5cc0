import pickle
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text.lists import StringLists
from assay.text.strings import LateStrings, Strings, joined

TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), max_size=8)


@given(texts=TEXTS, rows=st.lists(st.integers(0, 7), max_size=9))
def test_taking_and_slicing(texts: list[str], rows: list[int]) -> None:
    column = Strings.of(["before", *texts, "after"]).slice(1, 1 + len(texts))
    chosen = [row for row in rows if row < len(texts)]
    assert column.to_list() == texts
    assert column.take(np.array(chosen, np.int64)).to_list() == [texts[row] for row in chosen]
    assert Strings.concatenate([column, Strings.empty(2), column]).to_list() == [*texts, "", "", *texts]


@given(texts=TEXTS)
def test_codes_of_texts(texts: list[str]) -> None:
    order = list(dict.fromkeys(texts))
    codes, distinct = Strings.of(texts).factorize()
    assert distinct.to_list() == order
    assert codes.tolist() == Strings.of(texts).codes().tolist() == [order.index(text) for text in texts]


@given(texts=TEXTS)
def test_joining(texts: list[str]) -> None:
    other = Strings.of(["x", *texts]).slice(0, len(texts))
    result = joined([Strings.of(texts), other], "|")
    assert result.to_list() == [f"{a}|{b}" for a, b in zip(texts, other, strict=True)]


@given(rows=st.lists(TEXTS, max_size=4))
def test_keys_are_equal_exactly_where_lists_are(rows: list[list[str]]) -> None:
    codes = StringLists.of(rows).keys().codes().tolist()
    for i, first in enumerate(rows):
        for j, second in enumerate(rows):
            assert (codes[i] == codes[j]) == (first == second)


def test_late_texts_are_written_once_and_only_when_read() -> None:
    written: list[int] = []

    def write() -> Strings:
        written.append(1)
        return Strings.of(["a", "", "é"])

    late = LateStrings(3, write)
    assert len(late) == 3
    assert late
    assert written == []
    assert late.to_list() == ["a", "", "é"]
    assert late.take(np.array([2])).to_list() == ["é"]
    assert late == Strings.of(["a", "", "é"])
    assert written == [1]


def test_late_texts_travel_as_plain_ones() -> None:
    copy = pickle.loads(pickle.dumps(LateStrings(2, lambda: Strings.of(["x", "yz"]))))
    assert type(copy) is Strings
    assert copy.to_list() == ["x", "yz"]


def test_late_texts_are_written_once_whoever_reads_them_first_and_asked_again_after_an_error() -> None:
    calls = []

    def write() -> Strings:
        calls.append(1)
        if len(calls) == 1:
            raise OSError("not now")
        sleep(0.02)
        return Strings.of(["a", "b"])

    late = LateStrings(2, write)
    with pytest.raises(OSError, match="not now"):
        late.to_list()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: late.to_list(), range(4))) == [["a", "b"]] * 4
    assert len(calls) == 2 and pickle.loads(pickle.dumps(late)) == late
