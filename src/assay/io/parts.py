"""Data in parts: a folder, or a pattern, of flat Parquet or JSON-lines files that are one dataset together.

A part is read alone, so every line names its output and its system; ids are unique over all parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.io.arrow import arrow, strings_from_arrow
from assay.io.flat import read_flat
from assay.io.part_fields import EVERYTHING, Fields, only, rows_of, word_counts
from assay.io.paths import existing, is_folder
from assay.io.places import expanded
from assay.io.tabular import read_chunks
from assay.records import Dataset
from assay.records.columns import IS_REFERENCE
from assay.records.flat import FIELDS, FlatReader
from assay.text.strings import Strings, joined

ENDINGS = (".parquet", ".jsonl", ".ndjson")
HUMAN = {"true", "1", "1.0"}
NO_MARKS = {"false", "no", "0", "0.0", "nan", ""}
REMEDY = "`assay partition` writes parts that have all of it."


@dataclass(frozen=True)
class DataPart:
    """One file of data in parts. Its path is absolute: workers may be in other folders."""

    path: Path
    n_bytes: int
    changed: int

    @classmethod
    def of(cls, path: Path) -> DataPart:
        """Describe a file."""
        state = existing(path).stat()
        return cls(path.absolute(), state.st_size, state.st_mtime_ns)

    @property
    def name(self) -> str:
        """What the part is called: its file without the ending."""
        return self.path.stem

    @property
    def identity(self) -> str:
        """Changes whenever the file does."""
        return f"{self.path.name}:{self.n_bytes}:{self.changed}"

    def load(self, read: Fields = EVERYTHING) -> Dataset:
        """Read the part alone, or some fields of it."""
        return read_flat(self.path) if read == EVERYTHING else DataParts((self,), self.path.name).load(read)

    def names(self) -> PartNames:
        """Read the names in the part, and nothing else of a Parquet file."""
        return PartNames.of(self.path, self._named())

    def item_keys(self) -> dict[str, NDArray[np.uint64]]:
        """The key of each item, and by field that of its context, its choices and its references in their order.

        0 where it has none.
        """
        items = self.load().items
        found = {"id": items.id.keys(), "context": np.where(items.context.lengths > 0, items.context.keys(), 0)}
        for field, texts in (("choices", items.choices), ("references", items.references)):
            found[field] = np.where(texts.lengths > 0, texts.keys().keys(), 0)
        return found

    def ids_with(self, key: np.uint64) -> list[str]:
        """The ids with a key."""
        ids = self._named()["id"]
        return ids.take(np.flatnonzero(ids.keys() == key)).to_list()

    def named_rows(self) -> Iterator[dict[str, Strings]]:
        """The names in each row, some rows at a time; the item and the set as they are without a name of their own."""
        chunks = _parquet_names(self.path) if self.path.suffix.lower() == ".parquet" else _line_names(self.path)
        for chunk in chunks:
            items = _first_given([chunk["item"], chunk["context"], chunk["id"]])
            sets = _first_given([chunk["set"], joined([items, chunk["system"]], "|")])
            yield {**chunk, "item": items, "set": sets}

    def _named(self) -> dict[str, Strings]:
        chunks = list(self.named_rows())
        return {name: Strings.concatenate([chunk[name] for chunk in chunks]) for name in NAMED}


NAMED = ("id", "item", "system", "set", "context", "human", IS_REFERENCE)


@dataclass(frozen=True, eq=False)
class PartNames:
    """Keys of the ids, items and sets of a part, equal for equal names.

    And the number of outputs of each system, which systems are human, and whether any output is marked a reference.
    """

    id: NDArray[np.uint64]
    item: NDArray[np.uint64]
    set: NDArray[np.uint64]
    n_of_system: Mapping[str, int]
    humans: frozenset[str]
    has_marks: bool

    @classmethod
    def of(cls, path: Path, columns: dict[str, Strings]) -> PartNames:
        """Check that every output and its system are named, and make the keys."""
        for name, what in (("id", "output"), ("system", "system")):
            blank = np.flatnonzero(columns[name].lengths == 0)
            if len(blank):
                raise DataError(
                    f"{path.name} row {blank[0] + 1}: no {name}. In a part every line names its {what}; {REMEDY}"
                )
        items, sets = columns["item"], columns["set"]
        marks = {mark.lower() for mark in columns[IS_REFERENCE].factorize()[1]}
        codes, systems = columns["system"].factorize()
        human, answers = columns["human"].factorize()
        says_human = np.array([answer.lower() in HUMAN for answer in answers], np.bool_)[human]
        humans = frozenset(systems.take(np.unique(codes[says_human])))
        n_of_system = dict(zip(systems, np.bincount(codes, minlength=len(systems)).tolist(), strict=True))
        keys = columns["id"].keys(), np.unique(items.keys()), np.unique(sets.keys())
        return cls(*keys, n_of_system, humans, bool(marks - NO_MARKS))


@dataclass(frozen=True)
class DataParts:
    """All parts, in the order of their names."""

    parts: tuple[DataPart, ...]
    where: str

    @classmethod
    def find(cls, paths: str | Path | Sequence[str | Path]) -> DataParts:
        """Find the parts in a folder, or among the files that a pattern or several names give."""
        named = [paths] if isinstance(paths, str | Path) else list(paths)
        files = [file for name in named for file in _files(name)]
        names = [file.stem for file in files]
        for name in names:
            if names.count(name) > 1:
                raise DataError(f"two parts are called {name}. Rename one: their scores go to a file of that name.")
        return cls(tuple(map(DataPart.of, files)), ", ".join(map(str, named)))

    def __len__(self) -> int:
        return len(self.parts)

    @property
    def n_bytes(self) -> int:
        """The size of all files."""
        return sum(part.n_bytes for part in self.parts)

    @property
    def identity(self) -> str:
        """Changes whenever any file does."""
        return blake2b("\0".join(part.identity for part in self.parts).encode(), digest_size=16).hexdigest()

    def check_columns(self) -> None:
        """Refuse Parquet parts whose columns differ; of JSON lines any key may be left out."""
        schemas = {
            part: names
            for part in self.parts
            if part.path.suffix.lower() == ".parquet" and (names := _schema(part.path))
        }
        first = next(iter(schemas), None)
        problems = []
        for part, names in schemas.items():
            assert first is not None
            for one, other, has, lacks in (
                (names, schemas[first], part, first),
                (schemas[first], names, first, part),
            ):
                extra = sorted(one - other)
                if extra:
                    columns = ", ".join(map(repr, extra[:5]))
                    problems.append(
                        f"{has.path.name} has {columns}, and {lacks.path.name} has not. Give both the same columns."
                    )
        if problems:
            raise DataError(problems)

    def load(self, read: Fields = EVERYTHING, system: str | None = None) -> Dataset:
        """Read all parts as one dataset, in this process: what is `read` of each line, of all systems or of one."""
        try:
            return self._together(read, system)
        except DataError:
            for part in self.parts:
                read_flat(part.path)  # what is wrong with a part alone is told with its file and line
            raise

    def _together(self, read: Fields, system: str | None) -> Dataset:
        reader = FlatReader(self.where, word="row")
        n, words = 0, []
        for part in self.parts:
            for chunk in read_chunks(part.path, reader.problem, FIELDS):
                columns, lines = chunk.columns, np.arange(n + 1, n + len(chunk.lines) + 1)
                n += len(lines)
                if system is not None:
                    columns, rows = rows_of(columns, system)
                    lines = lines[rows]
                if "logprobs" in read and "text" not in read:
                    words.append(word_counts(columns["text"]))
                reader.add_columns(columns if read == EVERYTHING else only(columns, len(lines), read), lines)
        found = reader.finish()
        if words:
            counted = np.where(found.outputs.n_tokens < 0, np.concatenate(words), found.outputs.n_tokens)
            found = replace(found, outputs=replace(found.outputs, n_tokens=counted))
        return Dataset.from_rows(found)


def is_folder_of_parts(path: str | Path) -> bool:
    """Whether a folder holds data files of one format, and no other files that are not hidden."""
    return is_folder(path) and bool(_in_folder(Path(path)))


def _files(name: str | Path) -> list[Path]:
    path = Path(name)
    if is_folder(path):
        files = _in_folder(path)
        if not files:
            raise DataError(f"{path}: no parts. A folder of parts holds .parquet or .jsonl files, all of one kind.")
        return files
    files = [existing(file) for file in expanded(str(name))]
    for file in files:
        if file.suffix.lower() not in ENDINGS:
            raise DataError(
                f"{file}: parts are {', '.join(ENDINGS)} files. `assay partition` makes them of other data."
            )
    return files


def _in_folder(path: Path) -> list[Path]:
    files = sorted(file for file in path.iterdir() if not file.name.startswith((".", "_")))
    data = [file for file in files if file.suffix.lower() in ENDINGS]
    others = [file for file in files if file not in data and file.name != "manifest.json"]
    return [] if others or len({file.suffix.lower() for file in data}) != 1 else data


def _first_given(columns: Sequence[Strings]) -> Strings:
    """Row by row, the first of several columns that is not empty."""
    every = Strings.concatenate(columns)
    n = len(columns[0])
    row = np.arange(n)
    for _ in columns[:-1]:
        row = np.where(every.lengths[row] == 0, row + n, row)
    return every.take(row)


def _schema(path: Path) -> frozenset[str]:
    """The columns of a Parquet file, none if it cannot be read."""
    pa = arrow()
    import pyarrow.parquet as pq

    try:
        return frozenset(pq.read_schema(path).names)
    except (pa.ArrowException, OSError):
        return frozenset()


def _parquet_names(path: Path) -> list[dict[str, Strings]]:
    pa = arrow()
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            present = [name for name in NAMED if name in file.schema_arrow.names]
            _check_named(path, present)
            # Contexts are long, and name an item only where nothing else does.
            wanted = [name for name in present if name != "context" or "item" not in present]
            table = file.read(wanted)
    except (pa.ArrowException, OSError) as error:
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(
            f"{path.name}: not a readable Parquet file ({why}). It may be damaged: make it again."
        ) from None
    columns = {name: strings_from_arrow(table[name].cast(pa.large_string())) for name in wanted}
    return [{name: columns.get(name, Strings.empty(table.num_rows)) for name in NAMED}]


def _line_names(path: Path) -> Iterator[dict[str, Strings]]:
    reader = FlatReader(path.name)
    n_found = 0
    for chunk in read_chunks(path, reader.problem, FIELDS):
        reader.raise_problems()
        n = len(chunk.lines)
        if n:
            _check_named(path, chunk.columns)
        n_found += n
        yield {name: _strings(chunk.columns.get(name), n) for name in NAMED}
    reader.raise_problems()
    if not n_found:
        raise DataError(f"{path.name}: no outputs. Remove the file, or give it a line.")


def _strings(values: Any, n: int) -> Strings:
    if isinstance(values, Strings):
        return values
    return Strings.of("" if value is None else str(value) for value in (values if values is not None else [None] * n))


def _check_named(path: Path, columns: Any) -> None:
    for name in ("id", "system"):
        if name not in columns:
            raise DataError(f"{path.name}: no column {name}. In parts every line has an id and a system; {REMEDY}")


def repeated_keys(keys: Sequence[NDArray[np.uint64]]) -> Iterator[tuple[np.uint64, int, int]]:
    """The keys that two parts share, or one has twice, each with the numbers of two of these parts."""
    flat = np.concatenate(keys) if keys else np.zeros(0, np.uint64)
    flat.sort()
    repeated = np.unique(flat[1:][flat[1:] == flat[:-1]])
    del flat  # most data has none, and as many keys as outputs
    found = [one[np.isin(one, repeated)] for one in keys] if len(repeated) else []
    part = np.repeat(np.arange(len(found)), [len(one) for one in found])
    flat = np.concatenate(found) if found else np.zeros(0, np.uint64)
    order = np.argsort(flat, kind="stable")
    again = np.flatnonzero(flat[order][1:] == flat[order][:-1])
    for place in again.tolist():
        yield flat[order[place]], int(part[order[place]]), int(part[order[place + 1]])
