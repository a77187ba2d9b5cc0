"""The sufficient statistics of METEOR 1.5, and the score from them (Denkowski & Lavie 2014)."""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.kernels.overlap.meteor_beam import best_alignment
from assay.kernels.overlap.meteor_matches import AT, FROM, FROM_LENGTH, LENGTH, N_STAGES, STAGE, find_matches

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
    keys: NDArray[np.int64],
    slots: NDArray[np.int32],
    entry_offsets: NDArray[np.int64],
    phrases: NDArray[np.int32],
    phrase_offsets: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return `[pair, N_STATISTICS]` for every (candidate, reference) pair; UNALIGNED if there are too many matches.

    Unit i is text `candidates[i]` with the texts `references[bounds[i]:bounds[i + 1]]`. The rest is as in
    `find_matches`, by word.
    """
    statistics = np.zeros((len(references), N_STATISTICS), np.int64)
    first_in = np.full((2, len(stem_of)), -1, np.int32)
    first_stem = np.full(len(stem_of), -1, np.int32)
    for unit in range(len(candidates)):
        words = tokens[offsets[candidates[unit]] : offsets[candidates[unit] + 1]]
        for pair in range(bounds[unit], bounds[unit + 1]):
            others = tokens[offsets[references[pair]] : offsets[references[pair] + 1]]
            matches, starts = find_matches(
                words,
                others,
                stem_of,
                near,
                near_offsets,
                keys,
                slots,
                entry_offsets,
                phrases,
                phrase_offsets,
                first_in,
                first_stem,
            )
            if len(starts) == 0:
                statistics[pair] = UNALIGNED
                continue
            taken = best_alignment(matches, starts, len(words))
            _count(statistics[pair], words, others, matches, taken, is_function)
    return statistics


@jit
def _count(
    row: NDArray[np.int64],
    words: NDArray[np.int32],
    others: NDArray[np.int32],
    matches: NDArray[np.int32],
    taken: NDArray[np.int32],
    is_function: NDArray[np.bool_],
) -> None:
    row[WORDS], row[WORDS + 1] = len(words), len(others)
    for word in words:
        row[FUNCTION] += is_function[word]
    for word in others:
        row[FUNCTION + 1] += is_function[word]
    end = -1
    at = 0
    left = len(words) + len(others)
    while at < len(others):
        if taken[at] < 0:
            end = -1
            at += 1
            continue
        match = matches[taken[at]]
        for word in words[match[FROM] : match[FROM] + match[FROM_LENGTH]]:
            row[MATCHED + 2 * N_STAGES * is_function[word] + match[STAGE]] += 1
        for word in others[match[AT] : match[AT] + match[LENGTH]]:
            row[MATCHED + N_STAGES + 2 * N_STAGES * is_function[word] + match[STAGE]] += 1
        row[CHUNKS] += end != match[FROM]
        end = match[FROM] + match[FROM_LENGTH]
        at += match[LENGTH]
        left -= match[FROM_LENGTH] + match[LENGTH]
    # A text that matches as a whole is not fragmented, in a sum over texts too.
    if left == 0 and row[CHUNKS] == 1:
        row[CHUNKS] = 0


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
