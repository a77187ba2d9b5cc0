"""BM25 and n-gram likelihoods against definitions, a peer, and what must hold of probabilities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evaluators.listeners.readers import by_bm25, by_ngrams
from assay.kernels.games import likelihood
from assay.kernels.ragged import Ragged
from assay.text.strings import Strings
from tests.oracles import listeners as plain

WORDS = st.lists(st.sampled_from("abcdef"), max_size=7)
BANKS = st.tuples(st.lists(WORDS, min_size=1, max_size=4), st.lists(WORDS, min_size=1, max_size=5))


def bank(queries, documents):
    """Every query is shown every document."""
    shown = Ragged(
        np.tile(np.arange(len(documents)), len(queries)), np.arange(len(queries) + 1, dtype=np.int64) * len(documents)
    )
    return Strings.of(list(map(" ".join, queries))), Strings.of(list(map(" ".join, documents))), shown


@given(BANKS, st.sampled_from([(1.2, 0.75), (0.0, 0.0), (2.0, 1.0)]))
def test_bm25_is_its_definition(texts, settings):
    queries, documents = texts
    scores = by_bm25(*bank(queries, documents), "whitespace", *settings)
    expected = [plain.bm25(query, one, documents, *settings) for query in queries for one in documents]
    assert scores.tolist() == pytest.approx(expected, abs=1e-12)


def test_bm25_is_rank_bm25_with_the_idf_of_lucene():
    peer = pytest.importorskip("rank_bm25")

    class Lucene(peer.BM25Okapi):
        def _calc_idf(self, containing):
            self.idf = {word: np.log(1 + (self.corpus_size - n + 0.5) / (n + 0.5)) for word, n in containing.items()}

    documents = ["the cat sat on the mat".split(), "a dog barked at the cat".split(), "nothing happened".split()]
    queries = ["the cat the cat".split(), "a dog happened".split(), "unknown words".split()]
    index = Lucene(documents, k1=1.5, b=0.75)
    expected = np.concatenate([index.get_scores(query) for query in queries])
    assert by_bm25(*bank(queries, documents), "whitespace", 1.5, 0.75) == pytest.approx(expected, abs=1e-12)


@given(BANKS, st.integers(1, 4), st.sampled_from([0.5, 20.0]))
def test_likelihood_is_its_definition(texts, order, mu):
    queries, documents = texts
    scores = by_ngrams(*bank(queries, documents), "whitespace", order, mu)
    expected = [plain.log_likelihood(query, one, documents, order, mu) for query in queries for one in documents]
    assert scores.tolist() == pytest.approx(expected, abs=1e-9)


@given(st.lists(WORDS, min_size=1, max_size=4), st.lists(st.sampled_from("abcdef"), max_size=3))
def test_the_words_after_a_history_sum_to_one(documents, history):
    """Over the words of the collection and one unknown word."""
    vocabulary = [*sorted({word for one in documents for word in one}), "unknown"]
    before = by_ngrams(*bank([history], documents), "whitespace", 3, 2.0)
    after = by_ngrams(*bank([[*history, word] for word in vocabulary], documents), "whitespace", 3, 2.0)
    # Words of the history that no document has are unknown too: they are no further outcomes.
    conditional = np.exp(after.reshape(len(vocabulary), -1) - before)
    assert conditional.sum(axis=0) == pytest.approx(1.0, abs=1e-9)


def test_blocks_do_not_change_a_bit(monkeypatch):
    rng = np.random.default_rng(0)
    queries = [list(rng.choice(list("abcdef"), rng.integers(0, 9))) for _ in range(20)]
    documents = [list(rng.choice(list("abcdef"), rng.integers(1, 9))) for _ in range(6)]
    at_once = by_ngrams(*bank(queries, documents), "whitespace", 2, 5.0)
    monkeypatch.setattr(likelihood, "AT_ONCE", 10)
    assert by_ngrams(*bank(queries, documents), "whitespace", 2, 5.0).tobytes() == at_once.tobytes()
