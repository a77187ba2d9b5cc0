"""Stems of a vocabulary: each distinct word is stemmed once."""

import numpy as np
from numpy.typing import NDArray

from assay.text.porter import stem
from assay.text.strings import Strings


def stem_numbers(vocabulary: Strings, longer_than: int = 0) -> NDArray[np.int32]:
    """Return a number per word, equal where the Porter stems are; words of `longer_than` letters or fewer stay."""
    numbers: dict[str, int] = {}
    found = (numbers.setdefault(stem(word) if len(word) > longer_than else word, len(numbers)) for word in vocabulary)
    return np.fromiter(found, np.int32, len(vocabulary))
