"""Logs of inspect_ai: `.eval` (a zip of JSON) and `.json`.

A sample and epoch is an output of the model, its targets the references, its input the context; epochs of one sample
are a set. The value of a scorer is a column under its name: C, P, I and N (correct, partial, incorrect, no answer) are
the numbers 1, 0.5, 0 and 0, as in inspect_ai's own metrics, with the letter in `NAME.value`. A sample that failed has
an empty text and its error in the column `error`.
"""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.io.arrow import arrow
from assay.io.special.structure import as_written_by
from assay.io.tabular.strict_json import json_of, parse
from assay.records import Dataset

LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
HEADERS = ("header.json", "_journal/start.json")
_ZSTD = 93
_LOCAL_HEADER = struct.Struct("<26xHH")


def recognizes(document: Any) -> bool:
    """Whether a JSON document is a log."""
    return isinstance(document, Mapping) and isinstance(document.get("eval"), Mapping) and "samples" in document


def read_inspect(path: Path) -> Dataset:
    """Read a log in either form."""
    if path.suffix.lower() == ".eval":
        header, samples = _zipped(path)
    else:
        header = json_of(path)
        if not recognizes(header):
            raise DataError(f"{path}: not a log of inspect_ai. It has no eval and samples.")
        samples = header.get("samples") or []
    with as_written_by("inspect_ai", path):
        about = header["eval"]
        records = [_record(sample, about, path) for sample in samples]
    if not records:
        raise DataError(f"{path}: a log without samples. Log them (log_samples), or give the log of a finished run.")
    return Dataset.from_records(records, path.name, default_system=str(about.get("model", path.stem)))


def _record(sample: Any, about: Mapping[str, Any], path: Path) -> dict[str, Any]:
    if not isinstance(sample, Mapping) or "id" not in sample:
        raise DataError(f"{path}: a sample without an id. Is this a log of inspect_ai?")
    model, item = str(about.get("model", path.stem)), f"{about.get('task', path.stem)}/{sample['id']}"
    output = sample.get("output") or {}
    record: dict[str, Any] = {
        "id": f"{item}/{sample.get('epoch', 1)}|{model}",
        "item": item,
        "system": model,
        "context": _said(sample.get("input")),
        "text": _completion(output),
        "params": {key: value for key, value in (about.get("model_generate_config") or {}).items() if _is_plain(value)},
        "output_tokens": (output.get("usage") or {}).get("output_tokens"),
        "error": (sample.get("error") or {}).get("message"),
        "item_columns": {key: value for key, value in (sample.get("metadata") or {}).items() if _is_plain(value)},
        **_scores(sample.get("scores") or {}),
        **_target(sample.get("target"), sample.get("choices")),
    }
    return {name: value for name, value in record.items() if value not in (None, {}, "") or name == "text"}


def _target(target: Any, choices: Any) -> dict[str, Any]:
    """References, or the choices with the one that a letter names."""
    targets = [text for text in (target if isinstance(target, list) else [target]) if isinstance(text, str) and text]
    if not isinstance(choices, list) or not choices:
        return {"references": targets}
    letters = [
        ord(text) - ord("A") for text in targets if len(text) == 1 and "A" <= text < chr(ord("A") + len(choices))
    ]
    return {"choices": list(map(str, choices)), "target": letters[0] if len(letters) == 1 else None}


def _scores(scores: Mapping[str, Any]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for name, score in scores.items():
        value = score.get("value") if isinstance(score, Mapping) else score
        for column, one in (
            ((f"{name}.{key}", part) for key, part in value.items()) if isinstance(value, Mapping) else ((name, value),)
        ):
            if isinstance(one, str) and one in LETTERS:
                columns |= {column: LETTERS[one], f"{column}.value": one}
            elif _is_plain(one):
                columns[column] = one
    return columns


def _completion(output: Mapping[str, Any]) -> str:
    if isinstance(output.get("completion"), str):
        return str(output["completion"])
    choices = output.get("choices") or [{}]
    return _said([choices[0].get("message") or {}])


def _said(messages: Any) -> str:
    """A text, or the texts of messages, with a blank line between them."""
    if not isinstance(messages, list):
        return "" if messages is None else str(messages)
    return "\n\n".join(filter(None, (_content(one.get("content")) for one in messages if isinstance(one, Mapping))))


def _content(content: Any) -> str:
    if isinstance(content, list):
        return "".join(
            part["text"] for part in content if isinstance(part, Mapping) and isinstance(part.get("text"), str)
        )
    return content if isinstance(content, str) else ""


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float) and value != ""


def _zipped(path: Path) -> tuple[dict[str, Any], Sequence[Any]]:
    try:
        with zipfile.ZipFile(path) as archive, open(path, "rb") as file:
            names = archive.namelist()
            header = next((name for name in HEADERS if name in names), None)
            if header is None:
                raise DataError(f"{path}: not a log of inspect_ai. It has no header.json.")
            parsed = parse(_entry(archive, file, header).decode())
            samples = [name for name in names if name.startswith("samples/") and name.endswith(".json")]
            return parsed, [parse(_entry(archive, file, name).decode()) for name in samples]
    except (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, UnicodeDecodeError, EOFError) as error:
        raise DataError(
            f"{path}: not a whole .eval file ({error}). Make it again, or write the log as .json."
        ) from None
    except (json.JSONDecodeError, ValueError) as error:
        raise DataError(f"{path}: cannot be read as JSON: {error}") from None


def _entry(archive: zipfile.ZipFile, file: Any, name: str) -> bytes:
    """The content of an entry. Python's zipfile does not know Zstandard, which newer logs are packed with."""
    info = archive.getinfo(name)
    if info.compress_type != _ZSTD:
        return archive.read(name)
    file.seek(info.header_offset)
    lengths = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
    file.seek(sum(lengths), 1)
    packed = file.read(info.compress_size)
    pa = arrow()
    try:
        return b"".join(_blocks(pa.CompressedInputStream(pa.BufferReader(packed), "zstd")))
    except (OSError, pa.ArrowException) as error:
        raise zipfile.BadZipFile(str(error)) from None


def _blocks(stream: Any) -> Iterator[bytes]:
    while block := stream.read(1 << 20):
        yield block
