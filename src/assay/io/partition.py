"""Cut data into parts that can be scored alone: the outputs of an item, and what judgments compare, stay together."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.io.atomic import replacing_folder
from assay.io.files import Given, load
from assay.io.flat import kinds_of, write_flat
from assay.io.score_parts import MANIFEST
from assay.io.streamed_partition import streamed
from assay.records import JUDGED, Dataset

ENDINGS = (".parquet", ".jsonl")
ROWS = 100_000


@dataclass(frozen=True)
class Partition:
    """What was written: the outputs of each part, by the name of its file."""

    folder: Path
    parts: dict[str, int]

    @property
    def n_outputs(self) -> int:
        """The number of outputs in all parts."""
        return sum(self.parts.values())


def partition(data: Any, output: str | Path, *, rows: int = ROWS, ending: str = ".parquet") -> Partition:
    """Write data as a folder of parts; the folder appears whole or not at all.

    Flat Parquet and JSON-lines files whose lines name their output and system are read part by part, in the memory of
    one part; data with people, parameters, log-probabilities or judgments, and any other format, is loaded.

    Args:
        data: a dataset, or what to read, as `load` takes it.
        output: a folder that does not exist.
        rows: outputs per part, more only where an item has more.
        ending: .parquet or .jsonl.
    """
    if ending not in ENDINGS:
        raise DataError(f"parts are {' or '.join(ENDINGS)} files, not {ending}.")
    if rows < 1:
        raise DataError(f"a part needs at least one row, not {rows}.")
    folder = Path(output)
    if folder.exists():
        raise DataError(f"{folder} exists. Name a folder that does not.")
    with replacing_folder(folder) as temporary:
        paths = _plain_paths(data)
        parts = streamed(paths, temporary, rows, ending) if paths else None
        if parts is None:
            for file in temporary.iterdir():
                shutil.rmtree(file) if file.is_dir() else file.unlink()
            parts = _loaded(data if isinstance(data, Dataset) else load(data), temporary, rows, ending)
        content = {"outputs": sum(parts.values()), "rows": rows, "parts": parts}
        (temporary / MANIFEST).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return Partition(folder, parts)


def _plain_paths(data: Any) -> list[str | Path]:
    """The files to read, if nothing but files was given."""
    if isinstance(data, str | Path):
        return [data]
    if isinstance(data, Given):
        return [] if data.mapping or data.hypotheses or data.systems or data.exclude else list(data.paths)
    return list(data) if isinstance(data, list | tuple) and all(isinstance(one, str | Path) for one in data) else []


def _loaded(dataset: Dataset, folder: Path, rows: int, ending: str) -> dict[str, int]:
    parts, kinds = {}, kinds_of(dataset)
    for number, keep in enumerate(_masks(dataset, rows)):
        name = f"part-{number:05d}{ending}"
        write_flat(dataset.select(keep), folder / name, kinds=kinds)
        parts[name] = int(keep.sum())
    return parts


def _masks(dataset: Dataset, rows: int) -> Iterator[NDArray[np.bool_]]:
    """Which outputs each part has, in the order of the data as far as items allow it."""
    component = _components(dataset)[dataset.outputs.item]
    _, first, group = np.unique(component, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    sizes = np.bincount(group)[order]
    part_of = np.empty(len(order), np.int64)
    number, filled = 0, 0
    for place, size in zip(order.tolist(), sizes.tolist(), strict=True):
        if filled and filled + size > rows:
            number, filled = number + 1, 0
        part_of[place] = number
        filled += size
    part = part_of[group]
    for number in range(int(part.max(initial=-1)) + 1):
        yield part == number


def _components(dataset: Dataset) -> NDArray[np.int64]:
    """The component of each item: items that a judgment compares are in one."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    table = dataset.judgments
    if (table.kind == JUDGED.index("system")).any():
        raise DataError("judgments about whole systems cannot be divided among parts. Score this data as one file.")
    paired = table.other >= 0
    item_of = {JUDGED.index("output"): dataset.outputs.item, JUDGED.index("set"): dataset.sets.item}
    ends: list[list[NDArray[np.int64]]] = [[], []]
    for kind, item in item_of.items():
        chosen = np.flatnonzero(paired & (table.kind == kind))
        for side, codes in zip(ends, (table.unit, table.other), strict=True):
            side.append(item[codes[chosen]])
    left, right = (np.concatenate(side) for side in ends)
    n = len(dataset.items)
    edges = coo_array((np.ones(len(left), np.int8), (left, right)), shape=(n, n))
    return connected_components(edges, directed=False)[1].astype(np.int64)
