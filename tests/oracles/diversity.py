"""The diversity kernels by definition, in plain Python."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import exp, inf, log, log2, nan, sqrt

import numpy as np

Text = Sequence[int]


def ngrams(text: Text, n: int) -> list[tuple[int, ...]]:
    return [tuple(text[i : i + n]) for i in range(len(text) - n + 1)]


def distinct_ratio(texts: Sequence[Text], n: int) -> float:
    grams = [gram for text in texts for gram in ngrams(text, n)]
    return len(set(grams)) / len(grams) if grams else 0.0


def count_cosine(a: Text, b: Text, n: int) -> float:
    counts_a, counts_b = Counter(ngrams(a, n)), Counter(ngrams(b, n))
    dot = sum(count * counts_b[gram] for gram, count in counts_a.items())
    norm = sqrt(sum(c * c for c in counts_a.values()) * sum(c * c for c in counts_b.values()))
    return dot / norm if norm else 0.0


def mean_count_cosine(texts: Sequence[Text], n: int) -> float:
    cosines = [count_cosine(a, b, n) for a, b in combinations(texts, 2)]
    return sum(cosines) / len(cosines) if cosines else nan


def ngram_entropy(texts: Sequence[Text], n: int) -> float:
    counts = Counter(gram for text in texts for gram in ngrams(text, n))
    total = sum(counts.values())
    return -sum(c / total * log2(c / total) for c in counts.values()) if total else nan


def lexical_diversity(texts: Sequence[Text], threshold: float) -> float:
    tokens = [token for text in texts for token in text]
    if not tokens:
        return nan

    def one_way(sequence: list[int]) -> float:
        factors, segment = 0.0, []
        for token in sequence:
            segment.append(token)
            if len(set(segment)) / len(segment) <= threshold:
                factors, segment = factors + 1, []
        if segment:
            factors += (1 - len(set(segment)) / len(segment)) / (1 - threshold)
        return len(sequence) / factors if factors else float(len(sequence))

    return (one_way(tokens) + one_way(tokens[::-1])) / 2


def edit_distance(a: Text, b: Text) -> float:
    def steps(i: int, j: int, known: dict[tuple[int, int], int]) -> int:
        if not i or not j:
            return i + j
        if (i, j) not in known:
            known[i, j] = min(
                steps(i - 1, j, known) + 1,
                steps(i, j - 1, known) + 1,
                steps(i - 1, j - 1, known) + (a[i - 1] != b[j - 1]),
            )
        return known[i, j]

    longer = max(len(a), len(b))
    return steps(len(a), len(b), {}) / longer if longer else 0.0


def best_threshold(scores: Sequence[float], labels: Sequence[bool]) -> tuple[float, float]:
    best = (nan, nan)
    for threshold in sorted({-inf, *scores, inf}):
        accuracy = sum((s > threshold) == y for s, y in zip(scores, labels, strict=True)) / len(scores)
        if not accuracy <= best[0]:
            best = (accuracy, threshold)
    return best


def mean_pair_cosine(vectors: Sequence[Sequence[float]]) -> float:
    def cosine(a: Sequence[float], b: Sequence[float]) -> float:
        norm = sqrt(sum(x * x for x in a)) * sqrt(sum(x * x for x in b))
        return sum(x * y for x, y in zip(a, b, strict=True)) / norm if norm else 0.0

    cosines = [cosine(a, b) for a, b in combinations(vectors, 2)]
    return sum(cosines) / len(cosines) if cosines else nan


def vendi(vectors: np.ndarray) -> float:
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    eigenvalues = np.linalg.eigvalsh(unit @ unit.T / len(unit))
    return exp(-sum(e * log(e) for e in eigenvalues.tolist() if e > 1e-12))
