"""BM25 and n-gram likelihoods by definition: loops over words."""

from collections import Counter
from math import log


def bm25(query, document, documents, k1, b):
    mean = sum(map(len, documents)) / len(documents) or 1.0
    total = 0.0
    for word in query:
        containing = sum(word in one for one in documents)
        idf = log(1 + (len(documents) - containing + 0.5) / (containing + 0.5))
        count = document.count(word)
        total += idf * count * (k1 + 1) / (count + k1 * (1 - b + b * len(document) / mean)) if count else 0.0
    return total


def probability(word, history, document, documents, mu):
    """p(word | history, document), smoothed order by order; a history of n - 1 words."""
    words = Counter(word for one in documents for word in one)
    p = (words[word] + 1) / (sum(words.values()) + len(words) + 1)
    for n in range(len(history) + 1):
        context = history[len(history) - n :]
        places = [
            at for at in range(len(document) - n) if document[at : at + n] == context
        ]  # where the context is followed by a word
        seen = sum(document[at + n] == word for at in places)
        p = (seen + mu * p) / (len(places) + mu)
    return p


def log_likelihood(query, document, documents, order, mu):
    return sum(
        log(probability(word, query[max(0, at - order + 1) : at], document, documents, mu))
        for at, word in enumerate(query)
    )
