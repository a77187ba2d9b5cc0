"""Read and write score files of mt-metrics-eval, the toolkit of the WMT metrics tasks.

    SET/metric-scores/PAIR/METRIC-REF.LEVEL.score     REF: the references used, `src` for none, `all` for all
    SET/human-scores/PAIR.NAME.LEVEL.score
    SET/documents/PAIR.docs                           a line DOMAIN DOCUMENT per segment

LEVEL is `seg` or `sys` (other levels are ignored). A line is a system and a score, `None` for a gap; a segment file has
a block of lines per system, in segment order. Segments are identified only by position: items are named after the
document if every segment has its own, else numbered from 1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.io.atomic import replacing
from assay.io.paths import is_file, is_folder, text_of
from assay.io.results import make_folder
from assay.scores import Column, Gaps, ScoreTable
from assay.text.strings import Strings

LEVELS = {"seg": "output", "sys": "system"}
HUMAN = "human."
"""Prefix of the columns of human scores."""

NOT_SCORED = "not in the score file"
GAP = "None in the score file"
_WITH_REFERENCE = re.compile(r".+-[^-]+")


def is_mtme_folder(path: str | Path) -> bool:
    """Whether a folder contains metric score files, such as SET/metric-scores/PAIR."""
    path = Path(path)
    return is_folder(path) and any(True for level in LEVELS for _ in path.glob(f"*.{level}.score"))


def read_mtme(folder: str | Path, level: str = "seg") -> ScoreTable:
    """Read the metric scores of a folder, and the matching human scores, at one level.

    The folder is SET/metric-scores/PAIR; columns are named after their files, human scores `human.NAME`.
    """
    folder = Path(folder)
    if level not in LEVELS:
        raise DataError(f"no level {level!r} in mt-metrics-eval. Known: {', '.join(LEVELS)}.")
    files = _files(folder, level)
    if not files:
        raise DataError(
            f"{folder}: no files named METRIC-REF.{level}.score. Name a folder such as metric-scores/en-de."
        )
    problems: list[str] = []
    blocks = {name: _blocks(path, problems) for name, path in files.items()}
    _check_lengths(files, blocks, level, problems)
    if problems:
        raise DataError(problems)
    systems = list(dict.fromkeys(system for scores in blocks.values() for system in scores))
    n = max((len(block) for scores in blocks.values() for block in scores.values()), default=0)
    items = segment_names(folder.parent.parent, folder.name, n) if level == "seg" else [""]
    columns = {}
    for name, scores in blocks.items():
        rows = [scores.get(system) for system in systems]
        values = np.concatenate([np.full(n, np.nan) if row is None else np.array(row) for row in rows])
        absent = np.repeat([row is None for row in rows], n)
        gaps = Gaps.where(len(values), {NOT_SCORED: absent, GAP: np.isnan(values)})
        columns[name] = Column(name, values, gaps)
    names = [system for system in systems for _ in range(n)]
    units = [f"{system}/{item}" for system in systems for item in items] if level == "seg" else systems
    return ScoreTable(LEVELS[level], Strings.of(units), Strings.of(items * len(systems)), Strings.of(names), columns)


def write_mtme(
    table: ScoreTable, folder: str | Path, pair: str, *, human: Sequence[str] = (), reference: str = "all"
) -> list[str]:
    """Write a table as SET/metric-scores/PAIR and SET/human-scores, and item names as SET/documents.

    Segment scores are written at both levels, with system scores aggregated as everywhere. Columns in `human`, and
    those named `human.NAME`, are human. A metric without -REF in its name gets `reference`. Returns notes for the user.
    """
    folder = Path(folder)
    if not re.fullmatch(r"[^/\s.]+", pair):
        raise DataError(f"the pair {pair!r} must be one word, such as en-de.")
    unknown = sorted(set(human) - set(table.columns))
    if unknown:
        raise DataError(f"no column {unknown[0]!r} to write as human scores.")
    levels = {"output": ("seg", "sys"), "system": ("sys",)}.get(table.kind)
    if levels is None:
        raise DataError(f"mt-metrics-eval has scores of segments and systems, not of {table.kind}s.")
    notes = []
    for level in levels:
        scores = table if table.kind == LEVELS[level] else table.by_system()
        systems, items, position = _grid(scores, level)
        for name, column in scores.columns.items():
            path = _path(folder, pair, name, level, human, reference)
            values = column.values[position.clip(0)]
            values[position < 0] = np.nan
            _write(path, systems, values)
            if np.isnan(values).any() and path.parent.name == pair:
                notes.append(f"{path.name} contains None: mt-metrics-eval accepts gaps only in human scores")
        if level == "seg":
            notes += _write_documents(folder, pair, items)
    return notes


def _files(folder: Path, level: str) -> dict[str, Path]:
    """Column name to file: the metrics of the folder, then the human scores of its pair."""
    ending = f".{level}.score"
    files = {path.name.removesuffix(ending): path for path in sorted(folder.glob(f"*{ending}"))}
    for path in sorted((folder.parent.parent / "human-scores").glob(f"{folder.name}.*{ending}")):
        files[HUMAN + path.name.removesuffix(ending).removeprefix(f"{folder.name}.")] = path
    return files


def human_segment_scores(root: Path, pair: str, n: int) -> dict[str, dict[str, list[float]]]:
    """The human scores of segments by name and system, NaN for a gap; a file that does not fit is an error."""
    ending = ".seg.score"
    files = {
        path.name.removesuffix(ending).removeprefix(f"{pair}."): path
        for path in sorted((root / "human-scores").glob(f"{pair}.*{ending}"))
    }
    problems: list[str] = []
    scores = {name: _blocks(path, problems) for name, path in files.items()}
    for name, by_system in scores.items():
        problems += [
            f"{files[name].name}: system {system!r} has {len(block)} scores, not {n}. Give one per segment."
            for system, block in by_system.items()
            if len(block) != n
        ]
    if problems:
        raise DataError(problems)
    return scores


def _blocks(path: Path, problems: list[str]) -> dict[str, list[float]]:
    """The scores of each system, in file order."""
    blocks: dict[str, list[float]] = {}
    for number, line in enumerate(_lines(path), 1):
        cells = line.split("\t") if "\t" in line else line.split()
        if not line.strip():
            continue
        score = _score(cells[1]) if len(cells) == 2 else None
        if score is None:
            problems.append(f"{path.name} line {number}: {line!r} is not a system and a score (or None), with a tab.")
            continue
        blocks.setdefault(cells[0].strip(), []).append(score)
    return blocks


def _lines(path: Path) -> list[str]:
    """Lines end only at line feeds, so that no other character splits a name."""
    return [line.removesuffix("\r") for line in text_of(path).split("\n")]


def _score(cell: str) -> float | None:
    if cell.strip() == "None":
        return float("nan")
    try:
        score = float(cell)
    except ValueError:
        return None
    return score if np.isfinite(score) and "_" not in cell else None


def _check_lengths(
    files: dict[str, Path], blocks: dict[str, dict[str, list[float]]], level: str, problems: list[str]
) -> None:
    lengths = [len(block) for scores in blocks.values() for block in scores.values()]
    usual = 1 if level == "sys" else max(set(lengths), key=lengths.count, default=0)
    for name, scores in blocks.items():
        problems += [
            f"{files[name].name}: system {system!r} has {len(block)} scores, not {usual}. Give one per segment, "
            "None for a gap."
            for system, block in scores.items()
            if len(block) != usual
        ]


def segment_names(root: Path, pair: str, n: int) -> list[str]:
    """The names of the segments of a pair: documents if each has its own, else numbers from 1."""
    numbers = [str(k + 1) for k in range(n)]
    documents = root / "documents" / f"{pair}.docs"
    if not is_file(documents):
        return numbers
    names = [line.split()[-1] for line in _lines(documents) if line.strip()]
    return names if len(set(names)) == n == len(names) else numbers


def _grid(table: ScoreTable, level: str) -> tuple[list[str], list[str], NDArray[np.int64]]:
    """Systems, items, and the row of each (system, item), -1 where there is none."""
    names = table.system.to_list() if level == "seg" else table.unit.to_list()
    items = table.item.to_list() if level == "seg" else [""] * len(table)
    systems, segments = list(dict.fromkeys(names)), list(dict.fromkeys(items))
    if level == "seg" and ("" in systems or "" in segments):
        raise DataError("mt-metrics-eval identifies a segment by system and item, and some rows lack one of them.")
    bad = next((name for name in systems if re.search(r"\s", name)), None)
    if bad is not None:
        raise DataError(f"the system {bad!r} has a space in its name, which score files do not allow. Rename it.")
    system_row = {name: k for k, name in enumerate(systems)}
    item_row = {name: k for k, name in enumerate(segments)}
    position = np.full(len(systems) * len(segments), -1, np.int64)
    for row, (system, item) in enumerate(zip(names, items, strict=True)):
        cell = system_row[system] * len(segments) + item_row[item]
        if position[cell] >= 0:
            raise DataError(
                f"system {system!r} has two outputs for item {item!r}; a score file allows one. Keep one, or average."
            )
        position[cell] = row
    return systems, segments, position


def _path(folder: Path, pair: str, name: str, level: str, human: Sequence[str], reference: str) -> Path:
    if "/" in name:
        raise DataError(f"the column {name!r} has a slash in its name, which a file name cannot contain. Rename it.")
    if name in human or name.startswith(HUMAN):
        return folder / "human-scores" / f"{pair}.{name.removeprefix(HUMAN)}.{level}.score"
    if not _WITH_REFERENCE.fullmatch(name):
        name = f"{name}-{reference}"
    return folder / "metric-scores" / pair / f"{name}.{level}.score"


def _write(path: Path, systems: list[str], values: NDArray[np.float64]) -> None:
    make_folder(path.parent)
    blocks = values.reshape(len(systems), -1)
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
        for system, block in zip(systems, blocks.tolist(), strict=True):
            file.writelines(f"{system}\t{'None' if score != score else repr(score)}\n" for score in block)


def _write_documents(folder: Path, pair: str, items: list[str]) -> list[str]:
    if items == [str(k + 1) for k in range(len(items))]:
        return []
    if any(re.search(r"\s", item) for item in items):
        return ["items have spaces in their names, so the files identify them only by position"]
    path = folder / "documents" / f"{pair}.docs"
    make_folder(path.parent)
    with replacing(path) as temporary:
        temporary.write_text("".join(f"all\t{item}\n" for item in items), encoding="utf-8")
    return []
