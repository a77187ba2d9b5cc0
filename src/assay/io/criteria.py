"""Criteria declared in a TOML file, one table each."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.io.paths import existing_file, text_of
from assay.io.toml import parse_toml
from assay.records.criteria import Criteria, Criterion, read_criterion


def read_criteria(path: str | Path) -> Criteria:
    """Read a file of criteria; all its problems are reported together."""
    path = existing_file(path)
    criteria, problems = criteria_of(parse_toml(text_of(path), path.name))
    if problems:
        raise DataError([f"{path.name}: [{name}] {why}" for name, why in problems.items()])
    return criteria


def criteria_of(tables: Mapping[str, Any]) -> tuple[dict[str, Criterion], dict[str, str]]:
    """The valid criteria, and the problems of the others by name."""
    criteria: dict[str, Criterion] = {}
    problems: dict[str, str] = {}
    for name, table in tables.items():
        try:
            criteria[name] = read_criterion(name, table)
        except ValueError as error:
            problems[name] = str(error)
    return criteria, problems
