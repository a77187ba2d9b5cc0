"""Cut flat files into parts line by line, in the memory of one part and a few bytes per output.

A line goes to the part of its item. Where lines say something of their system or of other outputs (people, parameters,
judgments), it could be lost to other parts; such data is loaded instead (`partition`).
"""

from __future__ import annotations

import re
import shutil
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, DataError
from assay.io.arrow import arrow
from assay.io.flat import kinds_of, read_flat, write_flat
from assay.io.parts import DataPart, DataParts, repeated_keys
from assay.io.tabular import Kinds

NOT_ALONE = ("human", "params", "logprobs", "judgments", "criteria")
_KEYS = re.compile(rb'"(' + "|".join(NOT_ALONE).encode() + rb')"\s*:')
ROWS_AT_ONCE = 50_000
Codes = NDArray[np.int64]


def streamed(data: str | Path | Sequence[str | Path], folder: Path, rows: int, ending: str) -> dict[str, int] | None:
    """Write parts to a folder: the outputs of each by name. None if the data must be loaded."""
    try:
        return _streamed(DataParts.find(data).parts, folder, rows, ending)
    except AssayError:
        return None  # what is wrong is said when the data is loaded, with its own files and lines


def _streamed(files: Sequence[DataPart], folder: Path, rows: int, ending: str) -> dict[str, int] | None:
    formats = {file.path.suffix.lower() == ".parquet" for file in files}
    if len(formats) > 1 or any(_says_more(file.path) for file in files):
        return None
    named = [_row_keys(file) for file in files]
    if any(True for _ in repeated_keys([ids for ids, _ in named])):
        return None  # of several files, ids that repeat are told apart
    part_of = _parts(np.concatenate([items for _, items in named]), rows)
    spilled = folder / ".spilled"
    spilled.mkdir()
    start = 0
    for number, ((ids, _), file) in enumerate(zip(named, files, strict=True)):
        _spill(file.path, number, part_of[start : start + len(ids)], spilled)
        start += len(ids)
    sizes = np.bincount(part_of)
    pieces = [sorted(spilled.glob(f"{number:05d}-*")) for number in range(len(sizes))]
    names = [f"part-{number:05d}{ending}" for number in range(len(sizes))]
    if not _write(pieces, [folder / name for name in names], ending):
        return None
    shutil.rmtree(spilled)
    return dict(zip(names, sizes.tolist(), strict=True))


def _says_more(path: Path) -> bool:
    """Whether any line says what other lines need."""
    if path.suffix.lower() != ".parquet":
        with path.open("rb") as file:
            return any(map(_KEYS.search, file))
    import pyarrow.parquet as pq

    try:
        return any(name.partition(".")[0] in NOT_ALONE for name in pq.read_schema(path).names)
    except (arrow().ArrowException, OSError):
        return True


def _row_keys(file: DataPart) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The keys of the id and of the item of each row."""
    found = [(names["id"].keys(), names["item"].keys()) for names in file.named_rows()]
    ids, items = (np.concatenate([names[side] for names in found]) for side in (0, 1))
    if not len(ids):
        raise DataError(f"{file.path}: no outputs.")
    return ids, items


def _parts(item: NDArray[np.uint64], rows: int) -> Codes:
    """The part of each row: items in the order in which they appear, and never in two parts."""
    _, first, group = np.unique(item, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    part_of = np.empty(len(order), np.int64)
    number, filled = 0, 0
    for place, size in zip(order.tolist(), np.bincount(group)[order].tolist(), strict=True):
        if filled and filled + size > rows:
            number, filled = number + 1, 0
        part_of[place] = number
        filled += size
    return np.asarray(part_of[group])


def _spill(path: Path, file_number: int, part_of: Codes, folder: Path) -> None:
    """Copy the rows of a file to a piece for each part, some thousands at a time; lines of all files to one piece."""
    start = 0
    for number, block in enumerate(_blocks(path)):
        parts = part_of[start : start + len(block)]
        start += len(block)
        for part in np.unique(parts).tolist():
            own = np.flatnonzero(parts == part)
            if isinstance(block, list):
                with (folder / f"{part:05d}-.jsonl").open("ab") as file:
                    file.writelines(block[row].rstrip(b"\r\n") + b"\n" for row in own.tolist())
            else:
                import pyarrow.parquet as pq

                pq.write_table(block.take(own), folder / f"{part:05d}-{file_number:05d}-{number:06d}.parquet")


def _blocks(path: Path) -> Iterator[Any]:
    """Lines, or tables."""
    if path.suffix.lower() == ".parquet":
        import pyarrow.parquet as pq

        pa = arrow()
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(ROWS_AT_ONCE):
                yield pa.Table.from_batches([batch])
        return
    with path.open("rb") as lines:
        block = []
        for place, line in enumerate(lines):
            if place == 0:
                line = line.removeprefix(BOM_UTF8)
            if line.strip():
                block.append(line)
            if len(block) == ROWS_AT_ONCE:
                yield block
                block = []
        yield block


def _write(pieces: Sequence[list[Path]], paths: Sequence[Path], ending: str) -> bool:
    """Join the pieces of every part, in the wanted format; False if a column is of one kind here and another there."""
    joined = [_joined(own) for own in pieces]
    if all(path.suffix == ending for path in joined):
        for piece, path in zip(joined, paths, strict=True):
            piece.replace(path)
        return True
    kinds: Kinds | None = None
    for piece in joined if ending == ".parquet" else ():
        kinds = _merged(kinds, kinds_of(read_flat(piece)))
        if kinds is None:
            return False
    for piece, path in zip(joined, paths, strict=True):
        write_flat(read_flat(piece), path, kinds=kinds)
        piece.unlink()
    return True


def _joined(pieces: list[Path]) -> Path:
    """One file of the pieces of a part; lines were appended to one already."""
    if pieces[0].suffix != ".parquet":
        return pieces[0]
    import pyarrow.parquet as pq

    pa = arrow()
    try:
        table = pa.concat_tables([pq.read_table(piece) for piece in pieces], promote_options="permissive")
    except pa.ArrowException as error:
        raise DataError(f"a column is of two kinds: {error}.") from None
    whole = pieces[0].with_name(f"{pieces[0].name.partition('-')[0]}.parquet")
    for piece in pieces:
        piece.unlink()
    pq.write_table(table, whole)
    return whole


def _merged(one: Kinds | None, other: Kinds) -> Kinds | None:
    """The columns of both; None if one of them is of numbers in one and of texts in the other."""
    if one is None:
        return other
    both = {**one, **other}
    for name in one.keys() & other.keys():
        if "number" in (one[name], other[name]) and one[name] != other[name]:
            return None
        both[name] = "marked" if "marked" in (one[name], other[name]) else one[name]
    return both
