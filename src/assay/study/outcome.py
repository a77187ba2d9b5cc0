"""What a run leaves behind: results.json, tables, figures, and the report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay import __version__
from assay.io.results import plain_json, write_rows, write_text
from assay.report.html import Section, page
from assay.report.markup import latex_table
from assay.study.file import Study
from assay.study.runner import Finished


def write_outcome(study: Study, finished: Sequence[Finished], folder: Path) -> Path:
    """Write everything into the folder and return the report's path."""
    for name in ("tables", "figures"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for step in finished:
        if step.part is None:
            continue
        for table in step.part.tables:
            rows = [dict(zip(table.header, row, strict=True)) for row in table.rows]
            write_rows(rows, folder / "tables" / f"{table.name}.csv")
            blank = [[float("nan") if cell is None else cell for cell in row] for row in table.rows]
            write_text(latex_table(table.title, table.header, blank), folder / "tables" / f"{table.name}.tex")
        for picture in step.part.pictures:
            write_text(picture.svg, folder / "figures" / f"{picture.name}.svg")
    results = json.dumps(plain_json(_results(study, finished)), ensure_ascii=False, indent=2, allow_nan=False)
    write_text(results + "\n", folder / "results.json")
    facts = {"data": study.data, "seed": str(study.seed), "resamples": str(study.resamples), "assay": __version__}
    sections = [Section(step.name, step.part, step.failure) for step in finished]
    report = folder / "report.html"
    write_text(page(study.title, facts, sections), report)
    return report


def _results(study: Study, finished: Sequence[Finished]) -> dict[str, Any]:
    return {
        "title": study.title,
        "data": study.data,
        "systems": list(study.systems),
        "seed": study.seed,
        "resamples": study.resamples,
        "assay": __version__,
        "steps": [
            {
                "name": step.name,
                "failure": step.failure or None,
                "answers": step.part.answers if step.part else {},
                "numbers": [{**number, "seed": study.seed} for number in step.part.numbers] if step.part else [],
            }
            for step in finished
        ],
    }
