"""Texts and reference sets for the overlap family: ragged arrays from lists, real texts and strange ones."""

import csv
import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from assay import Dataset

ALPHABETS = (
    "abcde  ",
    "aábcčdé  ñß",
    "的一是不了人我 在",
    "🙂🙃👩‍🚀 ab",
    "ΑΒΓ αβγς İI ıi",
    "a.b,c!?-'\"()[]{}<>&;: 0123456789",
    "a\u00a0b\u2003c\u3000d\x1ce\tf\ng ",
)


def bank(texts: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return tokens and offsets of some texts."""
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    return np.array([token for text in texts for token in text], np.int32), offsets


def all_pairs(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return candidates, references and bounds that hold every text against every text."""
    return np.arange(n), np.tile(np.arange(n), n), np.arange(n + 1) * n


def text_lists(n_types: int = 5, max_length: int = 9, max_texts: int = 5) -> st.SearchStrategy:
    """Some texts over few words, so that repetitions are common."""
    text = st.lists(st.integers(0, n_types - 1), max_size=max_length)
    return st.lists(text, min_size=1, max_size=max_texts)


def dataset(cases: Sequence[tuple[str, list[str]]]) -> Dataset:
    """Return a data set with one item and one output per case, all of one system."""
    return Dataset.from_records([{"text": text, "references": references, "system": "s"} for text, references in cases])


def streams(cases: Sequence[tuple[str, list[str]]]) -> list[list[str | None]]:
    """Return the references as sacrebleu takes them: the first of every case, the second, ..."""
    most = max(len(references) for _, references in cases)
    return [[refs[k] if k < len(refs) else None for _, refs in cases] for k in range(most)]


@cache
def real_texts(data: Path) -> list[str]:
    """Return about 26,000 real texts of 1 to 100 words: story endings, replies, reviews, color names."""
    texts: list[str] = []
    for path in sorted((data / "diversity" / "McDiv").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                texts.extend(cell for name, cell in row.items() if name.startswith("resp_") and cell)
    with (data / "judges" / "reviews_mturk_batch.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            reviews = (cell for name, cell in row.items() if name.startswith("Input.review") and cell)
            texts.extend(text for text in reviews if len(text.split()) <= 100)
    with (data / "colors" / "clean_data.csv").open(encoding="utf-8", newline="") as file:
        texts.extend(sorted({row["contents"] for row in csv.DictReader(file)}))
    return texts


def real_cases(data: Path, n: int, seed: int = 0) -> list[tuple[str, list[str]]]:
    """Return candidates with one to five references; many share words, some are copies or empty."""
    texts = real_texts(data)
    rng = random.Random(seed)
    cases = []
    for _ in range(n):
        at = rng.randrange(len(texts) - 8)
        near = texts[at : at + 8]  # neighbors in the files answer the same context
        candidate, *references = rng.sample(near, rng.randint(2, 6))
        if rng.random() < 0.1:
            references[0] = shuffled(candidate, rng)
        if rng.random() < 0.02:
            candidate = ""
        if rng.random() < 0.02:
            references[-1] = ""
        cases.append((candidate, references))
    return cases


def strange_cases(n: int, seed: int = 0) -> list[tuple[str, list[str]]]:
    """Return random texts in many scripts, empty, of one token, of punctuation, with every kind of space."""
    rng = random.Random(seed)

    def text() -> str:
        alphabet = rng.choice(ALPHABETS)
        return "".join(rng.choices(alphabet, k=rng.choice((0, 1, 2, 5, 20, 60))))

    cases = []
    for _ in range(n):
        candidate = text()
        references = [text() for _ in range(rng.randint(1, 4))]
        if rng.random() < 0.5:
            references[rng.randrange(len(references))] = shuffled(candidate, rng)
        cases.append((candidate, references))
    return cases


def shuffled(text: str, rng: random.Random) -> str:
    """Return the text with a few words moved, dropped or doubled."""
    words = text.split()
    for _ in range(rng.randint(0, 3)):
        if words:
            word = words.pop(rng.randrange(len(words)))
            for _ in range(rng.choice((0, 1, 1, 1, 2))):
                words.insert(rng.randint(0, len(words)), word)
    return " ".join(words)
