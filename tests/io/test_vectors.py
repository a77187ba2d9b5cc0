"""The embedding cache: vectors survive other processes and crashes."""

import threading
from pathlib import Path

import numpy as np
import pytest

from assay.errors import DataError
from assay.io.model_folders import content_hash
from assay.io.vectors import VectorStore


def test_put_and_get(tmp_path: Path) -> None:
    store = VectorStore("m", tmp_path)
    assert store.get(["a", "b"]) == [None, None]
    vectors = np.arange(6, dtype=np.float32).reshape(2, 3)
    store.put(["a", "ü\ud800"], vectors)
    result = VectorStore("m", tmp_path).get(["ü\ud800", "b", "a"])
    np.testing.assert_array_equal(result[0], vectors[1])
    assert result[1] is None
    np.testing.assert_array_equal(result[2], vectors[0])
    assert VectorStore("other", tmp_path).get(["a"]) == [None]


def test_more_texts_than_one_query(tmp_path: Path) -> None:
    store = VectorStore("m", tmp_path)
    texts = [str(i) for i in range(1700)]
    store.put(texts, np.arange(1700, dtype=np.float32)[:, None])
    assert [float(v[0]) for v in store.get(texts) if v is not None] == list(range(1700))


def test_concurrent_writers(tmp_path: Path) -> None:
    def write(part: int) -> None:
        for i in range(10):
            VectorStore("m", tmp_path).put([f"{part} {i}"], np.full((1, 2), part, np.float32))

    threads = [threading.Thread(target=write, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    result = VectorStore("m", tmp_path).get([f"{part} {i}" for part in range(4) for i in range(10)])
    assert all(vector is not None for vector in result)


def test_a_corrupt_file_is_reported_and_recreated(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = VectorStore("m", tmp_path)
    for act in (lambda: store.get(["a"]), lambda: store.put(["a"], np.ones((1, 2), np.float32))):
        caplog.clear()
        store.path.write_bytes(b"not a database" * 100)
        act()
        assert "m.sqlite: damaged (file is not a database). It is ignored" in caplog.text
    (result,) = store.get(["a"])
    np.testing.assert_array_equal(result, [1, 1])


def test_an_unwritable_cache_is_an_error(tmp_path: Path) -> None:
    store = VectorStore("m", tmp_path)
    store.path.mkdir()
    with pytest.raises(DataError, match=r"m\.sqlite.*Set ASSAY_CACHE"):
        store.put(["a"], np.ones((1, 2), np.float32))


def test_texts_that_differ_in_a_surrogate_have_different_vectors(tmp_path: Path) -> None:
    store = VectorStore("m", tmp_path)
    store.put(["\ud800", "?"], np.array([[1], [2]], np.float32))
    assert [float(v[0]) for v in store.get(["?", "\ud800"]) if v is not None] == [2, 1]


def test_a_folder_is_identified_by_its_content(tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
    (tmp_path / "two" / "README.md").write_text("a page")
    (tmp_path / "three" / "more.json").write_text("{}")
    assert content_hash(tmp_path / "one") == content_hash(tmp_path / "two")
    assert content_hash(tmp_path / "one") != content_hash(tmp_path / "three")
