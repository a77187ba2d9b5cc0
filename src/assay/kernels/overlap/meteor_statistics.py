"""The sufficient statistics of METEOR 1.5, and the score from them (Denkowski & Lavie 2014)."""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.kernels.overlap.meteor_beam import best_alignment
from assay.kernels.overlap.meteor_matches import (
    FROM,
    FROM_LENGTH,
    LENGTH,
    N_STAGES,
    STAGE,
    Linked,
    find_matches,
    link,
    unlink,
)
from assay.kernels.overlap.phrase_table import PhraseTable

# The columns: words, function words, and matched words by stage, content words before function words; each of the
# candidate and of the reference.
WORDS, FUNCTION, MATCHED, CHUNKS = 0, 2, 4, 4 + 4 * N_STAGES
N_STATISTICS = CHUNKS + 1
UNALIGNED = -1


@jit
def meteor_statistics(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    candidates: NDArray[np.int64],
    references: NDArray[np.int64],
    bounds: NDArray[np.int64],
    is_function: NDArray[np.bool_],
    stem_of: NDArray[np.int32],
    near: NDArray[np.int32],
    near_offsets: NDArray[np.int64],
    table: PhraseTable,
) -> NDArray[np.int64]:
    """Return `[pair, N_STATISTICS]` for every (candidate, reference) pair; UNALIGNED if there are too many matches.

    Unit i is text `candidates[i]` with the texts `references[bounds[i]:bounds[i + 1]]`. The rest is as in
    `find_matches`, by word; synonyms go both ways.
    """
    statistics = np.zeros((len(references), N_STATISTICS), np.int64)
    longest = 0
    for text in range(len(offsets) - 1):
        longest = max(longest, offsets[text + 1] - offsets[text])
    linked_words = _no_links(len(stem_of), longest)
    linked_stems = _no_links(len(stem_of), longest)
    linked_others = _no_links(len(stem_of), longest)
    has_near = np.zeros(len(stem_of), np.bool_)
    for unit in range(len(candidates)):
        words = tokens[offsets[candidates[unit]] : offsets[candidates[unit] + 1]]
        stems = stem_of[words]
        link(words, linked_words)
        link(stems, linked_stems)
        _mark_near(has_near, words, near, near_offsets, True)
        for pair in range(bounds[unit], bounds[unit + 1]):
            others = tokens[offsets[references[pair]] : offsets[references[pair] + 1]]
            link(others, linked_others)
            matches, starts = find_matches(
                words,
                others,
                linked_words,
                linked_stems,
                linked_others,
                stem_of,
                near,
                near_offsets,
                has_near,
                table,
                candidates[unit],
                references[pair],
            )
            unlink(others, linked_others)
            if len(starts) == 0:
                statistics[pair] = UNALIGNED
                continue
            taken = best_alignment(matches, starts, len(words))
            _count(statistics, pair, words, others, matches, taken, is_function)
        unlink(words, linked_words)
        unlink(stems, linked_stems)
        _mark_near(has_near, words, near, near_offsets, False)
    return statistics


@jit
def _no_links(n_words: int, longest: int) -> Linked:
    return Linked(np.full(n_words, -1, np.int32), np.empty(longest, np.int32))


@jit
def _mark_near(
    has_near: NDArray[np.bool_],
    words: NDArray[np.int32],
    near: NDArray[np.int32],
    near_offsets: NDArray[np.int64],
    whether: bool,
) -> None:
    """Mark the synonyms of words, or take the marks away."""
    for word in words:
        for other in near[near_offsets[word] : near_offsets[word + 1]]:
            has_near[other] = whether


@jit
def _count(
    statistics: NDArray[np.int64],
    pair: int,
    words: NDArray[np.int32],
    others: NDArray[np.int32],
    matches: NDArray[np.int32],
    taken: NDArray[np.int32],
    is_function: NDArray[np.bool_],
) -> None:
    """Fill in the row of a pair; no views of arrays in the loops, which cost more than the work."""
    statistics[pair, WORDS], statistics[pair, WORDS + 1] = len(words), len(others)
    for word in words:
        statistics[pair, FUNCTION] += is_function[word]
    for word in others:
        statistics[pair, FUNCTION + 1] += is_function[word]
    end, chunks, at = -1, 0, 0
    left = len(words) + len(others)
    while at < len(others):
        match = taken[at]
        if match < 0:
            end = -1
            at += 1
            continue
        stage, start, length, start_length = (
            matches[match, STAGE],
            matches[match, FROM],
            matches[match, LENGTH],
            matches[match, FROM_LENGTH],
        )
        for place in range(start, start + start_length):
            statistics[pair, MATCHED + 2 * N_STAGES * is_function[words[place]] + stage] += 1
        for place in range(at, at + length):
            statistics[pair, MATCHED + N_STAGES + 2 * N_STAGES * is_function[others[place]] + stage] += 1
        chunks += end != start
        end = start + start_length
        at += length
        left -= start_length + length
    # A text that matches as a whole is not fragmented, in a sum over texts too.
    statistics[pair, CHUNKS] = 0 if left == 0 and chunks == 1 else chunks


def meteor_scores(
    statistics: NDArray[np.float64],
    alpha: float,
    beta: float,
    gamma: float,
    delta: float,
    weights: tuple[float, ...],
) -> NDArray[np.float64]:
    """Return the score of each row, 0 without a match.

    A content word counts `delta`, a function word 1 - `delta`, a matched one times the weight of its stage.
    """
    words, function = statistics[:, WORDS:FUNCTION], statistics[:, FUNCTION:MATCHED]
    matched = statistics[:, MATCHED:CHUNKS].reshape(-1, 2, 2, N_STAGES)  # content or function, side, stage
    chunks = statistics[:, CHUNKS]
    length = delta * (words - function) + (1 - delta) * function
    weighted = np.tensordot(matched, np.array(weights), axes=1)
    covered = delta * weighted[:, 0] + (1 - delta) * weighted[:, 1]
    n_matched = matched.sum(axis=(1, 3))
    with np.errstate(divide="ignore", invalid="ignore"):
        precision, recall = (covered / length).T
        mean = 1 / ((1 - alpha) / precision + alpha / recall)
        fragmentation = chunks / n_matched.mean(axis=1)
        scores = mean * (1 - gamma * fragmentation**beta)
    return np.where(n_matched.all(axis=1), np.maximum(scores, 0.0), 0.0)
