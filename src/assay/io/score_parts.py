"""Scores in parts: a folder with a Parquet file of scores per part of the data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.io import score_parquet
from assay.io.atomic import replacing, why
from assay.io.paths import is_file, is_folder
from assay.io.score_tables import check_names, describes_scores, read_scores
from assay.scores import Column, ScoreTable
from assay.text.strings import Strings

MANIFEST = "manifest.json"


def save_part(table: ScoreTable, path: Path, about: Mapping[str, str]) -> None:
    """Write the scores of a part with what is known about them; the file appears whole or not at all."""
    check_names(table)
    with replacing(path) as temporary:
        score_parquet.write(table, temporary, about)


def stored_about_part(path: Path) -> dict[str, str]:
    """What `save_part` stored; nothing if there is no such file, or it is damaged."""
    return score_parquet.about(path) if is_file(path) else {}


def open_score_folder(folder: Path, question: Mapping[str, Any]) -> None:
    """Make a folder for the answers to a question; one that answers another question is refused."""
    manifest = folder / MANIFEST
    try:
        folder.mkdir(exist_ok=True)
        stored = json.loads(manifest.read_text(encoding="utf-8")) if manifest.exists() else None
        others = [file.name for file in folder.iterdir() if not file.name.startswith(".")] if stored is None else []
    except FileNotFoundError:
        raise DataError(f"{folder.parent}: no such folder. Make it first.") from None
    except OSError as error:
        raise DataError(f"cannot write {folder}: {why(error)}. Choose another name or location.") from None
    except ValueError:
        raise DataError(f"{manifest}: damaged. Remove it with the scores beside it, and score again.") from None
    if others:
        raise DataError(f"{folder} holds other files ({sorted(others)[0]}). Name a new folder for the scores.")
    if stored is not None and stored != question:
        differ = [key for key in question if stored.get(key) != question[key]]
        was, wanted = (json.dumps(one.get(differ[0])) if differ else "other" for one in (stored, question))
        raise DataError(
            f"{folder} answers another question: {differ[0] if differ else 'it'} is {was} there, and {wanted} here. "
            "Name another folder, or remove this one."
        )
    if stored is None:
        with replacing(manifest) as temporary:
            temporary.write_text(json.dumps(dict(question), indent=1) + "\n", encoding="utf-8")


def is_score_folder(path: str | Path) -> bool:
    """Whether a folder holds scores in parts."""
    return is_folder(path) and is_file(Path(path) / MANIFEST) and any(map(describes_scores, score_files(Path(path))))


def score_files(folder: Path) -> list[Path]:
    """The parts, in order."""
    return sorted(file for file in folder.glob("*.parquet") if not file.name.startswith("."))


def read_score_folder(folder: Path) -> ScoreTable:
    """Read scores in parts as one table."""
    tables = [read_scores(file) for file in score_files(folder)]
    if not tables:
        raise DataError(f"{folder}: no scores. Score the data again.")
    first = tables[0]
    for file, table in zip(score_files(folder), tables, strict=True):
        if list(table.columns) != list(first.columns):
            raise DataError(f"{file}: other columns than in {score_files(folder)[0].name}. Score the data again.")
    return replace(
        first,
        unit=Strings.concatenate([table.unit for table in tables]),
        item=Strings.concatenate([table.item for table in tables]),
        system=Strings.concatenate([table.system for table in tables]),
        columns={name: Column.concatenate([table[name] for table in tables]) for name in first.columns},
        notes=tuple(dict.fromkeys(note for table in tables for note in table.notes)),
    )
