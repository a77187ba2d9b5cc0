"""Output files of a run: results.json, score tables, tables, figures, and the report."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

from assay import __version__
from assay.errors import AssayError
from assay.io.results import as_csv, json_text, make_folder, write_text
from assay.io.sealed import kept_content, write_sealed
from assay.part import Part
from assay.part.markup import latex_table
from assay.report.html import Section, page
from assay.study.file import Study
from assay.study.folder import FILE_NAME, KEPT, LISTED, refuse_links
from assay.study.runner import Finished

RESULTS = "results.json"
REPORT = "report.html"
# A sealed list of the files of this run, which the next run may remove.
WRITTEN = f"{KEPT}/files.list"


def write_outcome(study: Study, finished: Sequence[Finished], folder: Path) -> Path:
    """Write all files, remove stale ones of an earlier run, return the path of the report.

    A stale report is removed first and the new one written last: even if a run is killed, a report always belongs to
    the results beside it.
    """
    refuse_links(folder)
    contents = _contents(finished)
    results = json_text(_results(study, finished, sorted(contents)))
    data = study.data if isinstance(study.data, str) else ", ".join(study.data)
    facts = {"data": data, "seed": str(study.seed), "resamples": str(study.resamples), "assay": __version__}
    sections = [Section(step.name, step.part, step.failure) for step in finished]
    report = page(study.title, facts, sections, results=results)
    if not _holds(folder / REPORT, report):
        (folder / REPORT).unlink(missing_ok=True)
    # The list always covers every file on disk, so that a killed run leaves no orphans.
    for name in _listed(folder / WRITTEN) - set(contents):
        with suppress(OSError, ValueError):
            (folder / name).unlink()
    make_folder(folder / KEPT)
    write_sealed(json.dumps(sorted(contents)).encode(), folder / WRITTEN, name=Path(WRITTEN).name)
    write_text(results, folder / RESULTS)
    for name, text in contents.items():
        make_folder((folder / name).parent)
        write_text(text, folder / name)
    write_text(report, folder / REPORT)
    return folder / REPORT


def _holds(path: Path, text: str) -> bool:
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return False


def _contents(finished: Sequence[Finished]) -> dict[str, str]:
    """The text of each file, by name; refuses two files of one name."""
    contents: dict[str, str] = {}
    owner: dict[str, str] = {}
    for step in finished:
        for name, text in _files(step.part) if step.part else ():
            if name in contents:
                raise AssayError(f"both [{owner[name]}] and [{step.name}] write {name}. Leave one of the steps out.")
            contents[name], owner[name] = text, step.name
    return contents


def _files(part: Part) -> Iterator[tuple[str, str]]:
    """Path and content of the files of one part."""
    for name, text in part.scores.items():
        yield f"scores/{name}.csv", text
    for table in part.tables:
        yield f"tables/{table.name}.csv", as_csv(*table.flat())
        if not table.in_file:
            yield f"tables/{table.name}.tex", latex_table(table)
    for picture in part.pictures:
        yield f"figures/{picture.name}.svg", picture.drawing.svg(picture.name)


def _listed(path: Path) -> set[str]:
    """The files that an earlier run wrote, the only ones that are ever removed."""
    content = kept_content(path)
    try:
        listed = [] if content is None else json.loads(content)
    except ValueError:
        listed = []
    names = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    return {name for name in names if _is_in_folders(PurePosixPath(name).parts)}


def _is_in_folders(parts: Sequence[str]) -> bool:
    return len(parts) == 2 and parts[0] in LISTED and FILE_NAME.fullmatch(parts[1]) is not None


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
                "numbers": [number.to_json(study.seed) for number in step.part.numbers] if step.part else [],
            }
            for step in finished
        ],
    }
