"""A list of texts per row: the references of an item, the choices of a game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.ragged import Ragged, running_offsets
from assay.text.strings import Strings

# Never occurs in UTF-8, so it can terminate a text inside a key without ambiguity.
_END = np.uint8(0xFF)


@dataclass(frozen=True, eq=False)
class StringLists:
    """Row i holds the texts offsets[i] to offsets[i + 1]."""

    texts: Strings
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Iterable[Sequence[str]]) -> StringLists:
        """Pack lists of Python strings."""
        rows = list(rows)
        lengths = np.fromiter((len(row) for row in rows), np.int64, len(rows))
        return cls(Strings.of(text for row in rows for text in row), running_offsets(lengths))

    @classmethod
    def empty(cls, n: int) -> StringLists:
        """Make n empty lists."""
        return cls(Strings.empty(0), np.zeros(n + 1, np.int64))

    @classmethod
    def concatenate(cls, parts: Sequence[StringLists]) -> StringLists:
        """Concatenate columns."""
        if not parts:
            return cls.of(())
        texts = [part.texts.slice(int(part.offsets[0]), int(part.offsets[-1])) for part in parts]
        lengths = np.concatenate([np.diff(part.offsets) for part in parts])
        return cls(Strings.concatenate(texts), running_offsets(lengths))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> list[str]:
        return self.texts.slice(int(self.offsets[row]), int(self.offsets[row + 1])).to_list()

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Texts per row."""
        return np.diff(self.offsets)

    @property
    def numbers(self) -> Ragged:
        """The positions in `texts` of each list."""
        return Ragged(np.arange(len(self.texts)), self.offsets)

    def take(self, rows: NDArray[Any]) -> StringLists:
        """Return the lists at `rows`, in that order."""
        chosen = self.numbers.take(rows)
        return StringLists(self.texts.take(chosen.values), chosen.offsets)

    def keys(self) -> Strings:
        """One byte string per row, equal if and only if the lists are equal. Not decodable."""
        lengths = self.texts.lengths
        ends = running_offsets(lengths + 1)
        data = np.full(ends[-1], _END, np.uint8)
        self.texts.copy_to(data, ends[:-1])
        return Strings(data, ends[self.offsets])
