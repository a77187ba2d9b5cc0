"""Score tables as files: `unit,item,system,<evaluators>`, a row per unit; a gap is an empty cell."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from assay.errors import DataError
from assay.io.arrow import arrow, strings_to_arrow
from assay.io.atomic import replacing
from assay.scores import ScoreTable

ENDINGS = (".csv", ".parquet")


def check_score_path(path: Path) -> None:
    """Refuse, before any work is done, a file that scores cannot be written to."""
    if path.suffix.lower() not in ENDINGS:
        raise DataError(f"{path}: scores are written as {' or '.join(ENDINGS)}. Choose one of these endings.")
    if not path.parent.is_dir():
        raise DataError(f"{path.parent}: no such folder. Make it first.")


def write_scores(table: ScoreTable, path: Path) -> None:
    """Write a score table; the ending says how."""
    check_score_path(path)
    with replacing(path) as temporary:
        if path.suffix.lower() == ".csv":
            _write_csv(table, temporary)
        else:
            _write_parquet(table, temporary)


def _write_csv(table: ScoreTable, path: Path) -> None:
    columns = [column.values for column in table.columns.values()]
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["unit", "item", "system", *table.columns])
        for row, names in enumerate(zip(table.unit, table.item, table.system, strict=True)):
            scores = (float(values[row]) for values in columns)
            writer.writerow([*names, *("" if score != score else repr(score) for score in scores)])


def _write_parquet(table: ScoreTable, path: Path) -> None:
    pa = arrow()
    names = {"unit": table.unit, "item": table.item, "system": table.system}
    arrays = {name: strings_to_arrow(values) for name, values in names.items()}
    for name, column in table.columns.items():
        arrays[name] = pa.array(column.values, mask=np.isnan(column.values))
    import pyarrow.parquet as pq

    pq.write_table(pa.table(arrays), path)
