"""Word mover's similarity, and its variants with sentences (Kusner et al. 2015, Clark et al. 2019)."""

from __future__ import annotations

from collections import Counter
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.evaluator import Scored, Shape, batched, evaluator
from assay.io.word_vectors import VectorsName, open_vectors
from assay.kernels.pairs.transport import mover_distances
from assay.kernels.ragged import running_offsets
from assay.references import References, given
from assay.scores import Gaps
from assay.text.tokenizers import check_tokenizer

Parts = Literal["words", "sentences", "both"]
MOST_POINTS = 1_000
ENDS = (".", "!", "?")


@evaluator(needs=("references",), scale="0 to 1", cite="Kusner et al. 2015; Clark et al. 2019")
def wms(
    vectors: VectorsName,
    *,
    parts: Parts = "words",
    tokenizer: str = "lower+13a",
    references: References = given(),  # noqa: B008 (a value, never changed)
) -> Shape:
    """exp(-d) with the best reference, d the least distance that the words of one text travel to those of the other.

    Words weigh as often as they occur; 'sentences' moves the mean vectors of sentences, weighted by their words, and
    'both' moves both. `vectors` is a file of GloVe, fastText or word2vec; words without a vector are left out.
    """
    check_tokenizer(tokenizer)

    def score(batch: Batch) -> Scored:
        left, right = batch.candidates[batch.references.row_of], batch.references.values
        used, place = np.unique(np.concatenate([left, right]), return_inverse=True)
        found, points, weights, offsets = _weighted_points(batch, used, vectors, parts, tokenizer)
        sizes = np.diff(offsets)
        longest = np.maximum(sizes[place[: len(left)]], sizes[place[len(left) :]])
        fits = longest <= MOST_POINTS
        similarity = np.full(len(left), np.nan)
        pairs = (place[: len(left)][fits], place[len(left) :][fits])
        similarity[fits] = np.exp(-mover_distances(found, points, weights, offsets, *pairs))
        best = np.full(len(batch), -np.inf)
        np.maximum.at(best, batch.references.row_of, np.where(np.isnan(similarity), -np.inf, similarity))
        too_long = np.zeros(len(batch), bool)
        too_long[batch.references.row_of[~fits]] = True
        # Without one of its references, the best of a text is not known.
        best = np.where(np.isfinite(best) & ~too_long, best, np.nan)
        reasons = {
            f"more than {MOST_POINTS:,} different words in the text or in a reference": too_long,
            "no word with a vector in the text or in any reference": np.isnan(best) & ~too_long,
        }
        return Scored(best, Gaps.where(len(batch), reasons))

    return batched(score, reads=("text", "references"))


def _weighted_points(
    batch: Batch, used: NDArray[np.int64], vectors: str, parts: Parts, tokenizer: str
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """All vectors, and the points of each text among them with their weights."""
    tokens = batch.tokens(tokenizer)
    texts = [tokens.ids[tokens.offsets[row] : tokens.offsets[row + 1]] for row in used]
    ids = np.unique(np.concatenate([*texts, np.empty(0, np.int32)]))
    spelled = tokens.vocabulary.take(ids.astype(np.int64)).to_list()
    known = open_vectors(vectors).find(spelled)
    size = len(next(iter(known.values()))) if known else 1
    rows = [known.get(word, np.full(size, np.nan)) for word in spelled]
    place_of = {
        int(number): place for place, (number, word) in enumerate(zip(ids, spelled, strict=True)) if word in known
    }
    ends = {int(number) for number, word in zip(ids, spelled, strict=True) if word in ENDS}
    points: list[NDArray[np.int64]] = []
    weights: list[NDArray[np.int64]] = []
    for text in texts:
        # In the order of the text: that of the vocabulary, and with it the last bits, would depend on other texts.
        counts = Counter(place_of[t] for t in text.tolist() if t in place_of)
        sentences = [] if parts == "words" else _sentences(text.tolist(), place_of, ends)
        means = [np.mean([rows[place] for place in sentence], axis=0) for sentence in sentences]
        own = range(len(rows), len(rows) + len(means))
        rows += means
        words = {} if parts == "sentences" else counts
        points.append(np.array([*words, *own], np.int64))
        weights.append(np.array([*words.values(), *map(len, sentences)], np.int64))
    offsets = running_offsets(np.array([len(one) for one in points], np.int64))
    none = np.empty(0, np.int64)
    table = np.array(rows) if rows else np.empty((0, size))
    return table, np.concatenate([none, *points]), np.concatenate([none, *weights]), offsets


def _sentences(text: list[int], place_of: dict[int, int], ends: set[int]) -> list[list[int]]:
    """The known words of each sentence; a sentence ends at a full stop, an exclamation or a question mark."""
    found: list[list[int]] = [[]]
    for token in text:
        if token in place_of:
            found[-1].append(place_of[token])
        if token in ends:
            found.append([])
    return [sentence for sentence in found if sentence]
