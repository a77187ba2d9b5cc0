"""Score tables in JSON: one object, whose columns include all their metadata."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.io.paths import text_of
from assay.io.score_columns import ColumnHeader
from assay.io.tabular.strict_json import parse
from assay.scores import Column, Gaps, ScoreTable
from assay.text.strings import Strings

_START = re.compile(r'\ufeff?\s*\{\s*"assay"\s*:\s*"scores"')


def is_scores(path: Path) -> bool:
    """Whether a JSON file starts like a score table."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return _START.match(file.read(200)) is not None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}). Check its permissions.") from None


def write(table: ScoreTable, path: Path) -> None:
    """Write a table. NaN becomes null, and infinities strings."""
    names = {f"{name}s": getattr(table, name).to_list() for name in ("unit", "item", "system")}
    columns = []
    for name, column in table.columns.items():
        gaps = np.where(np.isnan(column.values), column.gaps.codes, 0)
        fields = ColumnHeader.of(table, name).as_json() | {"values": _plain(column.values)}
        if gaps.any():
            fields["gaps"] = gaps.tolist()
        if column.statistics is not None:
            fields["statistics"] = _plain(column.statistics)
        if column.texts is not None:
            fields["texts"] = column.texts.to_list()
        columns.append(fields)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        written = json.dumps({"assay": "scores", **names, "columns": columns}, ensure_ascii=False, allow_nan=False)
        file.write(f"{written}\n")


def read(path: Path) -> ScoreTable:
    """Read a table."""
    try:
        if not is_scores(path):
            raise ValueError('it does not begin with {"assay": "scores"')
        fields = parse(text_of(path))
        columns = {column["column"]: (ColumnHeader.from_json(column), column) for column in fields["columns"]}
        kinds = {about.unit for about, _ in columns.values()}
        if len(kinds) != 1 or len(columns) < len(fields["columns"]):
            raise ValueError("its columns are not different ones about one kind of unit")
        unit, item, system = (_strings(fields[name]) for name in ("units", "items", "systems"))
        if not len(unit) == len(item) == len(system) or len(set(fields["units"])) < len(fields["units"]):
            raise ValueError("its units, items and systems do not match")
        abouts = [about for about, _ in columns.values()]
        return ScoreTable(
            kinds.pop(),
            unit,
            item,
            system,
            {name: _column(about, column, len(unit)) for name, (about, column) in columns.items()},
            abouts[0].seed,
            tuple(dict.fromkeys(note for about in abouts for note in about.notes)),
        )
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}). Check its permissions.") from None
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        why = f"it lacks {error}" if isinstance(error, KeyError) else str(error).split("\n")[0][:200]
        raise DataError(f"{path}: not a readable table of scores ({why}). Write it again.") from None


def _plain(values: NDArray[np.float64]) -> Any:
    if np.isfinite(values).all():
        return values.tolist()
    plain = values.astype(object)
    plain[np.isnan(values)] = None
    for infinity in (np.inf, -np.inf):
        plain[values == infinity] = str(infinity)
    return plain.tolist()


def _strings(texts: Any) -> Strings:
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise TypeError("a list of texts is not one")
    "".join(texts).encode("utf-8")  # raises on a lone surrogate
    return Strings.of(texts)


def _column(about: ColumnHeader, fields: dict[str, Any], n: int) -> Column:
    values = np.array(fields["values"], np.float64)
    codes = np.array(fields.get("gaps", [0] * n))
    if values.shape != (n,) or codes.shape != (n,) or codes.dtype.kind != "i":
        raise ValueError(f"{about.column!r} does not have one score per unit")
    if codes.min(initial=0) < 0 or codes.max(initial=0) >= len(about.reasons):
        raise ValueError(f"{about.column!r} has gaps without a reason")
    if not (np.isnan(values) >= (codes != 0)).all():
        raise ValueError(f"{about.column!r} has reasons for gaps where there are scores")
    statistics = None
    if about.n_statistics is not None:
        statistics = np.array(fields["statistics"], np.float64).reshape(n, about.n_statistics)
    texts = _strings(fields["texts"]) if "texts" in fields else None
    if texts is not None and len(texts) != n:
        raise ValueError(f"{about.column!r} does not have one text per unit")
    return about.made(values, Gaps(codes.astype(np.int32), about.reasons), statistics, texts)
