"""Write results: records as rows (.jsonl, .csv), and texts such as figures. All writes are atomic."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.io.atomic import replacing, why
from assay.io.tabular.separated import row_writer
from assay.part.model import plain_json

ROW_ENDINGS = (".jsonl", ".csv")


def check_path(path: Path, endings: Sequence[str]) -> None:
    """Reject, before any work is done, a file that cannot be written."""
    if path.suffix.lower() not in endings:
        raise DataError(f"{path}: this is written as {' or '.join(endings)}. Choose one of these endings.")
    if not path.parent.is_dir():
        raise DataError(f"{path.parent}: no such folder. Make it first.")


def write_rows(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write records; a gap is null in JSON lines and an empty cell in CSV, where nested values are JSON."""
    check_path(path, ROW_ENDINGS)
    if path.suffix.lower() == ".csv":
        write_text(as_csv(list(rows[0]) if rows else [], (row.values() for row in rows)), path)
        return
    lines = (json.dumps(plain_json(row), ensure_ascii=False, allow_nan=False) for row in rows)
    write_text("".join(f"{line}\n" for line in lines), path)


def as_csv(header: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """Format rows as CSV with a header, even without rows."""
    text = StringIO(newline="")
    writer = row_writer(text, ".csv")
    if header:
        writer.writerow(header)
    writer.writerows([[_cell(plain_json(value)) for value in row] for row in rows])
    return text.getvalue()


def write_text(text: str, path: Path) -> None:
    """Write a text unchanged."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


def make_folder(folder: Path) -> None:
    """Create a folder and its parents if they do not exist."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise DataError(f"cannot make the folder {folder}: a file is in its way. Choose another folder.") from None
    except OSError as error:
        raise DataError(f"cannot make the folder {folder}: {why(error)}. Choose another folder.") from None


def json_text(value: Any) -> str:
    """Format indented JSON: NaN is null, and infinities are strings.

    Control characters that JSON leaves unescaped are escaped too, because a terminal would interpret them.
    """
    text = json.dumps(plain_json(value), ensure_ascii=False, indent=2, allow_nan=False)
    return re.sub("[\x7f-\x9f]", lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return repr(value) if isinstance(value, float) else str(value)
