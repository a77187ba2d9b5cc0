"""Normalization before tokenizing, applied block by block to bound memory."""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.kernels.ragged import running_offsets
from assay.text.spaces import space_width
from assay.text.strings import Strings

CONTINUES = 0x80  # top bits of a UTF-8 continuation byte


def lower(texts: Strings) -> Strings:
    """Lowercase, as `str.lower()`. Only non-ASCII texts go through Python strings."""
    data, offsets = texts.packed, texts.offsets - texts.offsets[0]
    capital = (data >= ord("A")) & (data <= ord("Z"))
    lowered = data + (capital * np.uint8(0x20))
    beyond_ascii = np.flatnonzero(data >= 0x80)
    for row in np.unique(np.searchsorted(offsets, beyond_ascii, side="right") - 1).tolist():
        start, end = offsets[row], offsets[row + 1]
        lowered_text = data[start:end].tobytes().decode("utf-8").lower().encode("utf-8")
        if len(lowered_text) != end - start:  # rare: the lowercase letter has a different number of bytes
            return Strings.of(text.lower() for text in texts)
        lowered[start:end] = np.frombuffer(lowered_text, np.uint8)
    return Strings(lowered, offsets)


def rstrip(texts: Strings) -> Strings:
    """Strip trailing white space, as `str.rstrip()`; sacrebleu's BLEU does so first."""
    lengths = _stripped_lengths(texts.data, texts.offsets)
    offsets = running_offsets(lengths)
    if offsets[-1] == len(texts.packed):
        return texts
    source = np.repeat(texts.offsets[:-1] - offsets[:-1], lengths)
    return Strings(texts.data[source + np.arange(offsets[-1])], offsets)


@jit
def _stripped_lengths(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    lengths = np.empty(len(offsets) - 1, np.int64)
    for text in range(len(lengths)):
        end = offsets[text + 1]
        while end > offsets[text]:
            at = end - 1
            while at > offsets[text] and data[at] & 0xC0 == CONTINUES:
                at -= 1
            if space_width(data, at, end) != end - at:
                break
            end = at
        lengths[text] = end - offsets[text]
    return lengths
