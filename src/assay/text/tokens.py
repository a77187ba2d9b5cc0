"""Texts as integer tokens, and the loop that produces them: split a block of bytes, intern its tokens, repeat."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.kernels.bytes.intern import Interner
from assay.kernels.ragged import running_offsets
from assay.text.strings import Strings

BLOCK = 1 << 18  # bytes per block: fits the CPU cache and bounds memory


@dataclass(frozen=True, eq=False)
class Tokens:
    """Text i has the tokens `ids[offsets[i]:offsets[i + 1]]`; token k is `vocabulary[k]`.

    Ids are numbered by first appearance.
    """

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]
    vocabulary: Strings

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens per text."""
        return np.diff(self.offsets)

    def spell(self, text: int) -> list[str]:
        """Return the tokens of one text as Python strings; for tests and debugging."""
        return [self.vocabulary[token] for token in self.ids[self.offsets[text] : self.offsets[text + 1]].tolist()]


Split = Callable[[NDArray[np.uint8], NDArray[np.int64]], tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]
"""A compiled splitter: (data, offsets) -> (start and end of each token in data, tokens per text)."""


def split_with(texts: Strings, split: Split, prepare: Callable[[Strings], Strings] | None = None) -> Tokens:
    """Tokenize with a compiled splitter; `prepare` rewrites texts before they are split."""
    interner = Interner()
    ids: list[NDArray[np.int32]] = []
    lengths: list[NDArray[np.int64]] = []
    for block in blocks(texts):
        if prepare is not None:
            block = prepare(block)
        starts, ends, counts = split(block.data, block.offsets)
        ids.append(interner.add(block.data, starts, ends))
        lengths.append(counts)
    return Tokens(
        np.concatenate(ids) if ids else np.zeros(0, np.int32),
        running_offsets(np.concatenate(lengths) if lengths else np.zeros(0, np.int64)),
        Strings(*interner.strings),
    )


def blocks(texts: Strings) -> Iterator[Strings]:
    """Cut a column into copies of about `BLOCK` bytes; writable, so that each splitter is compiled only once."""
    row = 0
    while row < len(texts):
        reach = texts.offsets[row] + BLOCK
        stop = max(row + 1, int(np.searchsorted(texts.offsets, reach, side="right")) - 1)
        offsets = texts.offsets[row : stop + 1]
        yield Strings(texts.data[offsets[0] : offsets[-1]].copy(), offsets - offsets[0])
        row = stop
