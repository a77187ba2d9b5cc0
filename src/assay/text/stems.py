"""Stems of a vocabulary: each distinct word is stemmed once."""

import numpy as np
from numpy.typing import NDArray

from assay.text.porter import stem
from assay.text.strings import Strings


def stem_numbers(vocabulary: Strings, longer_than: int = 0) -> NDArray[np.int32]:
    """Return an id per word, equal for equal Porter stems; words of `longer_than` letters or fewer are not stemmed."""
    numbers: dict[str, int] = {}
    stem_ids = (
        numbers.setdefault(stem(word) if len(word) > longer_than else word, len(numbers)) for word in vocabulary
    )
    return np.fromiter(stem_ids, np.int32, len(vocabulary))
