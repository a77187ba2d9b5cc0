"""BLEU* of all pairs of texts, exactly (Ethayarajh & Sadigh 2020).

BLEU*(x, s) = exp(min(0, 1 - |s| / |x|)) * (product of the clipped n-gram precisions of x against s)^(1/K),
for K orders of n-grams (2 to 4 by default); 0 when any precision is 0. This is BLEU without 1-grams and
without smoothing.

Two algorithms with identical results, chosen by predicted cost:

merge   The postings of the longest n-grams yield the pairs that share one; their other orders are counted by
        walking the features of s against the marked features of x. Lengths and precisions bound the score from
        above, so pairs below the threshold are pruned before they are counted. Best where few pairs share a
        long n-gram: words.
dense   The postings of all orders are accumulated into one row of counts. Best where most pairs share a long
        n-gram: characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.kernels.blocks import in_order, row_blocks
from assay.kernels.jit import jit
from assay.kernels.pairs.occurrences import Occurrences, Postings, occurrences, postings
from assay.kernels.pairs.sparse_rows import SparseRows

SLACK = 1e-9  # a bound must fall below the threshold by more than rounding error to prune a pair
DENSE_FINISH = 4.0  # cost of finishing one pair of a dense row, in units of adding one posting
MERGE_STEP = 2.5  # cost of looking up one feature of a text in the marks of another

Way = Literal["merge", "dense"]


class PairIndex(NamedTuple):
    """Candidates and the bank they are compared with, sharing one numbering of n-gram occurrences."""

    orders: NDArray[np.int64]
    candidates: Occurrences
    candidate_lengths: NDArray[np.int64]
    bank: Occurrences
    bank_lengths: NDArray[np.int64]
    postings: Postings


class Workspace(NamedTuple):
    """Scratch arrays of one worker, so that a block allocates only its results."""

    counts: NDArray[np.int32]
    seen: NDArray[np.int32]
    marks: NDArray[np.int32]


def pair_index(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    n_candidates: int | None = None,
    orders: Sequence[int] = (2, 3, 4),
) -> PairIndex:
    """Index texts: the first `n_candidates` are compared with the rest, or with None every text with every text."""
    ascending = sorted(set(orders))
    indexed = occurrences(tokens, offsets, ascending)
    lengths = np.diff(offsets)
    if n_candidates is None:
        return PairIndex(np.array(ascending), indexed, lengths, indexed, lengths, postings(indexed))
    candidates, bank = indexed.slice(0, n_candidates), indexed.slice(n_candidates, indexed.n_texts)
    return PairIndex(
        np.array(ascending), candidates, lengths[:n_candidates], bank, lengths[n_candidates:], postings(bank)
    )


def bleu_rows(
    index: PairIndex,
    threshold: float = 0.0,
    *,
    skip: NDArray[np.int64] | None = None,
    way: Way | None = None,
    workers: int = 1,
) -> Iterator[tuple[int, SparseRows]]:
    """Yield (first row, rows) for blocks of candidates, in order: the pairs with BLEU* >= `threshold`.

    `skip[i]` is a column that row i leaves out (its own text, for leave-one-out), or -1. Results are the same for
    either algorithm and any number of workers; at most `workers` blocks are in flight.
    """
    n_rows, n_columns = index.candidates.n_texts, index.bank.n_texts
    n_orders = len(index.bank.starts)
    skipped = np.full(n_rows, -1, np.int64) if skip is None else skip
    longest = int(max(index.candidate_lengths.max(initial=0), index.bank_lengths.max(initial=0)))
    logs = np.log(np.maximum(np.arange(longest + 2), 1e-300))
    chosen = way or cheaper_way(index, threshold)

    def block(start: int, stop: int, scratch: Workspace) -> SparseRows:
        kernel = _merge_rows if chosen == "merge" else _dense_rows
        return SparseRows(*kernel(index, threshold, skipped, logs, start, stop, scratch))

    n_counts, n_marks = (n_columns, index.bank.n_features) if chosen == "merge" else (n_orders * n_columns, 0)
    workspace = partial(_workspace, n_counts, n_columns, n_marks)
    return in_order(block, row_blocks(n_rows, n_columns), workspace, workers)


def cheaper_way(index: PairIndex, threshold: float) -> Way:
    """Choose the algorithm with the lower predicted cost, from the lengths of the postings alone."""
    if threshold <= 0:  # every pair is returned, even those that share nothing
        return "dense"
    n_pairs = index.candidates.n_texts * index.bank.n_texts
    shared = _shared(index)
    bank_spans = index.bank.starts[:-1, [0, -1]]
    per_text = float(np.diff(bank_spans, axis=1).sum()) / max(index.bank.n_texts, 1)
    merge = shared[-1] + min(shared[-1], n_pairs) * MERGE_STEP * per_text
    dense = shared.sum() + DENSE_FINISH * n_pairs
    return "merge" if merge < dense else "dense"


def _workspace(n_counts: int, n_seen: int, n_marks: int) -> Workspace:
    return Workspace(np.zeros(n_counts, np.int32), np.zeros(n_seen, np.int32), np.zeros(n_marks, np.int32))


@jit
def _shared(index: Any) -> Any:
    """Count the (candidate, bank text, feature) triples of each order: the cost of adding its postings."""
    triples = np.zeros(len(index.candidates.starts))
    offsets = index.postings.offsets
    for order in range(len(triples)):
        for position in range(index.candidates.starts[order, 0], index.candidates.starts[order, -1]):
            feature = index.candidates.features[position]
            triples[order] += offsets[feature + 1] - offsets[feature]
    return triples


@jit
def _dense_rows(
    index: Any, threshold: float, skip: Any, logs: Any, start: int, stop: int, workspace: Any
) -> tuple[Any, Any, Any]:
    n_columns, n_orders = len(index.bank_lengths), len(index.bank.starts)
    counts = workspace.counts.reshape(n_orders, n_columns)
    log_threshold = np.log(threshold) if threshold > 0 else -np.inf
    offsets = np.zeros(stop - start + 1, np.int64)
    columns, values, used = np.empty(1024, np.int32), np.empty(1024), 0
    for row in range(start, stop):
        length = index.candidate_lengths[row]
        scale = 0.0
        for order in range(n_orders):
            first, last = index.candidates.starts[order, row], index.candidates.starts[order, row + 1]
            scale += logs[last - first]
            for position in range(first, last):
                feature = index.candidates.features[position]
                for place in range(index.postings.offsets[feature], index.postings.offsets[feature + 1]):
                    counts[order, index.postings.texts[place]] += 1
        columns, values = _room(columns, values, used + n_columns)
        for column in range(n_columns):
            value = 0.0
            if counts[n_orders - 1, column] > 0:
                total = 0.0
                for order in range(n_orders - 1, -1, -1):
                    total += logs[counts[order, column]]
                log_value = _log_bleu(total - scale, n_orders, length, index.bank_lengths[column])
                if log_value >= log_threshold - SLACK:
                    value = np.exp(log_value)
            if value >= threshold and column != skip[row]:
                columns[used] = column
                values[used] = value
                used += 1
        counts[:, :] = 0
        offsets[row - start + 1] = used
    return offsets, columns[:used].copy(), values[:used].copy()


@jit
def _merge_rows(
    index: Any, threshold: float, skip: Any, logs: Any, start: int, stop: int, workspace: Any
) -> tuple[Any, Any, Any]:
    counts, seen, marks = workspace
    orders, starts, features = index.orders, index.bank.starts, index.bank.features
    posting_offsets, posting_texts = index.postings
    top = len(starts) - 1
    n_orders = top + 1
    log_threshold = np.log(threshold)
    offsets = np.zeros(stop - start + 1, np.int64)
    columns, values, used = np.empty(1024, np.int32), np.empty(1024), 0
    touched = np.empty(len(counts), np.int32)
    for row in range(start, stop):
        stamp = row + 1
        length = index.candidate_lengths[row]
        scale = 0.0
        for order in range(n_orders):
            first, last = index.candidates.starts[order, row], index.candidates.starts[order, row + 1]
            scale += logs[last - first]
            for position in range(first, last):
                marks[index.candidates.features[position]] = stamp
        first, last = index.candidates.starts[top, row], index.candidates.starts[top, row + 1]
        longest = length * (1.0 - log_threshold + SLACK)
        n_touched = 0
        probes, unseen = _probes(index.candidates.features[first:last], posting_offsets, threshold, n_orders)
        for feature in probes:
            for place in range(posting_offsets[feature], posting_offsets[feature + 1]):
                column = posting_texts[place]
                if seen[column] != stamp:
                    seen[column] = stamp
                    counts[column] = 0
                    if index.bank_lengths[column] <= longest and column != skip[row]:
                        touched[n_touched] = column
                        n_touched += 1
                counts[column] += 1
        columns, values = _room(columns, values, used + n_touched)
        for column in np.sort(touched[:n_touched]):
            # An upper bound on the other orders: all of the shorter text matches.
            shorter = min(length, index.bank_lengths[column])
            hope = 0.0
            for order in range(top):
                hope += logs[shorter - orders[order] + 1]
            need = n_orders * (log_threshold - _brevity(length, index.bank_lengths[column]) - SLACK) + scale
            total = logs[counts[column] + unseen]
            if total + hope < need:
                continue
            total = 0.0
            for order in range(top, -1, -1):
                if order == top and unseen == 0:
                    matched = counts[column]
                else:
                    matched = 0
                    for position in range(starts[order, column], starts[order, column + 1]):
                        matched += marks[features[position]] == stamp
                total += logs[matched]
                if order < top:
                    hope -= logs[shorter - orders[order] + 1]
                if total + hope < need:
                    break
            value = np.exp(_log_bleu(total - scale, n_orders, length, index.bank_lengths[column]))
            if total + hope >= need and value >= threshold:
                columns[used] = column
                values[used] = value
                used += 1
        offsets[row - start + 1] = used
    return offsets, columns[:used].copy(), values[:used].copy()


@jit
def _probes(features: Any, posting_offsets: Any, threshold: float, n_orders: int) -> tuple[Any, int]:
    """Return the features of x worth looking up, and how many matches the skipped ones could add.

    A score of at least `threshold` needs a precision of threshold^K in the top order. If that takes `required`
    matches, at least one lies outside any required - 1 features, so those with the longest postings are skipped.
    """
    required = int(np.ceil(threshold**n_orders * len(features) - SLACK))
    unseen = max(required - 1, 0)
    if unseen == 0:
        return features, 0
    sizes = np.empty(len(features), np.int64)
    for i in range(len(features)):
        sizes[i] = posting_offsets[features[i] + 1] - posting_offsets[features[i]]
    return features[np.argsort(sizes)[: len(features) - unseen]], unseen


@jit
def _log_bleu(log_precisions: float, n_orders: int, length: int, reference_length: int) -> float:
    return log_precisions / n_orders + _brevity(length, reference_length)


@jit
def _brevity(length: int, reference_length: int) -> float:
    """Log of the brevity penalty."""
    return 1.0 - reference_length / length if reference_length > length else 0.0


@jit
def _room(columns: Any, values: Any, needed: int) -> tuple[Any, Any]:
    """Grow the arrays to a capacity of at least `needed`."""
    if needed <= len(columns):
        return columns, values
    size = max(needed, 2 * len(columns))
    more_columns, more_values = np.empty(size, np.int32), np.empty(size)
    more_columns[: len(columns)] = columns
    more_values[: len(values)] = values
    return more_columns, more_values
