"""A text listener by BM25: 10,000 outputs with 10 choices each, from Python strings to beliefs, against rank_bm25."""

import numpy as np
from rank_bm25 import BM25Okapi

from assay import Dataset, score
from assay.evaluators.listeners.readers import by_bm25
from assay.kernels.ragged import Ragged
from assay.kernels.statistics.beliefs import softmax
from assay.text.strings import Strings
from bench.table import Row, best_cpu
from bench.texts import responses

N, N_SOURCES, N_CHOICES = 10_000, 2_000, 10
PEER_OUTPUTS = 500
K1, B = 1.5, 0.75


class Lucene(BM25Okapi):
    """The peer with the idf of Lucene, as here."""

    def _calc_idf(self, containing: dict[str, int]) -> None:
        self.idf = {word: np.log(1 + (self.corpus_size - n + 0.5) / (n + 0.5)) for word, n in containing.items()}


def rows() -> list[Row]:
    texts = responses()
    outputs = [texts[place % len(texts)] for place in range(N)]
    distinct = list(dict.fromkeys(texts))
    sources = [
        " ".join(distinct[(5 * place + step) % len(distinct)] for step in range(5)) for place in range(N_SOURCES)
    ]
    shown = np.random.default_rng(0).integers(0, N_SOURCES, (N, N_CHOICES))

    def ours(n: int = N) -> np.ndarray:
        choices = Ragged(shown[:n].ravel(), np.arange(n + 1, dtype=np.int64) * N_CHOICES)
        scores = by_bm25(Strings.of(outputs[:n]), Strings.of(sources), choices, "whitespace", K1, B)
        return softmax(Ragged(scores, choices.offsets)).values

    def peer(n: int = PEER_OUTPUTS) -> np.ndarray:
        index = Lucene([source.split() for source in sources], k1=K1, b=B)
        beliefs = []
        for output, own in zip(outputs[:n], shown[:n].tolist(), strict=True):
            scores = np.array(index.get_batch_scores(output.split(), own))
            powers = np.exp(scores - scores.max())
            beliefs.append(powers / powers.sum())
        return np.concatenate(beliefs)

    assert np.allclose(ours(PEER_OUTPUTS), peer(), atol=1e-9)
    index_alone = best_cpu(lambda: Lucene([source.split() for source in sources], k1=K1, b=B), 2)
    per_output = (best_cpu(peer, 2) - index_alone) / PEER_OUTPUTS
    note = f"{N_SOURCES:,} sources of 5 responses each; the peer measured on {PEER_OUTPUTS} outputs"
    data = Dataset.from_records(
        {"item": str(place), "choices": [sources[one] for one in own], "target": 0, "text": output}
        for place, (output, own) in enumerate(zip(outputs, shown.tolist(), strict=True))
    )
    listener = f"text_listener(k1={K1}, b={B}, tokenizer='whitespace')"
    score(data, [listener])
    whole = best_cpu(lambda: score(data, [listener]))
    written = best_cpu(lambda: score(data, [listener])[listener].texts.data, 3)
    return [
        Row(
            f"assay.score with it, {N:,} outputs x {N_CHOICES} choices",
            "rank_bm25",
            index_alone + per_output * N,
            whole,
            "the distribution beside every score is not read, so not written",
        ),
        Row(
            f"assay.score with it, {N:,} outputs x {N_CHOICES} choices",
            "rank_bm25",
            index_alone + per_output * N,
            written,
            "the distribution beside every score written as text",
        ),
        Row(
            f"text listener (BM25), {N:,} outputs x {N_CHOICES} choices",
            "rank_bm25",
            index_alone + per_output * N,
            best_cpu(ours, 5),
            note,
        ),
    ]
