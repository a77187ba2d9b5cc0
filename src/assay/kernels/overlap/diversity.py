"""Diversity of a set of texts: statistics of its pooled n-grams, and distances between pairs of its texts.

Set s is the texts `members[set_offsets[s]:set_offsets[s + 1]]`; text t is `tokens[offsets[t]:offsets[t + 1]]`.
N-gram ids come from `assay.kernels.overlap.ngrams`.
"""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.kernels.overlap.long_distance import long_distance

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@jit
def distinct_ratio(grams: NDArray[np.int32], n_grams: int, offsets: Ints, members: Ints, set_offsets: Ints) -> Floats:
    """Distinct n-grams divided by all n-grams of each set (Li et al. 2016); 0 without n-grams.

    `grams` holds the id of the n-gram that starts at each position, -1 where none does.
    """
    n_sets = len(set_offsets) - 1
    ratios = np.zeros(n_sets)
    last_seen = np.full(n_grams, -1, np.int64)
    for s in range(n_sets):
        total = 0
        distinct = 0
        for m in range(set_offsets[s], set_offsets[s + 1]):
            for at in range(offsets[members[m]], offsets[members[m] + 1]):
                gram = grams[at]
                if gram >= 0:
                    total += 1
                    if last_seen[gram] != s:
                        last_seen[gram] = s
                        distinct += 1
        if total:
            ratios[s] = distinct / total
    return ratios


@jit
def mean_count_cosine(
    numbers: NDArray[np.int32],
    counts: NDArray[np.int32],
    count_offsets: Ints,
    n_grams: int,
    members: Ints,
    set_offsets: Ints,
) -> Floats:
    """Mean cosine of n-gram count vectors over the unordered pairs of each set; NaN for fewer than two texts.

    A text without n-grams has cosine 0 with every other. For unit vectors,
    2 x sum over pairs = |sum of vectors|^2 - number of vectors, so the cost is linear in tokens, not in pairs.
    Sums are of whole multiples of a small power of two, so that neither the order of a set nor the numbers of the
    n-grams change a bit; rounded to 12 decimals, so that equal means are equal.
    """
    n_sets = len(set_offsets) - 1
    means = np.full(n_sets, np.nan)
    summed = np.zeros(n_grams, np.int64)
    for s in range(n_sets):
        size = set_offsets[s + 1] - set_offsets[s]
        if size < 2:
            continue
        # A component of the sum of vectors is at most `size`, the sum of their squares at most its square.
        n_bits = np.ceil(np.log2(size))
        scale, scale_of_squares = 2.0 ** (61 - n_bits), 2.0 ** (61 - 2 * n_bits)
        vectors = 0
        for m in range(set_offsets[s], set_offsets[s + 1]):
            start, stop = count_offsets[members[m]], count_offsets[members[m] + 1]
            norm = 0.0
            for at in range(start, stop):
                norm += counts[at] * counts[at]
            if norm == 0:
                continue
            vectors += 1
            norm = np.sqrt(norm)
            for at in range(start, stop):
                summed[numbers[at]] += np.int64(np.rint(counts[at] / norm * scale))
        length_of_sum = np.int64(0)
        for m in range(set_offsets[s], set_offsets[s + 1]):
            for at in range(count_offsets[members[m]], count_offsets[members[m] + 1]):
                component = summed[numbers[at]] / scale
                length_of_sum += np.int64(np.rint(component * component * scale_of_squares))
                summed[numbers[at]] = 0
        means[s] = np.round((length_of_sum / scale_of_squares - vectors) / (size * (size - 1.0)), 12)
    return means


