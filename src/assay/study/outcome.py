"""What a run leaves behind: results.json, score tables, tables, figures, and the report."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from assay import __version__
from assay.io.results import plain_json, rows_as_csv, write_text
from assay.report.html import Section, page
from assay.report.markup import latex_table
from assay.report.pieces import Part, Table
from assay.study.file import Study
from assay.study.runner import Finished

RESULTS = "results.json"


def write_outcome(study: Study, finished: Sequence[Finished], folder: Path) -> Path:
    """Write everything into the folder, remove what an earlier run left and this one has not, return the report."""
    parts = [step.part for step in finished if step.part is not None]
    contents = {name: text for part in parts for name, text in _files(part)}
    before = _listed(folder / RESULTS)
    for name, text in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_text(text, folder / name)
    results = plain_json(_results(study, finished, sorted(contents)))
    write_text(json.dumps(results, ensure_ascii=False, indent=2, allow_nan=False) + "\n", folder / RESULTS)
    for name in before - set(contents):
        (folder / name).unlink(missing_ok=True)
    facts = {"data": study.data, "seed": str(study.seed), "resamples": str(study.resamples), "assay": __version__}
    sections = [Section(step.name, step.part, step.failure) for step in finished]
    report = folder / "report.html"
    write_text(page(study.title, facts, sections), report)
    return report


def _files(part: Part) -> Iterator[tuple[str, str]]:
    """The files of one part: where each belongs, and what is in it."""
    for name, text in part.scores.items():
        yield f"scores/{name}.csv", text
    for table in part.tables:
        rows = [dict(zip(table.header, row, strict=True)) for row in table.rows]
        yield f"tables/{table.name}.csv", rows_as_csv(rows)
        yield f"tables/{table.name}.tex", _latex(table)
    for picture in part.pictures:
        yield f"figures/{picture.name}.svg", picture.svg


def _latex(table: Table) -> str:
    gaps = [[float("nan") if cell is None else cell for cell in row] for row in table.rows]
    return latex_table(table.title, table.header, gaps)


def _listed(path: Path) -> set[str]:
    """The files that an earlier run says it wrote. Only such files are ever removed."""
    try:
        listed = json.loads(path.read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return set()
    return {name for name in listed if name.startswith(("scores/", "tables/", "figures/")) and ".." not in name}


def _results(study: Study, finished: Sequence[Finished], files: Sequence[str]) -> dict[str, Any]:
    return {
        "title": study.title,
        "data": study.data,
        "systems": list(study.systems),
        "seed": study.seed,
        "resamples": study.resamples,
        "assay": __version__,
        "files": list(files),
        "steps": [
            {
                "name": step.name,
                "failure": step.failure or None,
                "answers": step.part.answers if step.part else {},
                "numbers": [number.told(study.seed) for number in step.part.numbers] if step.part else [],
            }
            for step in finished
        ],
    }
