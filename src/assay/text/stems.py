"""Stems of words, by Porter's stemmer and by Snowball's: each distinct word of a vocabulary is stemmed once.

Reimplemented because importing nltk takes over a second, and its stemmers longer than whole metrics; tests check that
they agree.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from assay.kernels.bytes.intern import intern
from assay.kernels.bytes.porter import porter_stems
from assay.kernels.bytes.porter2 import porter2_stems
from assay.kernels.bytes.suffixes import Letters
from assay.text.normalizers import lower
from assay.text.strings import Strings

UNSTEMMED = 2
"""Words of so many letters are their own stem."""


def stem_numbers(vocabulary: Strings, longer_than: int = 0) -> NDArray[np.int32]:
    """Return an id per word, equal for equal Porter stems; words of `longer_than` letters or fewer are not stemmed."""
    return _numbers(*_porter(vocabulary, longer_than))


def snowball_numbers(vocabulary: Strings) -> NDArray[np.int32]:
    """Return an id per lowercase word, equal for equal Snowball stems."""
    return _numbers(*porter2_stems(*_letters(vocabulary)))


def porter(words: Strings) -> list[str]:
    """Return the lowercase Porter stem of each word."""
    return _spelled(*_porter(words))


def snowball(words: Strings) -> list[str]:
    """Return the Snowball stem of each lowercase word."""
    return _spelled(*porter2_stems(*_letters(words)))


def _porter(words: Strings, longer_than: int = 0) -> tuple[Letters, NDArray[np.int64]]:
    is_stemmed = np.diff(_letters(words)[1]) > max(UNSTEMMED, longer_than)
    return porter_stems(*_letters(lower(words)), is_stemmed)


def _letters(words: Strings) -> tuple[Letters, NDArray[np.int64]]:
    """The code points of all words, with offsets."""
    data = words.packed
    starts = np.zeros(len(data) + 1, np.int64)
    np.cumsum((data & 0xC0) != 0x80, out=starts[1:])  # not a continuation byte of UTF-8
    letters = np.frombuffer(bytearray(data.tobytes().decode("utf-8").encode("utf-32-le")), np.uint32)
    return letters, starts[words.offsets - words.offsets[0]]


def _numbers(letters: Letters, offsets: NDArray[np.int64]) -> NDArray[np.int32]:
    return intern(letters.view(np.uint8), 4 * offsets)[0]


def _spelled(letters: Letters, offsets: NDArray[np.int64]) -> list[str]:
    text = letters.tobytes().decode("utf-32-le")
    bounds = offsets.tolist()
    return [text[start:end] for start, end in pairwise(bounds)]
