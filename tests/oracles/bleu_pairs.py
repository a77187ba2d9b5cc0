"""BLEU* by definition, one pair at a time."""

import math
from collections import Counter
from collections.abc import Sequence


def bleu_star(candidate: Sequence, reference: Sequence, orders: Sequence[int] = (2, 3, 4)) -> float:
    if not candidate:
        return 0.0
    log_precisions = 0.0
    for order in orders:
        ours, theirs = ngram_counts(candidate, order), ngram_counts(reference, order)
        matched = sum(min(count, theirs[ngram]) for ngram, count in ours.items())
        if matched == 0:
            return 0.0
        log_precisions += math.log(matched / (len(candidate) - order + 1))
    brevity = min(0.0, 1 - len(reference) / len(candidate))
    return math.exp(log_precisions / len(orders) + brevity)


def ngram_counts(tokens: Sequence, order: int) -> Counter:
    return Counter(tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1))
