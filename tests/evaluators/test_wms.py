"""Word mover's similarity."""

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.evaluators.neighbors.similarity import Similarity
from assay.kernels.pairs.transport import transport_cost
from assay.registry import parse
from assay.run import score
from assay.text.strings import Strings
from tests.oracles import transport as oracle
from tests.word_vectors import tiny_vectors

# a and b are 3 apart, a and c 4, b and c 5.
LINE = "a 0 0\nb 3 0\nc 0 4\n. 0 1\n"


@pytest.fixture
def line(tmp_path: Path) -> Path:
    path = tmp_path / "line.txt"
    path.write_text(LINE)
    return path


def similarity(text: str, reference: str, call: str) -> float:
    data = assay.Dataset.from_records([{"text": text, "references": [reference]}])
    return float(score(data, [call]).columns[call].values[0])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 6))
def test_the_kernel_is_the_linear_program(seed: int, n: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 4, (n + m, 2)).astype(float)
    costs = np.sqrt(((points[:n, None] - points[None, n:]) ** 2).sum(axis=2))
    supply, demand = rng.integers(1, 5, n), rng.integers(1, 5, m)
    supply, demand = supply * demand.sum(), demand * supply.sum()
    assert transport_cost(costs, supply, demand) == pytest.approx(
        oracle.transport_cost(costs, supply, demand), abs=1e-9
    )


# By hand: of `a a b`, two thirds move 4 and one third moves 5 to `c`; the mean of a and b is (1.5, 0).
@pytest.mark.parametrize(
    ("text", "reference", "parts", "distance"),
    [
        ("a b", "b a", "words", 0.0),
        ("a", "b", "words", 3.0),
        ("a a b", "c", "words", 13 / 3),
        ("a b", "b", "words", 1.5),
        ("a b. c.", "a b. c.", "sentences", 0.0),
        ("a b", "c", "sentences", np.hypot(1.5, 4)),
        ("a b", "c", "both", (4 + 5 + 2 * np.hypot(1.5, 4)) / 4),
        ("a unknown", "b", "words", 3.0),
    ],
)
def test_distances_by_hand(line: Path, text: str, reference: str, parts: str, distance: float) -> None:
    found = similarity(text, reference, f"wms({str(line)!r}, parts={parts!r})")
    assert found == pytest.approx(np.exp(-distance), rel=1e-12)


def test_the_best_reference_counts_and_gaps_have_a_reason(line: Path) -> None:
    call = f"wms({str(line)!r})"
    records = [
        {"text": "a", "references": ["c", "b"]},
        {"text": "x y", "references": ["a"]},
        {"text": "", "references": ["a"]},
    ]
    column = score(assay.Dataset.from_records(records), [call]).columns[call]
    assert column.values[0] == pytest.approx(np.exp(-3)) and np.isnan(column.values[1:]).all()
    assert column.gaps.counts() == {"no word with a vector in the text or in any reference": 2}


def test_without_one_of_its_references_the_best_is_not_known(tmp_path: Path) -> None:
    words = [f"w{n}" for n in range(1_001)]
    vectors = tmp_path / "many.txt"
    vectors.write_text("".join(f"{word} {n}.0 1.0\n" for n, word in enumerate(words)))
    records = [{"text": "w1", "references": ["w2", " ".join(words)]}, {"text": "w1", "references": ["w2"]}]
    column = score(assay.Dataset.from_records(records), [f"wms({str(vectors)!r})"]).columns[f"wms({str(vectors)!r})"]
    assert np.isnan(column.values[0]) and column.values[1] == pytest.approx(np.exp(-1))
    assert column.gaps.counts() == {"more than 1,000 different words in the text or in a reference": 1}


