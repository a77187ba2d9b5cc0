"""Texts as one UTF-8 buffer with offsets: the Arrow layout, without a Python object per text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError, did_you_mean
from assay.kernels.bytes.copy_rows import copy_rows
from assay.kernels.bytes.intern import intern, row_keys
from assay.kernels.bytes.replace import replace
from assay.kernels.ragged import running_offsets


@dataclass(frozen=True, eq=False)
class Strings:
    """A read-only column of texts. `data[offsets[i]:offsets[i + 1]]` holds text i in UTF-8.

    A missing text is the empty text.
    """

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Strings:
        """Pack Python strings. A lone surrogate, which UTF-8 cannot encode, is an error."""
        texts = texts if isinstance(texts, list) else list(texts)
        joined_text = "".join(texts)
        try:
            data = bytearray(joined_text, "utf-8")
        except UnicodeEncodeError as error:
            raise _lone_surrogate(error) from None
        if len(data) == len(joined_text):
            lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        else:
            lengths = np.array([len(text.encode()) for text in texts], np.int64)
        return cls(np.frombuffer(data, np.uint8), running_offsets(lengths))

    @classmethod
    def empty(cls, n: int) -> Strings:
        """Make n empty texts."""
        return cls(np.zeros(0, np.uint8), np.zeros(n + 1, np.int64))

    @classmethod
    def concatenate(cls, parts: Sequence[Strings]) -> Strings:
        """Concatenate columns."""
        if not parts:
            return cls.of(())
        if len(parts) == 1 and type(parts[0]) is cls and parts[0].data.flags.writeable:
            return parts[0]
        lengths = [np.diff(part.offsets) for part in parts]
        data = [part.data[part.offsets[0] : part.offsets[-1]] for part in parts]
        return cls(np.concatenate(data), running_offsets(np.concatenate(lengths)))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> str:
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        index %= len(self)
        return self.data[self.offsets[index] : self.offsets[index + 1]].tobytes().decode("utf-8")

    def __iter__(self) -> Iterator[str]:
        data = self.data.tobytes()
        start = 0 if not len(self) else int(self.offsets[0])
        for end in self.offsets[1:].tolist():
            yield data[start:end].decode("utf-8")
            start = end

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Strings):
            return NotImplemented
        return (
            len(self) == len(other)
            and bool(np.array_equal(self.lengths, other.lengths))
            and bool(np.array_equal(self.packed, other.packed))
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Bytes per text."""
        return np.diff(self.offsets)

    @property
    def packed(self) -> NDArray[np.uint8]:
        """The bytes of all texts, without those outside a slice."""
        return self.data[self.offsets[0] : self.offsets[-1]]

    def slice(self, start: int, stop: int) -> Strings:
        """Return texts start to stop as a view."""
        return Strings(self.data, self.offsets[start : stop + 1])

    def take(self, rows: NDArray[Any]) -> Strings:
        """Return the texts at `rows`, in that order."""
        rows = np.asarray(rows)
        starts, lengths = self.offsets[:-1][rows], self.lengths[rows]
        offsets = running_offsets(lengths)
        data = np.empty(offsets[-1], np.uint8)
        copy_rows(_writable(self.data), starts, lengths, data, offsets[:-1])
        return Strings(data, offsets)

    def copy_to(self, data: NDArray[np.uint8], places: NDArray[np.int64]) -> None:
        """Write the bytes of text i to `data[places[i] :]`."""
        copy_rows(_writable(self.data), self.offsets[:-1], self.lengths, data, places)

    def replace(self, old: str, new: str) -> Strings:
        """Replace `old` by `new` in every text, as `str.replace` does."""
        pattern = old.encode()
        raw = self.packed.tobytes()
        # Searching for single bytes is much faster than for the pattern, and usually rules it out.
        if not all(byte in raw for byte in pattern) or pattern not in raw:
            return self
        # Copies, because read-only arrays would make numba compile a second specialization.
        data, old_bytes, new_bytes = (np.frombuffer(part, np.uint8).copy() for part in (raw, pattern, new.encode()))
        return Strings(*replace(data, self.offsets - self.offsets[0], old_bytes, new_bytes))

    def codes(self) -> NDArray[np.int32]:
        """Return the code of each text: equal for equal texts, numbered by first appearance."""
        return intern(self.data, self.offsets)[0]

    def factorize(self) -> tuple[NDArray[np.int32], Strings]:
        """Return the code of each text, and the distinct texts in code order."""
        codes, first = intern(self.data, self.offsets)
        return codes, self.take(first)

    def keys(self) -> NDArray[np.uint64]:
        """Return a 64-bit key of each text: equal for equal texts, wherever they are, and rarely for others."""
        return row_keys(_writable(self.data), self.offsets)

    def to_list(self) -> list[str]:
        """Return a list of Python strings; for small columns."""
        return list(self)


class LateStrings(Strings):
    """Texts that are written when they are first read, since often nobody reads them."""

    def __init__(self, n: int, write: Callable[[], Strings]) -> None:
        """Hold n texts that `write` will return."""
        self.__dict__.update(_n=n, _write=write, _lock=Lock())

    def __len__(self) -> int:
        return int(self.__dict__["_n"])

    @property
    def _written(self) -> Strings:
        own = self.__dict__
        with own["_lock"]:  # threads may read them at once
            if "_texts" not in own:
                own["_texts"] = own["_write"]()
                assert len(own["_texts"]) == len(self)
                del own["_write"]
            texts: Strings = own["_texts"]
        return texts

    @property
    def data(self) -> NDArray[np.uint8]:
        """The bytes of all texts."""
        return self._written.data

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each text starts, and where the last one ends."""
        return self._written.offsets

    def __reduce__(self) -> tuple[type[Strings], tuple[NDArray[np.uint8], NDArray[np.int64]]]:
        return Strings, (self.data, self.offsets)


def _lone_surrogate(error: UnicodeEncodeError) -> DataError:
    text, at = error.object, error.start
    return DataError(
        f"the text {text[max(at - 20, 0) : at + 20]!r} contains a lone surrogate ({text[at]!r}), half of a character, "
        "which UTF-8 cannot encode. Remove it, or decode the text as UTF-8."
    )


def joined(columns: Sequence[Strings], separator: str) -> Strings:
    """Join the texts of each row: `joined([a, b], "|")` is a[i] + "|" + b[i]."""
    gap = Strings.of([separator])
    parts = [columns[0]]
    for column in columns[1:]:
        parts += [gap.take(np.zeros(len(column), np.int64)), column]
    lengths = np.stack([part.lengths for part in parts], axis=1)
    starts = running_offsets(lengths.ravel())
    data = np.zeros(starts[-1], np.uint8)
    for position, part in enumerate(parts):
        places = np.ascontiguousarray(starts[:-1].reshape(lengths.shape)[:, position])
        part.copy_to(data, places)
    return Strings(data, np.ascontiguousarray(starts[:: len(parts)]))


def _writable(data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A writable array: numba would compile a second specialization for read-only ones."""
    return data if data.flags.writeable else data.copy()


def chosen_rows(column: Strings, wanted: str | Sequence[str], what: str) -> NDArray[np.bool_]:
    """Whether each row has one of the wanted names; a name that no row has is an error."""
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    codes, distinct = column.factorize()
    known = distinct.to_list()
    for name in names:
        if name not in known:
            raise DataError(f"no {what} {name!r}.{did_you_mean(name, known[:1000])}")
    return np.isin(codes, [known.index(name) for name in names])
