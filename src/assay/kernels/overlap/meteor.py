"""METEOR's word alignment: how many words match, in how few chunks (Banerjee & Lavie 2005).

Words match if they are equal, have the same stem, or share a synonym set; each word takes part in at most one
match. Equal words and stems come first: as many as possible are matched, a number that does not depend on which
occurrences are chosen. Synonyms match the rest.

`fewest_chunks` then searches for the alignment with the fewest chunks, runs of words adjacent in both texts.
This is hard in general, so it is a left-to-right beam search with equal states merged: exact whenever BEAM states
suffice, as for nearly all sentences.
"""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.kernels.overlap.greedy_alignment import greedy_alignment, share_a_set

BEAM = 64
MOST_WORK = 12_000_000_000
"""Step limit of the search for one pair, a few seconds. Only long texts with a tiny vocabulary exceed it."""
_POOL = 4 * BEAM
_NOT_ADJACENT = -2


@jit
def align(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    candidates: NDArray[np.int64],
    references: NDArray[np.int64],
    bounds: NDArray[np.int64],
    stem_of: NDArray[np.int32],
    synonyms: NDArray[np.int32],
    synonym_offsets: NDArray[np.int64],
    fewest_chunks: bool,
) -> NDArray[np.int64]:
    """Return `[pair, 2]`: matched words and chunks of every (candidate, reference) pair; -1 if MOST_WORK is exceeded.

    Unit i is text `candidates[i]` with the texts `references[bounds[i]:bounds[i + 1]]`. Word w has the stem
    `stem_of[w]` and the sorted synonym sets `synonyms[synonym_offsets[w]:synonym_offsets[w + 1]]`.
    """
    alignments = np.zeros((len(references), 2), np.int64)
    n_stems = 0
    for stem in stem_of:
        n_stems = max(n_stems, stem + 1)
    class_of = np.full(n_stems, -1, np.int32)
    newest = np.full(max(n_stems, len(stem_of)), -1, np.int32)
    longest = 0
    for reference in references:
        longest = max(longest, offsets[reference + 1] - offsets[reference])
    used = np.zeros((2, _POOL, longest // 64 + 1), np.uint64)
    numbers = np.zeros((2, _POOL, 3), np.int64)
    for unit in range(len(candidates)):
        words = tokens[offsets[candidates[unit]] : offsets[candidates[unit] + 1]]
        for pair in range(bounds[unit], bounds[unit + 1]):
            others = tokens[offsets[references[pair]] : offsets[references[pair] + 1]]
            matches, chunks = greedy_alignment(words, others, stem_of, synonyms, synonym_offsets, newest)
            if (
                fewest_chunks
                and chunks > 1
                and (len(synonyms) > 0 or chunks > matches - _most_links(words, others, stem_of))
            ):
                searched, fewer = _search(words, others, stem_of, synonyms, synonym_offsets, class_of, used, numbers)
                # The search covers the greedy alignment unless the beam dropped it.
                if searched < 0:
                    matches, chunks = -1, -1
                elif searched > matches or (searched == matches and fewer < chunks):
                    matches, chunks = searched, fewer
            alignments[pair, 0], alignments[pair, 1] = matches, chunks
    return alignments


@jit
def _most_links(words: NDArray[np.int32], others: NDArray[np.int32], stem_of: NDArray[np.int32]) -> int:
    """Count neighbors in the candidate whose stems are neighbors in the reference, in this order.

    No alignment by equal words and stems has fewer chunks than its matches less these.
    """
    links = 0
    for position in range(len(words) - 1):
        first, second = stem_of[words[position]], stem_of[words[position + 1]]
        for at in range(len(others) - 1):
            if stem_of[others[at]] == first and stem_of[others[at + 1]] == second:
                links += 1
                break
    return links


@jit
def _search(
    words: NDArray[np.int32],
    others: NDArray[np.int32],
    stem_of: NDArray[np.int32],
    synonyms: NDArray[np.int32],
    synonym_offsets: NDArray[np.int64],
    class_of: NDArray[np.int32],
    used: NDArray[np.uint64],
    numbers: NDArray[np.int64],
) -> tuple[int, int]:
    """Return the most matches and, with that many, the fewest chunks the beam finds; -1 if MOST_WORK is exceeded.

    A state is the set of reference positions used, and in `numbers` the position matched by the previous
    word, the matches and the chunks so far. `used` and `numbers` hold the states before and after a word.
    """
    n_bits = len(others) // 64 + 1
    most = len(words) + len(others)
    in_words, in_others = np.zeros(most, np.int64), np.zeros(most, np.int64)
    class_bits = np.zeros((len(others), n_bits), np.uint64)
    _count_classes(words, others, stem_of, class_of, in_words, in_others, class_bits)
    to_come = in_words.copy()

    old, new = 0, 1
    n_states = 1
    used[old, 0, :n_bits] = 0
    numbers[old, 0, 0], numbers[old, 0, 1], numbers[old, 0, 2] = _NOT_ADJACENT, 0, 0
    options = np.empty(len(others) + 1, np.int64)
    work = 0
    for position in range(len(words)):
        if work > MOST_WORK:
            _reset(words, others, stem_of, class_of)
            return -1, -1
        word = words[position]
        stem_class = class_of[stem_of[word]]
        to_come[stem_class] -= 1
        n_here, n_there = in_words[stem_class], in_others[stem_class]
        work += n_states * (len(others) + (n_there + 1) * (n_bits + BEAM))
        may_have_synonyms = n_here > n_there and synonym_offsets[word + 1] > synonym_offsets[word]
        n_new = 0
        for state in range(n_states):
            n_options = 0
            if n_there > 0:
                free = _free(used[old, state], class_bits[stem_class], n_bits)
                for at in range(len(others)):
                    if free == 0:
                        break
                    if class_of[stem_of[others[at]]] == stem_class and not _has(used[old, state], at):
                        options[n_options] = at
                        n_options += 1
                        free -= 1
            # A word may skip the partners of its class only while enough words of that class are still to come.
            if n_here > n_there and to_come[stem_class] >= n_options:
                if may_have_synonyms:
                    for at in range(len(others)):
                        other_class = class_of[stem_of[others[at]]]
                        if (
                            in_others[other_class] > in_words[other_class]
                            and not _has(used[old, state], at)
                            and _free(used[old, state], class_bits[other_class], n_bits) > to_come[other_class]
                            and share_a_set(word, others[at], synonyms, synonym_offsets)
                        ):
                            options[n_options] = at
                            n_options += 1
                options[n_options] = -1
                n_options += 1
            for option in options[:n_options]:
                if n_new == _POOL:
                    n_new = _keep_best(used[new], numbers[new], n_new)
                n_new = _add(used, numbers, old, state, new, n_new, option, n_bits)
        if n_new > BEAM:
            n_new = _keep_best(used[new], numbers[new], n_new)
        old, new = new, old
        n_states = n_new
    _keep_best(used[old], numbers[old], n_states)
    _reset(words, others, stem_of, class_of)
    return numbers[old, 0, 1], numbers[old, 0, 2]


@jit
def _reset(
    words: NDArray[np.int32], others: NDArray[np.int32], stem_of: NDArray[np.int32], class_of: NDArray[np.int32]
) -> None:
    """Reset `class_of` to -1."""
    for word in words:
        class_of[stem_of[word]] = -1
    for word in others:
        class_of[stem_of[word]] = -1


@jit
def _count_classes(
    words: NDArray[np.int32],
    others: NDArray[np.int32],
    stem_of: NDArray[np.int32],
    class_of: NDArray[np.int32],
    in_words: NDArray[np.int64],
    in_others: NDArray[np.int64],
    class_bits: NDArray[np.uint64],
) -> None:
    """Number the stems of a pair, the reference's first; count them, and mark their reference positions."""
    n_classes = 0
    for at in range(len(others)):
        stem = stem_of[others[at]]
        if class_of[stem] < 0:
            class_of[stem] = n_classes
            n_classes += 1
        in_others[class_of[stem]] += 1
        class_bits[class_of[stem], at // 64] |= np.uint64(1) << np.uint64(at % 64)
    for word in words:
        stem = stem_of[word]
        if class_of[stem] < 0:
            class_of[stem] = n_classes
            n_classes += 1
        in_words[class_of[stem]] += 1


@jit
def _has(bits: NDArray[np.uint64], at: int) -> bool:
    return bool((bits[at // 64] >> np.uint64(at % 64)) & np.uint64(1))


@jit
def _free(bits: NDArray[np.uint64], class_bits: NDArray[np.uint64], n_bits: int) -> int:
    """Count the unused positions of a class."""
    count = 0
    for word in range(n_bits):
        unused = class_bits[word] & ~bits[word]
        while unused:
            unused &= unused - np.uint64(1)
            count += 1
    return count


@jit
def _add(
    used: NDArray[np.uint64],
    numbers: NDArray[np.int64],
    old: int,
    state: int,
    new: int,
    n_new: int,
    option: int,
    n_bits: int,
) -> int:
    """Append the successor of a state, or merge it into an equal one; return the number of states."""
    used[new, n_new, :n_bits] = used[old, state, :n_bits]
    last, matches, chunks = numbers[old, state, 0], numbers[old, state, 1], numbers[old, state, 2]
    if option >= 0:
        used[new, n_new, option // 64] |= np.uint64(1) << np.uint64(option % 64)
        matches += 1
        chunks += 0 if option == last + 1 else 1
        last = option
    else:
        last = _NOT_ADJACENT
    for other in range(n_new):
        if numbers[new, other, 0] == last:
            same = True
            for word in range(n_bits):
                same = same and used[new, other, word] == used[new, n_new, word]
            if same:
                # Equal sets have equal sizes, so only the chunks can differ.
                numbers[new, other, 2] = min(numbers[new, other, 2], chunks)
                return n_new
    numbers[new, n_new, 0], numbers[new, n_new, 1], numbers[new, n_new, 2] = last, matches, chunks
    return n_new + 1


@jit
def _keep_best(used: NDArray[np.uint64], numbers: NDArray[np.int64], n_states: int) -> int:
    """Move the BEAM states with the most matches, then the fewest chunks, to the front, best first."""
    rank = -(numbers[:n_states, 1] << 32) + numbers[:n_states, 2]
    order = np.argsort(rank, kind="mergesort")[:BEAM]
    kept_used, kept_numbers = used[order], numbers[order]
    used[: len(order)] = kept_used
    numbers[: len(order)] = kept_numbers
    return len(order)