@pytest.mark.parametrize("parts", ["words", "sentences", "both"])
def test_the_other_texts_do_not_change_a_bit(tmp_path: Path, parts: str) -> None:
    rng = np.random.default_rng(0)
    words = [*"abcdefghijklmnopqrstuvwxyz", "."]
    vectors = tmp_path / "v.txt"
    rows = [f"{word} {' '.join(map(repr, rng.normal(size=5).tolist()))}\n" for word in words]
    vectors.write_text("".join(rows))
    texts = [" ".join(rng.choice(words, 12)) for _ in range(60)]
    records = [{"id": str(n), "text": text, "references": [texts[n - 1]]} for n, text in enumerate(texts)]
    call = f"wms({str(vectors)!r}, parts={parts!r})"
    together = score(assay.Dataset.from_records(records), [call]).columns[call].values
    alone = [score(assay.Dataset.from_records([one]), [call]).columns[call].values[0] for one in records]
    assert together.tolist() == alone


def test_it_is_a_kernel_and_can_be_reduced(line: Path) -> None:
    ((_, rows),) = Similarity(f"wms({str(line)!r})").rows(Strings.of(["a", "b"]), Strings.of(["b", "c"]), 0.0)
    assert rows.values.tolist() == pytest.approx(np.exp([-3.0, -4.0, 0.0, -5.0]).tolist())
    records = [{"item": "1", "system": "s", "set": "x", "id": str(n), "text": text} for n, text in enumerate("ab")]
    call = f"reduce(wms({str(line)!r}))"
    assert score(assay.Dataset.from_records(records), [call], unit="set").columns[call].values[0] == pytest.approx(
        -np.exp(-3)
    )


def test_all_formats_of_vectors_are_the_same(line: Path, tmp_path: Path) -> None:
    header = tmp_path / "header.vec"
    header.write_text("4 2\n" + "".join(f"{row} \n" for row in LINE.splitlines()))
    packed = tmp_path / "line.txt.gz"
    packed.write_bytes(gzip.compress(LINE.encode()))
    binary = tmp_path / "line.bin"
    rows = [row.split() for row in LINE.splitlines()]
    binary.write_bytes(
        b"4 2\n" + b"".join(f"{word} ".encode() + struct.pack("<2f", float(x), float(y)) + b"\n" for word, x, y in rows)
    )
    expected = similarity("a b", "c", f"wms({str(line)!r})")
    assert [similarity("a b", "c", f"wms({str(path)!r})") for path in (header, packed, binary)] == [expected] * 3


def test_the_signature_has_the_content(line: Path, tmp_path: Path) -> None:
    first = parse(f"wms({str(line)!r})").signature
    assert "line.txt@" in first and parse(first.partition("|")[0]).signature == first
    line.write_text(LINE.replace("a 0 0", "a 1 0"))
    assert parse(f"wms({str(line)!r})").signature != first


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.txt", b"", "no word vectors"),
        ("x.txt", b"a 1 2\nb 1\n", r"line 2: not a word and 2 numbers"),
        ("x.txt", b"a one two\n", "line 1: not a word"),
        ("x.txt", b"a 1 nan\n", "line 1: not a word"),
        ("x.txt", b"a 1 1e200\nb 2 3\n", "line 1: not a word"),
        ("x.txt.gz", b"nonsense", r"not a whole \.gz"),
        ("x.txt.gz", gzip.compress(b"a 1 2\n", mtime=0)[:10] + b"\xff" * 20, r"not a whole \.gz"),
        ("x.bin", b"a 1 2\n", "not word2vec's binary format"),
        ("x.bin", b"2 2\na 12345678", "ends within word 2 of 2"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(assay.AssayError, match=message):
        similarity("b", "a", f"wms({str(tmp_path / name)!r})")


def test_no_file() -> None:
    with pytest.raises(assay.AssayError, match="no such file"):
        similarity("b", "a", "wms('no/such.txt')")


def test_scores_of_random_vectors() -> None:
    assert 0 < similarity("the cat sat", "a dog barked", f"wms({str(tiny_vectors())!r})") < 1
