"""Diversity of response sets against plain Python, and the speedup of the embedding cache."""

from collections import Counter
from itertools import combinations
from math import nan, sqrt
from pathlib import Path
from tempfile import TemporaryDirectory

from assay.backends.embeddings import SentenceEncoder
from assay.io.model_folders import content_hash, model_folder
from assay.io.vectors import VectorStore
from assay.records import Dataset
from assay.run import score
from bench.table import Row, best_cpu
from bench.texts import bank

N_SETS, SIZE, MAX_ORDER = 6_000, 5, 5
N_EMBEDDED = 500


def rows() -> list[Row]:
    texts = bank(N_SETS * SIZE)
    sets = [texts[start : start + SIZE] for start in range(0, len(texts), SIZE)]
    dataset = Dataset.from_records(
        {"text": text, "item": f"i{number}"} for number, some in enumerate(sets) for text in some
    )
    large = Dataset.from_records({"text": text, "item": "i"} for text in texts[:10_000])
    names = ["distinct", "cos_sim"]
    table = score(dataset, names, unit="set")
    for name, plain in (("distinct", distinct), ("cos_sim", cos_sim)):
        assert abs(table[name].values[7] - plain([tokens(text) for text in sets[7]])) < 1e-9
    return [
        Row(
            "distinct-n and cos-sim of sets",
            "plain Python",
            best_cpu(lambda: [both(some) for some in sets], 2),
            best_cpu(lambda: score(dataset, names, unit="set"), 3),
            f"{N_SETS:,} sets x {SIZE} texts, n = 1 to {MAX_ORDER}, tokens included",
        ),
        Row(
            "distinct-n and cos-sim of one set",
            "",
            nan,
            best_cpu(lambda: score(large, names, unit="set"), 3),
            "10,000 responses: 50 million pairs",
        ),
        *embedding_rows(texts),
    ]


def embedding_rows(texts: list[str]) -> list[Row]:
    folder = model_folder("minilm")
    some = list(dict.fromkeys(texts))[:N_EMBEDDED]
    with TemporaryDirectory() as place:
        encoder = SentenceEncoder(folder, VectorStore(content_hash(folder), Path(place)))
        encoder.embed(["load the model before the clock starts"])
        first = best_cpu(lambda: encoder.embed(some), 1)
        cached_encoder = SentenceEncoder(folder, encoder.store)
        second = best_cpu(lambda: cached_encoder.embed(some), 3)
    note = (
        f"{len(some)} texts, {len(some) / first:.0f}/s at first, {cached_encoder.n_computed} computed the second time"
    )
    return [Row("sentence embeddings, second run", "first run", first, second, note)]


def both(texts: list[str]) -> tuple[float, float]:
    """Distinct-n and cos-sim by definition."""
    tokenized = [tokens(text) for text in texts]
    return distinct(tokenized), cos_sim(tokenized)


def tokens(text: str) -> list[str]:
    return [token for token in text.replace(".", "").replace("\n", "").split(" ") if token]


def ngrams(tokens_: list[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(tokens_[start : start + n]) for start in range(len(tokens_) - n + 1)]


def distinct(texts: list[list[str]]) -> float:
    ratios = []
    for n in range(1, MAX_ORDER + 1):
        grams = [gram for text in texts for gram in ngrams(text, n)]
        ratios.append(len(set(grams)) / len(grams) if grams else 0.0)
    return sum(ratios) / len(ratios)


def cos_sim(texts: list[list[str]]) -> float:
    means = []
    for n in range(1, MAX_ORDER + 1):
        counts = [Counter(ngrams(text, n)) for text in texts]
        norms = [sqrt(sum(count * count for count in each.values())) for each in counts]
        cosines = []
        for i, j in combinations(range(len(texts)), 2):
            dot = sum(count * counts[j][gram] for gram, count in counts[i].items())
            cosines.append(dot / (norms[i] * norms[j]) if dot else 0.0)
        means.append(sum(cosines) / len(cosines))
    return -sum(means) / len(means)
