"""Aligned text files: a line per item, as machine translation has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.errors import DataError
from assay.io.paths import text_of
from assay.io.places import expanded, stem, unpacked
from assay.records import Dataset


def read_aligned(hypotheses: Sequence[str], references: Sequence[str]) -> Dataset:
    """Read the texts of systems, a file each, and their references; line N of every file is about item N.

    The stem of a file is the name of its system. Empty lines are empty texts, and empty references are none.
    """
    files = [file for name in hypotheses for file in expanded(name)]
    systems = [stem(file) for file in files]
    repeated = sorted({name for name in systems if systems.count(name) > 1})
    if repeated:
        raise DataError(f"two files are named {repeated[0]!r}, and systems are named after files. Rename one.")
    reference_lines = [text_lines(file) for name in references for file in expanded(name)]
    texts = {system: text_lines(file) for system, file in zip(systems, files, strict=True)}
    reference_files = [file for name in references for file in expanded(name)]
    lengths = dict(zip([*files, *reference_files], map(len, [*texts.values(), *reference_lines]), strict=True))
    if len(set(lengths.values())) > 1:
        raise DataError(
            "the files are not aligned: " + ", ".join(f"{file} has {n} lines" for file, n in lengths.items())
        )
    if not texts or not next(iter(lengths.values())):
        raise DataError(f"{files[0]}: no lines. Give a file with a text per line.")
    return Dataset.from_records(
        [
            _record(system, number, text, [lines[number - 1] for lines in reference_lines])
            for system, lines in texts.items()
            for number, text in enumerate(lines, 1)
        ],
        ", ".join(files),
        lines=[number for lines in texts.values() for number in range(1, len(lines) + 1)],
    )


def _record(system: str, number: int, text: str, references: Sequence[str]) -> dict[str, Any]:
    given = [reference for reference in references if reference]
    record: dict[str, Any] = {"id": f"{number}|{system}", "item": str(number), "system": system, "text": text}
    return record | ({"references": given} if given else {})


def text_lines(file: str) -> list[str]:
    """The lines of a file. Only line feeds end one: texts may hold other separators."""
    text = text_of(unpacked(file)).replace("\r\n", "\n")
    return text.removesuffix("\n").split("\n") if text else []
