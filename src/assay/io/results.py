"""Results as files: records by row (.jsonl, .csv) and texts such as figures. They appear whole or not at all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from math import isfinite
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.io.atomic import replacing, why
from assay.io.tabular.separated import row_writer

ROW_ENDINGS = (".jsonl", ".csv")


def check_path(path: Path, endings: Sequence[str]) -> None:
    """Refuse, before any work is done, a file that cannot be written."""
    if path.suffix.lower() not in endings:
        raise DataError(f"{path}: this is written as {' or '.join(endings)}. Choose one of these endings.")
    if not path.parent.is_dir():
        raise DataError(f"{path.parent}: no such folder. Make it first.")


def write_rows(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write records; a gap is null in JSON lines and an empty cell in CSV, a nested value is JSON in its cell."""
    check_path(path, ROW_ENDINGS)
    if path.suffix.lower() == ".csv":
        write_text(as_csv(list(rows[0]) if rows else [], (row.values() for row in rows)), path)
        return
    lines = (json.dumps(plain_json(row), ensure_ascii=False, allow_nan=False) for row in rows)
    write_text("".join(f"{line}\n" for line in lines), path)


def as_csv(header: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """Write rows under a header as CSV; the header is there without rows too."""
    text = StringIO(newline="")
    writer = row_writer(text, ".csv")
    if header:
        writer.writerow(header)
    writer.writerows([[_cell(plain_json(value)) for value in row] for row in rows])
    return text.getvalue()


def write_text(text: str, path: Path) -> None:
    """Write a text as it is."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, where they are not there yet."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise DataError(f"cannot make the folder {folder}: a file is in its way. Choose another folder.") from None
    except OSError as error:
        raise DataError(f"cannot make the folder {folder}: {why(error)}. Choose another folder.") from None


def json_text(value: Any) -> str:
    """Write JSON for people to read: NaN, which JSON does not know, is null, and infinities are texts.

    Control characters that JSON leaves as they are are escaped, since a terminal obeys them.
    """
    text = json.dumps(plain_json(value), ensure_ascii=False, indent=2, allow_nan=False)
    return re.sub("[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


def plain_json(value: Any) -> Any:
    """Make a value fit for JSON: NaN, which JSON does not know, is null, and infinities are texts."""
    if isinstance(value, Mapping):
        return {key: plain_json(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain_json(part) for part in value]
    if isinstance(value, float) and not isfinite(value):
        return None if value != value else str(value)
    return value


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return repr(value) if isinstance(value, float) else str(value)
