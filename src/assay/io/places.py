"""Where data comes from: files, patterns, standard input, and compressed files.

Compressed files and standard input are unpacked into a temporary folder that is removed on exit: data is read more
than once, and every reader wants a plain file.
"""

from __future__ import annotations

import gzip
import os
import shutil
import sys
import tempfile
import zlib
from functools import cache
from glob import glob, has_magic
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.io.arrow import arrow
from assay.io.paths import existing

STDIN = "-"
PACKED = (".gz", ".zst")
# How content tells its format, for standard input.
_MAGIC = {b"PAR1": ".parquet", b"\x1f\x8b": ".gz", b"(\xb5/\xfd": ".zst", b"ARROW1": ".arrow"}
_PEEK = 1 << 16


def expanded(name: str) -> list[str]:
    """The files that a pattern such as `runs/*.jsonl` matches; any other name alone."""
    if not has_magic(name) or os.path.exists(name):
        return [name]
    files = sorted(glob(name, recursive=True))
    if not files:
        raise DataError(f"{name}: no file matches. Check the folder, and quote the pattern.")
    return files


def unpacked(path: str | Path) -> Path:
    """The plain file behind a name: itself, or what standard input or a compressed file holds."""
    if str(path) == STDIN:
        return _stdin()
    if Path(path).suffix.lower() not in PACKED:
        return Path(path)
    path = existing(path)
    if path.is_dir():
        return path
    state = path.stat()
    return _unpacked(path.absolute(), state.st_mtime_ns, state.st_size)


def stem(path: str | Path) -> str:
    """The name of a file without its endings: `gpt4` of `gpt4.jsonl.gz`."""
    name = Path(path)
    return Path(name.stem).stem if name.suffix.lower() in PACKED else name.stem


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="assay-")


@cache
def _unpacked(path: Path, _changed: int, _size: int) -> Path:
    # The name of the folder is kept: sample logs name their model by it.
    target = Path(tempfile.mkdtemp(dir=_folder().name)) / (path.parent.name or "root") / path.stem
    target.parent.mkdir()
    try:
        with _opened(path) as packed, open(target, "wb") as plain:
            shutil.copyfileobj(packed, plain)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{path.name}: not a whole gzip file ({error}). Make it again.") from None
    except OSError as error:
        if error.errno is not None:
            raise
        raise DataError(f"{path.name}: not a whole {path.suffix} file ({error}). Make it again.") from None
    if not target.suffix:
        return target.rename(target.with_name(target.name + _ending(target)))
    return target


def _opened(path: Path) -> Any:
    if path.suffix.lower() == ".gz":
        return gzip.open(path)
    pa = arrow()
    return pa.CompressedInputStream(pa.OSFile(str(path)), "zstd")


@cache
def _stdin() -> Path:
    """Standard input as a file named after what it holds."""
    stream = sys.stdin.buffer if sys.stdin is not None else None
    if stream is None or stream.isatty():
        raise DataError("- is standard input, and nothing is piped into it. Write: ... | assay score - -e length")
    target = Path(tempfile.mkdtemp(dir=_folder().name)) / "stdin"
    with open(target, "wb") as plain:
        shutil.copyfileobj(stream, plain)
    file = target.rename(target.with_name("stdin" + _ending(target)))
    return unpacked(file)


def _ending(path: Path) -> str:
    """The ending that fits the content of a file."""
    with open(path, "rb") as file:
        start = file.read(_PEEK)
    for magic, ending in _MAGIC.items():
        if start.startswith(magic):
            return ending
    first = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if first.startswith(b"["):
        return ".json"
    if first.startswith(b"{"):
        line = first.partition(b"\n")[0].rstrip()
        return ".jsonl" if line.endswith(b"}") and len(line) > 1 else ".json"
    header = first.partition(b"\n")[0]
    return ".tsv" if header.count(b"\t") > header.count(b",") else ".csv"
