"""Scores of sets from a CSV file: an id and a number a line."""

from __future__ import annotations

import csv
from pathlib import Path

from assay.errors import DataError

IDS = ("set", "unit", "id")


def read_set_scores(path: Path) -> dict[str, float]:
    """Read `set,score` (or `unit,...,score`, as `assay score -o` writes it). An empty cell is a gap.

    The score is the column called `score`, else the last one.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file))
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read as a CSV file ({error}).") from None
    header = rows[0] if rows else []
    known = [name for name in IDS if name in header]
    if not known or len(header) < 2:
        raise DataError(f"{path} line 1: scores of sets need a column set (or unit) and one with the score.")
    key, score = header.index(known[0]), header.index("score") if "score" in header else len(header) - 1
    scores: dict[str, float] = {}
    problems = []
    for line, row in enumerate(rows[1:], 2):
        if not row:
            continue
        try:
            cell = row[score].strip()
            if row[key] in scores:
                problems.append(f"{path} line {line}: the set {row[key]!r} has a score already. Remove one.")
            scores[row[key]] = float(cell) if cell else float("nan")
        except (IndexError, ValueError):
            problems.append(f"{path} line {line}: {','.join(row)!r} has no number where the score should be.")
    if problems:
        raise DataError(problems)
    return scores
