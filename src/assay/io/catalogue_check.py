"""Check that a local file matches the catalogue: columns, number of outputs and judgments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.errors import AssayError
from assay.io.catalogue import Entry, digest_of
from assay.io.files import load
from assay.io.tabular.separated import numbered_rows


@dataclass(frozen=True)
class FileCheck:
    """The result. `original` is whether the file is identical to the authors', if its checksum is known."""

    name: str
    status: Literal["ok", "absent", "wrong"]
    notes: tuple[str, ...]
    original: bool | None = None


def check(entry: Entry) -> FileCheck:
    """Compare a dataset with the catalogue. A different SHA-256 is noted, not an error."""
    if not entry.file.is_file():
        return FileCheck(entry.name, "absent", (entry.how_to_get(),))
    try:
        wrong = _differences(entry)
        original = digest_of(entry.file) == entry.sha256 if entry.sha256 else None
    except (AssayError, OSError) as error:
        return FileCheck(entry.name, "wrong", (str(error),))
    if wrong:
        return FileCheck(entry.name, "wrong", tuple(wrong), original)
    notes = ("not identical to the authors' file (worker ids may have been replaced)",) if original is False else ()
    return FileCheck(entry.name, "ok", notes, original)


def _differences(entry: Entry) -> list[str]:
    header = next((cells for _, cells in numbered_rows(entry.file, lambda line, text: None)), [])
    # A file that is no table has no columns to check.
    missing = [column for column in entry.columns if column not in header]
    if missing:
        return [f"no column {', '.join(missing)}"]
    dataset = load(f"data:{entry.name}")
    counts = {"outputs": len(dataset), "judgments": len(dataset.judgments)}
    expected = {"outputs": entry.outputs, "judgments": entry.judgments}
    return [
        f"{counts[what]} {what}, but the catalogue says {expected[what]}"
        for what in counts
        if expected[what] >= 0 and counts[what] != expected[what]
    ]
