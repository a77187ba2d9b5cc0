"""Plain Python versions of the kernels that intern strings and n-grams."""

from collections import Counter
from collections.abc import Sequence


def intern(texts: Sequence[bytes]) -> tuple[list[int], list[int]]:
    numbers: dict[bytes, int] = {}
    codes = [numbers.setdefault(text, len(numbers)) for text in texts]
    return codes, [codes.index(code) for code in range(len(numbers))]


def ngram_ids(texts: Sequence[Sequence[int]], max_order: int) -> list[list[int]]:
    """Per order, the id of the n-gram at each position; -1 past the end of a text."""
    rows = [[token for text in texts for token in text]]
    for order in range(2, max_order + 1):
        numbers: dict[tuple[int, ...], int] = {}
        row = []
        for text in texts:
            for at in range(len(text)):
                gram = tuple(text[at : at + order])
                row.append(numbers.setdefault(gram, len(numbers)) if len(gram) == order else -1)
        rows.append(row)
    return rows[:max_order]


def counts(texts: Sequence[Sequence[int]]) -> list[list[tuple[int, int]]]:
    return [sorted(Counter(gram for gram in text if gram >= 0).items()) for text in texts]


def clipped_counts(candidate: Sequence[int], references: Sequence[Sequence[int]], max_order: int) -> list[int]:
    """Matches, n-grams, candidate length and closest reference length of one unit (Papineni et al., 2002)."""
    matches, totals = [], []
    for order in range(1, max_order + 1):
        wanted = ngram_counter(candidate, order)
        allowed: Counter[tuple[int, ...]] = Counter()
        for reference in references:
            allowed |= ngram_counter(reference, order)
        matches.append((wanted & allowed).total())
        totals.append(wanted.total())
    lengths = [len(reference) for reference in references]
    closest = min(lengths, key=lambda length: (abs(length - len(candidate)), length), default=0)
    return [*matches, *totals, len(candidate), closest]


def ngram_counter(tokens: Sequence[int], order: int) -> Counter[tuple[int, ...]]:
    return Counter(tuple(tokens[at : at + order]) for at in range(len(tokens) - order + 1))
