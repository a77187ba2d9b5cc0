"""Tokenizers specific to one metric: ROUGE's words, chrF's letters and words, COCO's single spaces."""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.text.normalizers import lower
from assay.text.plain import SPACE, split_at_white_space
from assay.text.spaces import MAY_START_SPACE, space_width
from assay.text.strings import Strings
from assay.text.tokens import Tokens, split_with

Spans = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]

PUNCTUATION = np.zeros(256, np.bool_)
PUNCTUATION[list(b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")] = True
ROUGE_LETTER = np.zeros(256, np.bool_)
ROUGE_LETTER[list(b"abcdefghijklmnopqrstuvwxyz0123456789")] = True


def rouge(texts: Strings) -> Tokens:
    """Lowercase, then runs of a-z and 0-9: rouge-score's tokens (Lin 2004)."""
    return split_with(texts, split_alphanumeric, lower)


def letters(texts: Strings) -> Tokens:
    """Every code point except white space, so that n-grams span words: chrF (Popovic 2015)."""
    return split_with(texts, split_into_letters)


def chrf(texts: Strings) -> Tokens:
    """Split at white space, then split one ASCII punctuation mark off the end, or else the start, of each word.

    The words of chrF++ (Popovic 2017) as in sacrebleu: "(hi)" becomes "(hi" and ")".
    """
    return split_with(texts, split_off_punctuation)


def spaces(texts: Strings) -> Tokens:
    """Split at every single space and keep empty pieces, as `str.split(" ")`: COCO's ROUGE-L."""
    return split_with(texts, split_at_every_space)


@jit
def split_alphanumeric(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> Spans:
    """Find runs of lowercase ASCII letters and digits."""
    most = (len(data) + len(offsets)) // 2 + 1
    starts, ends = np.empty(most, np.int64), np.empty(most, np.int64)
    counts = np.empty(len(offsets) - 1, np.int64)
    n = 0
    for text in range(len(counts)):
        before = n
        at, end = offsets[text], offsets[text + 1]
        while at < end:
            if not ROUGE_LETTER[data[at]]:
                at += 1
                continue
            starts[n] = at
            while at < end and ROUGE_LETTER[data[at]]:
                at += 1
            ends[n] = at
            n += 1
        counts[text] = n - before
    return starts[:n], ends[:n], counts


@jit
def split_into_letters(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> Spans:
    """Find the code points that are not white space."""
    starts, ends = np.empty(len(data), np.int64), np.empty(len(data), np.int64)
    counts = np.empty(len(offsets) - 1, np.int64)
    n = 0
    for text in range(len(counts)):
        before = n
        at, end = offsets[text], offsets[text + 1]
        while at < end:
            if MAY_START_SPACE[data[at]]:
                width = space_width(data, at, end)
                if width:
                    at += width
                    continue
            starts[n] = at
            at += 1
            while at < end and data[at] & 0xC0 == 0x80:
                at += 1
            ends[n] = at
            n += 1
        counts[text] = n - before
    return starts[:n], ends[:n], counts


@jit
def split_off_punctuation(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> Spans:
    """Find the words of `str.split()`, each with at most one punctuation mark split off."""
    word_starts, word_ends, word_counts = split_at_white_space(data, offsets)
    starts, ends = np.empty(2 * len(word_starts), np.int64), np.empty(2 * len(word_starts), np.int64)
    counts = np.empty(len(word_counts), np.int64)
    n, word = 0, 0
    for text in range(len(word_counts)):
        before = n
        for _ in range(word_counts[text]):
            start, end = word_starts[word], word_ends[word]
            word += 1
            cut = start
            if end - start > 1 and PUNCTUATION[data[end - 1]]:
                cut = end - 1
            elif end - start > 1 and PUNCTUATION[data[start]]:
                cut = start + 1
            if cut > start:
                starts[n], ends[n] = start, cut
                n += 1
                start = cut
            starts[n], ends[n] = start, end
            n += 1
        counts[text] = n - before
    return starts[:n], ends[:n], counts


@jit
def split_at_every_space(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> Spans:
    """Find the pieces between spaces (only U+0020), including empty ones."""
    most = len(data) + len(offsets)
    starts, ends = np.empty(most, np.int64), np.empty(most, np.int64)
    counts = np.empty(len(offsets) - 1, np.int64)
    n = 0
    for text in range(len(counts)):
        before = n
        begin, end = offsets[text], offsets[text + 1]
        for at in range(begin, end + 1):
            if at == end or data[at] == SPACE:
                starts[n], ends[n] = begin, at
                n += 1
                begin = at + 1
        counts[text] = n - before
    return starts[:n], ends[:n], counts
