"""General tokenizers: white space, characters, and that of the diversity benchmarks."""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.text.spaces import MAY_START_SPACE, space_width
from assay.text.strings import Strings
from assay.text.tokens import Tokens, split_with

SPACE = 0x20


def whitespace(texts: Strings) -> Tokens:
    """Split at Unicode white space, as `str.split()`."""
    return split_with(texts, split_at_white_space)


def chars(texts: Strings) -> Tokens:
    """Every Unicode code point, including white space."""
    return split_with(texts, split_into_code_points)


def diversity(texts: Strings) -> Tokens:
    """Delete periods and newlines, split at single spaces, drop empty pieces, keep case.

    Tevet & Berant (2021): the tokens behind the stored metrics of the diversity-eval data.
    """
    return split_with(texts, split_at_space, lambda block: block.replace(".", "").replace("\n", ""))


@jit
def split_at_white_space(
    data: NDArray[np.uint8], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Find the tokens of `str.split()`."""
    most = (len(data) + len(offsets)) // 2 + 1
    starts = np.empty(most, np.int64)
    ends = np.empty(most, np.int64)
    counts = np.empty(len(offsets) - 1, np.int64)
    n, n_ended = 0, 0
    # Counters move without a branch: which byte ends a token is what a processor cannot predict.
    for text in range(len(counts)):
        before = n
        first, end = offsets[text], offsets[text + 1]
        inside, wide_until = 0, first
        for at in range(first, end):
            byte = data[at]
            is_space = 1 if byte < 0x80 and MAY_START_SPACE[byte] else 0
            if byte >= 0x80:
                if MAY_START_SPACE[byte]:
                    wide_until = max(wide_until, at + space_width(data, at, end))
                is_space = 1 if at < wide_until else 0
            starts[n] = at
            n += (1 - is_space) & (1 - inside)
            ends[n_ended] = at
            n_ended += is_space & inside
            inside = 1 - is_space
        ends[n_ended] = end
        n_ended += inside
        counts[text] = n - before
    return starts[:n], ends[:n], counts


@jit
def split_at_space(
    data: NDArray[np.uint8], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Find the non-empty pieces between spaces (only U+0020)."""
    most = (len(data) + len(offsets)) // 2 + 1
    starts = np.empty(most, np.int64)
    ends = np.empty(most, np.int64)
    counts = np.empty(len(offsets) - 1, np.int64)
    n = 0
    for text in range(len(counts)):
        before = n
        end = offsets[text + 1]
        begin = offsets[text]
        for at in range(begin, end + 1):
            if at == end or data[at] == SPACE:
                if at > begin:
                    starts[n] = begin
                    ends[n] = at
                    n += 1
                begin = at + 1
        counts[text] = n - before
    return starts[:n], ends[:n], counts


@jit
def split_into_code_points(
    data: NDArray[np.uint8], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Find the code points: every byte but a continuation byte starts one."""
    starts = np.empty(len(data), np.int64)
    ends = np.empty(len(data), np.int64)
    counts = np.empty(len(offsets) - 1, np.int64)
    n = 0
    for text in range(len(counts)):
        before = n
        for at in range(offsets[text], offsets[text + 1]):
            if data[at] & 0xC0 != 0x80:
                starts[n] = at
                n += 1
            ends[n - 1] = at + 1
        counts[text] = n - before
    return starts[:n], ends[:n], counts
