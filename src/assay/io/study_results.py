"""The numbers of finished studies: `results.json` of their output folders."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.part import Number

FILE = "results.json"


@dataclass(frozen=True)
class StudyResults:
    """The numbers of a study, by step."""

    path: Path
    title: str
    steps: Mapping[str, tuple[Number, ...]]


def load_results(path: str | Path) -> StudyResults:
    """Read the results of a study from its output folder, or from the file itself."""
    given = Path(path)
    file = given / FILE if given.is_dir() else given
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
        return StudyResults(given, str(stored["title"]), dict(_steps(stored)))
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise DataError(f"{file}: {why}. Give the output folder of `assay run`.") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise DataError(
            f"{file} does not hold the results of a study. Give the output folder of `assay run`."
        ) from None


def _steps(stored: Mapping[str, Any]) -> Iterator[tuple[str, tuple[Number, ...]]]:
    for step in stored["steps"]:
        yield str(step["name"]), tuple(map(Number.from_json, step["numbers"]))
