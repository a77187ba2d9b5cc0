"""Score tables as files: `unit,item,system,<evaluators>`, a row per unit; a gap is an empty cell."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path

import numpy as np

from assay.errors import DataError
from assay.io.arrow import arrow, strings_to_arrow
from assay.io.atomic import replacing
from assay.io.results import write_text
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
    if path.suffix.lower() == ".csv":
        write_text(scores_as_csv(table), path)
        return
    with replacing(path) as temporary:
        _write_parquet(table, temporary)


def scores_as_csv(table: ScoreTable) -> str:
    """Write a score table as CSV."""
    columns = [["" if score != score else repr(score) for score in c.values.tolist()] for c in table.columns.values()]
    text = StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["unit", "item", "system", *table.columns])
    writer.writerows(zip(table.unit, table.item, table.system, *columns, strict=True))
    return text.getvalue()


def _write_parquet(table: ScoreTable, path: Path) -> None:
    pa = arrow()
    names = {"unit": table.unit, "item": table.item, "system": table.system}
    arrays = {name: strings_to_arrow(values) for name, values in names.items()}
    for name, column in table.columns.items():
        arrays[name] = pa.array(column.values, mask=np.isnan(column.values))
    import pyarrow.parquet as pq

    pq.write_table(pa.table(arrays), path)
