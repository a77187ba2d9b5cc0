"""Reference implementations of the overlap kernels in plain Python."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, permutations

Words = Sequence[int]


def lcs(left: Words, right: Words) -> int:
    table = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i, a in enumerate(left, 1):
        for j, b in enumerate(right, 1):
            table[i][j] = table[i - 1][j - 1] + 1 if a == b else max(table[i - 1][j], table[i][j - 1])
    return table[-1][-1]


def ngrams(words: Words, order: int) -> Counter[tuple[int, ...]]:
    return Counter(tuple(words[i : i + order]) for i in range(len(words) - order + 1))


def shared(left: Words, right: Words, max_order: int) -> list[int]:
    return [(ngrams(left, n) & ngrams(right, n)).total() for n in range(1, max_order + 1)]


def edit_distance(left: Words, right: Words) -> int:
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        above, row = row, [i]
        for j, b in enumerate(right, 1):
            row.append(min(above[j - 1] + (a != b), above[j] + 1, row[-1] + 1))
    return row[-1]


def chunks(pairs: Sequence[tuple[int, int]]) -> int:
    """Count runs of pairs that are adjacent on both sides."""
    ordered = sorted(pairs)
    follows = {(i + 1, j + 1) for i, j in ordered}
    return sum(pair not in follows for pair in ordered)


def best_alignment(left: Words, right: Words, stems: Sequence[int], sets: Sequence[set[int]]) -> tuple[int, int]:
    """Try every alignment: most stem matches, then most synonym matches, then fewest chunks."""

    def kind(i: int, j: int) -> int:
        a, b = left[i], right[j]
        return 2 if stems[a] == stems[b] else int(bool(sets[a] & sets[b]))

    best = (0, 0, 0)
    for size in range(1, min(len(left), len(right)) + 1):
        for rows in combinations(range(len(left)), size):
            for columns in permutations(range(len(right)), size):
                kinds = [kind(i, j) for i, j in zip(rows, columns, strict=True)]
                if all(kinds):
                    pairs = list(zip(rows, columns, strict=True))
                    best = max(best, (kinds.count(2), kinds.count(1), -chunks(pairs)))
    return best[0] + best[1], -best[2]


def greedy_alignment(left: Words, right: Words, stems: Sequence[int], sets: Sequence[set[int]]) -> tuple[int, int]:
    """Stage by stage, each word, last first, takes the last free partner."""
    stages = [
        lambda a, b: a == b,
        lambda a, b: stems[a] == stems[b],
        lambda a, b: bool(sets[a] & sets[b]),
    ]
    pairs: dict[int, int] = {}
    for same in stages:
        for i in reversed(range(len(left))):
            if i in pairs:
                continue
            for j in reversed(range(len(right))):
                if j not in pairs.values() and same(left[i], right[j]):
                    pairs[i] = j
                    break
    return len(pairs), chunks(list(pairs.items()))


def cider(
    candidate: Words,
    references: Sequence[Words],
    documents: Sequence[Sequence[Words]],
    clip: bool,
    sigma: float | None,
) -> float:
    """CIDEr, times 10; with `clip` and `sigma` CIDEr-D."""
    total = 0.0
    for reference in references:
        for order in range(1, 5):
            frequency: Counter[tuple[int, ...]] = Counter()
            for document in documents:
                frequency.update({gram for text in document for gram in ngrams(text, order)})

            def vector(words: Words, order: int = order, seen: Counter[tuple[int, ...]] = frequency) -> dict:
                return {
                    gram: count * (math.log(len(documents)) - math.log(max(1, seen[gram])))
                    for gram, count in ngrams(words, order).items()
                }

            left, right = vector(candidate), vector(reference)
            product = sum(
                (min(left[gram], right[gram]) if clip else left[gram]) * right[gram]
                for gram in left.keys() & right.keys()
            )
            norms = math.sqrt(sum(v * v for v in left.values()) * sum(v * v for v in right.values()))
            similarity = product / norms if norms else 0.0
            if sigma:
                gap = max(len(candidate) - 1, 0) - max(len(reference) - 1, 0)
                similarity *= math.exp(-(gap**2) / (2 * sigma**2))
            total += similarity / 4
    return 10 * total / len(references)


def clipped_among_others(texts: Sequence[Words], order: int) -> list[int]:
    counts = [ngrams(text, order) for text in texts]
    result = []
    for i, mine in enumerate(counts):
        most: Counter[tuple[int, ...]] = Counter()
        for j, other in enumerate(counts):
            if j != i:
                most |= other
        result.append((mine & most).total())
    return result


def closest_other_lengths(lengths: Sequence[int]) -> list[int]:
    result = []
    for i, length in enumerate(lengths):
        others = [other for j, other in enumerate(lengths) if j != i]
        result.append(min(others, key=lambda other: (abs(other - length), other)) if others else 0)
    return result
