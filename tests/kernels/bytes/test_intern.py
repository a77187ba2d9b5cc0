import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.kernels.bytes import intern as module
from assay.kernels.bytes.intern import Interner, intern
from assay.text.strings import Strings
from tests.oracles import tokens as oracle


def column(texts: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.cumsum([0, *(len(text) for text in texts)])
    return np.frombuffer(b"".join(texts), np.uint8), offsets


# Few letters, and lengths around the limit between short and long strings: many repeats and near misses.
near = st.binary(max_size=3) | st.text("ab\0", max_size=20).map(str.encode)


@given(st.lists(near, max_size=60))
def test_equals_a_dictionary(texts: list[bytes]) -> None:
    codes, first = intern(*column(texts))
    assert (codes.tolist(), first.tolist()) == oracle.intern(texts)


def test_the_table_grows_with_many_distinct_strings() -> None:
    texts = [f"id {i % 70_000}".encode() for i in range(100_000)]
    codes, first = intern(*column(texts))
    assert np.array_equal(codes, np.arange(100_000) % 70_000)
    assert np.array_equal(first, np.arange(70_000))


def test_codes_continue_across_calls() -> None:
    interner = Interner()
    for texts, expected in (([b"a", b"b"], [0, 1]), ([], []), ([b"b", b"c", b""], [1, 2, 3])):
        data, offsets = column(texts)
        assert interner.add(data, offsets[:-1], offsets[1:]).tolist() == expected
    data, offsets = interner.strings
    assert Strings(data, offsets).to_list() == ["a", "b", "c", ""]
    assert len(interner) == 4


def test_hash_collisions_do_not_merge_strings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the kernel uncompiled with a hash that always collides."""
    monkeypatch.setattr(module, "_key", lambda data, start, end: module.LONG_MARK)
    for name in ("_shift", "_equal", "_rehash", "_longer"):
        monkeypatch.setattr(module, name, getattr(module, name).py_func)
    monkeypatch.setattr(module, "_add", module._add.py_func)
    texts = [f"a long string, number {i % 40}".encode() for i in range(80)]
    with np.errstate(over="ignore"):
        codes, _ = intern(*column(texts))
    assert codes.tolist() == oracle.intern(texts)[0]


@given(st.lists(st.text(max_size=12), max_size=30))
def test_factorize_returns_the_distinct_texts(texts: list[str]) -> None:
    packed = Strings.of(texts)
    codes, distinct = packed.factorize()
    assert distinct.take(codes) == packed
    assert distinct.to_list() == list(dict.fromkeys(packed))
