"""Rows of foreign tables as objects: cells of CSV stay texts, JSON and Arrow values keep their types."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.io.arrow import arrow
from assay.io.paths import existing_file, text_of
from assay.io.tabular.class_labels import with_class_names
from assay.io.tabular.json_lines import objects
from assay.io.tabular.separated import numbered_rows, unique_header
from assay.io.tabular.strict_json import TOO_DEEP, Unusable, check, decoder, json_of

Row = tuple[int, Mapping[str, Any]]
WORDS = {".json": "record", ".parquet": "row", ".arrow": "row"}  # what the numbers count, where it is not lines
ENDINGS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".arrow")
_BLANK = " \t\r\n"
REMEDY = 'Write one object per output: [{"item": "q1", "system": "gpt2", "text": "..."}, ...].'


def read_rows(path: Path, place: str = "") -> list[Row]:
    """Read all rows, numbered by line, or by row in JSON arrays, Parquet and Arrow; bad lines are reported together.

    `place` is the path of the records in a JSON document, such as `results[]`, if they are not its elements.
    """
    problems: list[str] = []
    rows = list(_rows(path, problems, place))
    if problems:
        raise DataError(problems)
    if not rows:
        raise DataError(f"{path.name}: no rows. Give a file with at least one.")
    return rows


def first_rows(path: Path, n: int, place: str = "") -> list[Row]:
    """The first good rows of a file, without its problems; none of a file that cannot be read."""
    rows: list[Row] = []
    try:
        for row in _rows(path, [], place):
            rows.append(row)
            if len(rows) == n:
                break
    except (DataError, OSError):
        pass
    return rows


def _rows(path: Path, problems: list[str], place: str) -> Iterator[Row]:
    def problem(line: int, text: str) -> None:
        problems.append(f"{path.name} line {line}: {text}")

    ending = path.suffix.lower()
    if ending in (".csv", ".tsv"):
        yield from _cells(path, problem)
    elif ending in (".jsonl", ".ndjson"):
        yield from objects(existing_file(path), problem)
    elif ending == ".json":
        yield from json_records(path, place)
    else:
        yield from arrow_rows(path)


def _cells(path: Path, problem: Any) -> Iterator[Row]:
    header: list[str] = []
    for line, cells in numbered_rows(existing_file(path), problem):
        if not header:
            header = unique_header(path, cells)
        elif len(cells) != len(header):
            problem(line, f"{len(cells)} cells, and the header has {len(header)}. Quote cells that contain separators.")
        else:
            yield line, dict(zip(header, cells, strict=True))


def json_records(path: Path, place: str = "") -> Iterator[Row]:
    """The objects of a JSON array, numbered; in a document, of the list at `place` or of its only one."""
    text = text_of(path)
    start = len(text) - len(text.lstrip(_BLANK))
    if text[start : start + 1] == "[" and not place:
        yield from _array(text, start + 1, path)
        return
    document = json_of(path)
    lists = {place: _at(document, place)} if place else _lists_of(document)
    if not place and not lists:
        raise DataError(f"{path.name}: {_without_lists(document)}, not a list of records. {REMEDY}")
    if len(lists) != 1 or not all(isinstance(values, list) for values in lists.values()):
        known = ", ".join(f"rows={name}" for name in _lists_of(document)) or "none"
        where = f"no list at {place!r}" if place else f"{len(lists)} lists of records"
        raise DataError(f"{path.name}: {where}. Say where the records are with --map rows=...; lists here: {known}.")
    for number, record in enumerate(next(iter(lists.values())), 1):
        if not isinstance(record, dict):
            raise DataError(f"{path.name} record {number}: not an object. Write {{...}}.")
        yield number, record


def _array(text: str, at: int, path: Path) -> Iterator[Row]:
    """Decode a JSON array element by element, so that a bad one has its line."""
    line, counted, number = 1, 0, 0
    while True:
        at = _after_blanks(text, at)
        if not number and text[at : at + 1] == "]":
            break
        line, counted = line + text.count("\n", counted, at), at
        try:
            record, at = decoder().raw_decode(text, at)
            check(record, text[counted:at])
        except RecursionError:
            raise DataError(f"{path.name} line {line}: {TOO_DEEP}") from None
        except Unusable as error:
            raise DataError(f"{path.name} line {line}: {error}") from None
        except json.JSONDecodeError as error:
            raise DataError(f"{path.name} line {error.lineno}: not JSON ({error.msg}). Correct the file.") from None
        except ValueError as error:
            raise DataError(f"{path.name} line {line}: not JSON ({error}). Correct the file.") from None
        if not isinstance(record, dict):
            raise DataError(f"{path.name} line {line}: not a JSON object. Write a list of objects.")
        number += 1
        yield number, record
        at = _after_blanks(text, at)
        if text[at : at + 1] != ",":
            break
        at += 1
    if text[at : at + 1] != "]" or text[at + 1 :].strip(_BLANK):
        line += text.count("\n", counted, at)
        raise DataError(f"{path.name} line {line}: not JSON (the list does not end). Correct the file.")


def _after_blanks(text: str, at: int) -> int:
    while text[at : at + 1] and text[at] in _BLANK:
        at += 1
    return at


def _lists_of(document: Any) -> dict[str, list[Any]]:
    """The lists of objects in a document, at its top or one level below, by path."""
    found: dict[str, list[Any]] = {}
    levels = [("", document)] if isinstance(document, dict) else []
    levels += [(f"{name}.", value) for _, outer in levels for name, value in outer.items() if isinstance(value, dict)]
    for prefix, outer in levels:
        for name, value in outer.items():
            if isinstance(value, list) and value and all(isinstance(part, dict) for part in value):
                found[f"{prefix}{name}"] = value
    return found


def _without_lists(document: Any) -> str:
    if not isinstance(document, dict):
        return json.dumps(document)[:40]
    keys = [json.dumps(key, ensure_ascii=False) for key in document]
    return (
        f"an object with the keys {', '.join(keys[:3])}{' ...' if len(keys) > 3 else ''}" if keys else "an empty object"
    )


def _at(document: Any, place: str) -> Any:
    for key in place.removesuffix("[]").split("."):
        document = document.get(key) if isinstance(document, dict) else None
    return document


def arrow_rows(path: Path) -> Iterator[Row]:
    """The rows of a Parquet file, an Arrow file or stream, as Python values."""
    pa = arrow()
    done = 0
    try:
        for batch in arrow_batches(path):
            names = unique_header(path, list(batch.schema.names))
            columns = [_python_values(column, name) for column, name in zip(batch.columns, names, strict=True)]
            for values in zip(*columns, strict=True):
                done += 1
                yield done, dict(zip(names, values, strict=True))
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(f"{path}: not readable ({why}). It may be damaged: make it again.") from None


def arrow_batches(path: Path) -> Iterator[Any]:
    """The record batches of a Parquet file, an Arrow file or stream; class labels by their names."""
    return map(with_class_names, _batches(path))


def _batches(path: Path) -> Iterator[Any]:
    pa = arrow()
    if path.suffix.lower() == ".parquet":
        import pyarrow.parquet as pq

        with pq.ParquetFile(path) as file:
            yield from file.iter_batches()
        return
    with pa.OSFile(str(path)) as file:
        is_file = file.read(6) == b"ARROW1"
        file.seek(0)
        if is_file:
            reader = pa.ipc.open_file(file)
            yield from (reader.get_batch(number) for number in range(reader.num_record_batches))
        else:
            yield from pa.ipc.open_stream(file)


def _python_values(column: Any, name: str) -> Sequence[Any]:
    try:
        return [_plain(value, name) for value in column.to_pylist(maps_as_pydicts="strict")]
    except (KeyError, UnicodeDecodeError) as error:
        raise DataError(f"the column {name!r} cannot be read ({error}).") from None


def _plain(value: Any, name: str) -> Any:
    """A value without types that no file of ours holds; bytes must be UTF-8."""
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise DataError(f"the column {name!r} holds bytes, not text. Leave it out.") from None
    if isinstance(value, list):
        return [_plain(part, name) for part in value]
    if isinstance(value, dict):
        return {key: _plain(part, name) for key, part in value.items()}
    return value