@jit
def ngram_entropy(grams: NDArray[np.int32], n_grams: int, offsets: Ints, members: Ints, set_offsets: Ints) -> Floats:
    """Entropy in bits of the n-grams pooled over each set (Zhang et al. 2018); NaN without n-grams.

    H = log2 N - (1/N) sum of c log2 c, with c the count of an n-gram and N their sum.
    """
    n_sets = len(set_offsets) - 1
    entropies = np.full(n_sets, np.nan)
    counts = np.zeros(n_grams, np.int64)
    for s in range(n_sets):
        total = 0
        for m in range(set_offsets[s], set_offsets[s + 1]):
            for at in range(offsets[members[m]], offsets[members[m] + 1]):
                if grams[at] >= 0:
                    counts[grams[at]] += 1
                    total += 1
        if not total:
            continue
        weighted = 0.0
        for m in range(set_offsets[s], set_offsets[s + 1]):
            for at in range(offsets[members[m]], offsets[members[m] + 1]):
                gram = grams[at]
                if gram >= 0 and counts[gram]:
                    weighted += counts[gram] * np.log2(counts[gram])
                    counts[gram] = 0
        entropies[s] = np.log2(total) - weighted / total
    return entropies


@jit
def lexical_diversity(
    tokens: NDArray[np.int32],
    n_tokens: int,
    offsets: Ints,
    members: Ints,
    set_offsets: Ints,
    threshold: float,
) -> Floats:
    """MTLD of each set's concatenated texts (McCarthy and Jarvis 2010); NaN without tokens.

    A factor ends when the type-token ratio of the tokens since the last one falls to `threshold`. The remainder counts
    as (1 - ratio) / (1 - threshold) of a factor. MTLD is tokens per factor, averaged over a forward and a backward
    pass. If no token repeats there is no factor, and MTLD is the number of tokens.
    """
    n_sets = len(set_offsets) - 1
    values = np.full(n_sets, np.nan)
    last_seen = np.full(n_tokens, -1, np.int64)
    segment = 0
    for s in range(n_sets):
        size = 0
        for m in range(set_offsets[s], set_offsets[s + 1]):
            size += offsets[members[m] + 1] - offsets[members[m]]
        if not size:
            continue
        sequence = np.empty(size, np.int32)
        at = 0
        for m in range(set_offsets[s], set_offsets[s + 1]):
            for position in range(offsets[members[m]], offsets[members[m] + 1]):
                sequence[at] = tokens[position]
                at += 1
        sum_of_both = 0.0
        for direction in range(2):
            factors = 0.0
            types = 0
            length = 0
            ratio = 1.0
            segment += 1
            for step in range(size):
                token = sequence[step] if direction == 0 else sequence[size - 1 - step]
                length += 1
                if last_seen[token] != segment:
                    last_seen[token] = segment
                    types += 1
                ratio = types / length
                if ratio <= threshold:
                    factors += 1
                    types = 0
                    length = 0
                    ratio = 1.0
                    segment += 1
            factors += (1 - ratio) / (1 - threshold)
            sum_of_both += size / factors if factors > 0 else float(size)
        values[s] = sum_of_both / 2
    return values


LONG = 256
"""Texts longer than this many tokens use the bit-parallel algorithm."""


@jit
def edit_distances(tokens: NDArray[np.int32], offsets: Ints, left: Ints, right: Ints) -> Floats:
    """Levenshtein distance of each pair of texts over the longer length; 0 for two empty texts."""
    distances = np.zeros(len(left))
    longest, n_types = 0, 0
    for text in range(len(offsets) - 1):
        longest = max(longest, offsets[text + 1] - offsets[text])
    if longest > LONG:
        for token in tokens:
            n_types = max(n_types, token + 1)
    row = np.empty(longest + 1, np.int64)
    for pair in range(len(left)):
        a = tokens[offsets[left[pair]] : offsets[left[pair] + 1]]
        b = tokens[offsets[right[pair]] : offsets[right[pair] + 1]]
        if min(len(a), len(b)) > LONG:
            distances[pair] = long_distance(a, b, n_types) / max(len(a), len(b))
            continue
        for j in range(len(b) + 1):
            row[j] = j
        for i in range(len(a)):
            diagonal = row[0]
            row[0] = i + 1
            for j in range(len(b)):
                cost = diagonal if a[i] == b[j] else diagonal + 1
                diagonal = row[j + 1]
                row[j + 1] = min(cost, min(diagonal, row[j]) + 1)
        longer = max(len(a), len(b))
        if longer:
            distances[pair] = row[len(b)] / longer
    return distances
