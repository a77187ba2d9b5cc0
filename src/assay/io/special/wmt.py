"""Texts of mt-metrics-eval: SET/system-outputs/PAIR, with the sources, references and human scores beside it.

    SET/system-outputs/PAIR/SYSTEM.txt    SET/sources/PAIR.txt    SET/references/PAIR.NAME.txt
    SET/human-scores/PAIR.NAME.seg.score  SET/documents/PAIR.docs

Human scores of segments are judgments of the criterion NAME. A system named as a reference is human. Items are named as
in the score tables of `assay mtme`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.io.aligned import text_lines
from assay.io.mtme import human_segment_scores, segment_names
from assay.io.paths import is_file
from assay.records import Dataset

OUTPUTS = "system-outputs"


def is_wmt_folder(path: Path) -> bool:
    """Whether a folder is SET/system-outputs/PAIR."""
    return path.parent.name == OUTPUTS and any(path.glob("*.txt"))


def wmt_files(path: Path) -> list[Path]:
    """All files that `read_wmt` reads."""
    if not is_wmt_folder(path):
        return []
    root, pair = path.parent.parent, path.name
    beside = [root / "sources" / f"{pair}.txt", root / "documents" / f"{pair}.docs"]
    beside += sorted((root / "references").glob(f"{pair}.*.txt"))
    beside += sorted((root / "human-scores").glob(f"{pair}.*.seg.score"))
    return [*sorted(path.glob("*.txt")), *(file for file in beside if is_file(file))]


def read_wmt(path: Path) -> Dataset:
    """Read the outputs of all systems for one language pair."""
    root, pair = path.parent.parent, path.name
    texts = {file.stem: text_lines(str(file)) for file in sorted(path.glob("*.txt"))}
    sources = root / "sources" / f"{pair}.txt"
    named = {file.name.split(".")[-2]: file for file in sorted((root / "references").glob(f"{pair}.*.txt"))}
    references = [text_lines(str(file)) for file in named.values()]
    source_lines = text_lines(str(sources)) if is_file(sources) else []
    sizes = {len(lines) for lines in (*texts.values(), *references, *([source_lines] if source_lines else []))}
    if len(sizes) != 1:
        raise DataError(f"{path}: the files have different numbers of lines ({', '.join(map(str, sorted(sizes)))}).")
    n = sizes.pop()
    items = segment_names(root, pair, n)
    scores = human_segment_scores(root, pair, n)
    records: list[dict[str, Any]] = []
    for system, lines in texts.items():
        for row, text in enumerate(lines):
            record: dict[str, Any] = {
                "id": f"{system}/{items[row]}",
                "item": items[row],
                "system": system,
                "human": system in named,
                "text": text,
            }
            if source_lines and source_lines[row]:
                record["context"] = source_lines[row]
            given = [reference[row] for reference in references if reference[row]]
            judged = [
                {"annotator": name, "criterion": name, "value": by_system[system][row]}
                for name, by_system in scores.items()
                if system in by_system and by_system[system][row] == by_system[system][row]
            ]
            record |= ({"references": given} if given else {}) | ({"judgments": judged} if judged else {})
            records.append(record)
    return Dataset.from_records(records, path.name)
