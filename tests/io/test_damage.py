"""Cached and stored files: one with a flipped bit or truncated is never used."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay import Column, Gaps, ScoreCache
from assay.errors import DataError
from assay.io.answers import AnswerStore, ServiceRequest, canonical
from assay.io.catalogue import Entry
from assay.io.sealed import write_sealed
from assay.io.vectors import VectorStore
from assay.part import Number, Part, Table
from assay.study.outcome import _listed
from assay.study.runner import _stored

# What was read; None on a miss, so that it is computed again.
Read = Callable[[], object]
KEY = ("data", "signature", "output")
TEXTS = [f"text {n}" for n in range(40)]


def score_column(folder: Path) -> tuple[Path, Read]:
    cache = ScoreCache(folder)
    values = np.arange(60.0)
    values[3] = np.nan
    gaps = Gaps.of(["no references" if n == 3 else "" for n in range(60)])
    cache.put(KEY, Column("bleu", values, gaps, statistics=np.ones((60, 3))))

    def read() -> object:
        result = cache.get(KEY, "bleu")
        if result is None or result.statistics is None:
            return None
        return [result.values.tobytes(), result.statistics.tobytes(), list(map(result.gaps.__getitem__, range(60)))]

    return cache.path(*KEY), read


def step(folder: Path) -> tuple[Path, Read]:
    numbers = tuple(Number(f"n{n}", n / 7, n, "bleu()", low=n / 8, high=n / 6) for n in range(20))
    part = Part("Title", "Summary", {"best": ["a is best"]}, numbers, (Table("t", "T", ("a",), ((1,), (2,))),))
    path = folder / "scores-0123.step"
    write_sealed(json.dumps(part.to_json()).encode(), path, name=path.name)
    return path, lambda: _stored(path)


def list_of_files(folder: Path) -> tuple[Path, Read]:
    path = folder / "files.list"
    write_sealed(json.dumps([f"figures/{n}.svg" for n in range(20)]).encode(), path, name=path.name)
    return path, lambda: _listed(path) or None


def fetched_file(folder: Path) -> tuple[Path, Read]:
    about = {"about": "a", "cite": "c", "page": "p", "terms": "t", "format": "flat", "columns": (), "url": "u"}
    entry = Entry(name="x", path=str(folder / "x.jsonl"), **about)  # type: ignore[arg-type]
    entry.file.write_text("".join(f'{{"text": "{text}"}}\n' for text in TEXTS))
    from assay.io.catalogue import digest_of

    entry.hash_file.write_text(f"{digest_of(entry.file)}  x.jsonl\n")

    def read() -> object:
        try:
            return entry.existing_file().read_bytes()
        except DataError:
            return None

    return entry.file, read


def vectors(folder: Path) -> tuple[Path, Read]:
    store = VectorStore("model", folder)
    store.put(TEXTS, np.random.default_rng(0).normal(size=(len(TEXTS), 32)).astype(np.float32))

    def read() -> object:
        return [None if vector is None else vector.tobytes() for vector in store.get(TEXTS)]

    return store.path, read


def answers(folder: Path) -> tuple[Path, Read]:
    store = AnswerStore(folder)
    questions = [ServiceRequest("service", text) for text in TEXTS]
    store.put({question: canonical([question.request] * 9) for question in questions})

    def read() -> object:
        replies = store.get(questions)
        return [replies.get(question.key) for question in questions]

    return store.path, read


KINDS = (score_column, step, list_of_files, fetched_file, vectors, answers)


def is_used_silently(result: object, whole: object) -> bool:
    """Whether something was read that differs from what was stored; vectors are compared one by one."""
    if isinstance(result, list) and isinstance(whole, list) and len(result) == len(whole) == len(TEXTS):
        return any(one is not None and one != other for one, other in zip(result, whole, strict=True))
    return result is not None and result != whole


def flipped(content: bytes, rng: random.Random) -> bytes:
    bit = rng.randrange(8 * len(content))
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def cut(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content))]


def damage_many_times(kind: Callable[[Path], tuple[Path, Read]], folder: Path, flips: int, cuts: int) -> None:
    path, read = kind(folder)
    content, whole = path.read_bytes(), read()
    assert whole is not None and whole != [None] * len(TEXTS)
    rng = random.Random(0)
    unused = 0
    for change in [flipped] * flips + [cut] * cuts:
        path.write_bytes(change(content, rng))
        result = read()
        assert not is_used_silently(result, whole)
        unused += result != whole
        for journal in path.parent.glob(f"{path.name}-*"):
            journal.unlink()
    path.write_bytes(content)
    assert read() == whole
    assert unused > (flips + cuts) / 4, "the damage must meet what is read"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_flipped_bit_or_a_cut_is_never_used(kind: Callable[[Path], tuple[Path, Read]], tmp_path: Path) -> None:
    damage_many_times(kind, tmp_path, 60, 10)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_no_bit_of_three_thousand_and_no_cut_of_three_hundred_is_used(
    kind: Callable[[Path], tuple[Path, Read]], tmp_path: Path
) -> None:
    damage_many_times(kind, tmp_path, 3000, 300)


@pytest.mark.parametrize("kind", [score_column, step, list_of_files, vectors], ids=lambda kind: kind.__name__)
def test_damage_is_reported(
    kind: Callable[[Path], tuple[Path, Read]], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, read = kind(tmp_path)
    content = bytearray(path.read_bytes())
    middle = content.index(np.float32(0.12573022).tobytes()) if kind is vectors else len(content) // 2
    content[middle] ^= 1
    path.write_bytes(content)
    read()
    assert f"{path}: " in caplog.text and "It is ignored, and its content is computed again." in caplog.text


def test_a_file_under_the_name_of_another_is_not_used(tmp_path: Path) -> None:
    path, _ = step(tmp_path)
    path.rename(tmp_path / "scores-4567.step")
    assert _stored(tmp_path / "scores-4567.step") is None


def test_a_damaged_vector_is_replaced(tmp_path: Path) -> None:
    path, read = vectors(tmp_path)
    whole = read()
    content = path.read_bytes()
    at = content.index(np.float32(0.12573022).tobytes())
    path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    damaged = read()
    assert isinstance(damaged, list) and damaged.count(None) == 1
    vectors(tmp_path)
    assert read() == whole
