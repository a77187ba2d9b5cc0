"""Read a foreign table through a column mapping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.io.mapping.apply import Row, mapped_records
from assay.io.mapping.columns import ColumnMap
from assay.io.mapping.guess import guess_mapping
from assay.io.places import stem
from assay.io.tabular.rows import WORDS, first_rows, read_rows
from assay.io.tabular.separated import has_decimal_commas
from assay.records import Dataset
from assay.records.columns import RawCells
from assay.records.flat import FIELDS, FlatReader

# Rows that a guess looks at.
LOOKED_AT = 1000


def read_mapped(path: Path, mapping: ColumnMap) -> Dataset:
    """Read a file through a mapping."""
    rows = read_rows(path, mapping.rows)
    ending = path.suffix.lower()
    return mapped_dataset(
        rows,
        mapping,
        path.name,
        stem(path),
        untyped=ending in (".csv", ".tsv"),
        decimal_commas=has_decimal_commas(path),
        word=WORDS.get(ending, "line"),
    )


def mapped_dataset(
    rows: Sequence[Row],
    mapping: ColumnMap,
    source: str,
    default_system: str,
    *,
    untyped: bool = False,
    decimal_commas: bool = False,
    word: str = "row",
) -> Dataset:
    """Make a dataset from rows. In `untyped` tables, columns that no field uses are kept as the file has them.

    With `decimal_commas`, the answer 3,5 is a number.
    """
    records, lines = mapped_records(rows, mapping, source, word, decimal_commas=decimal_commas)
    reader = FlatReader(source, default_system, word)
    names = dict.fromkeys(key for record in records for key in record)
    columns: dict[str, Any] = {name: [record.get(name) for record in records] for name in names}
    if untyped:
        for name in names:
            if name not in FIELDS:
                columns[name] = RawCells.of([value or "" for value in columns[name]])
    reader.add_columns(columns, np.array(lines, np.int64))
    return Dataset.from_rows(reader.finish()).with_criteria(mapping.criteria)


def no_text(path: Path, columns: Mapping[str, Any], rows: Sequence[Row] = ()) -> DataError:
    """The error of a file without a column `text`: its columns, and a mapping that would work."""
    rows = rows or first_rows(path, LOOKED_AT)
    guess = guess_mapping(rows, decimal_commas=has_decimal_commas(path))
    problems = [
        f"{path.name}: no column 'text', which a file of outputs has. The columns are {', '.join(map(str, columns))}."
    ]
    if rows and guess.is_usable:
        import shlex

        problems.append(f"This would work: --map {shlex.quote(str(guess.mapping))}")
        problems.append(f"assay init {shlex.quote(str(path))} shows how it is understood.")
    else:
        problems.append("Say which column holds the texts: --map text=COLUMN, or judgments.NAME=COLUMN for ratings.")
    return DataError(problems)
