"""Run a case as a user would, in this process, and hold it to the rules."""

from __future__ import annotations

import csv
import io
import json
import os
import resource
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from assay import AssayError, Dataset, load, save
from assay.cli import main
from assay.records.flat import FIELDS
from tests.fuzz.cases import Case

# Seconds of this process, and of the clock: one for what computes for ever, the other for what waits for ever.
MOST_SECONDS, MOST_WAITING = 60, 300
# What a case may take above what the process has (some 400 MB): address space, of which little is used.
MOST_BYTES = 2**31


NAMES = ("id", "item", "system", "set", "text")


class Hang(BaseException):
    """A case that does not end. Not an Exception, so that nothing takes it for an error of its own."""


def broken_rule(case: Case) -> str:
    """Run a case and return what it does wrong, nothing where it does not."""
    try:
        with _deadline():
            if case.records is not None:
                return _made(case.records)
            code, out, err = _run(case.args)
    except Hang as hang:
        return f"hangs: {_last_lines(hang)}"
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"traceback: {_last_lines(error)}"
    if code not in (0, 1, 2):
        return f"exit code {code}"
    if code == 1 and "assay: " not in err:
        return f"exit code 1 without a message: {err[:200]!r}"
    if "out of memory" in err:
        return "takes all memory"
    if code != 0 and out and "--json" in case.args:
        return f"exit code {code}, and yet an answer on stdout: {out[:200]!r}"
    if "\x1b" in err or ("\x1b" in out and "--json" not in case.args and case.args[0] != "init"):
        return f"control characters of the data on the terminal: {(err + out)[:300]!r}"
    if case.converted and code == 0:
        try:
            return altered(*case.converted, plain="--from" not in case.args)
        except Exception as error:
            return f"traceback when read again: {_last_lines(error)}"
    return ""


def _made(records: list[Any]) -> str:
    """Make a data set in Python, and write it: it comes back, or an error of ours says why not."""
    try:
        dataset = Dataset.from_records(records)
    except AssayError:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        for ending in SAID:
            save(dataset, Path(folder) / f"x{ending}")
            if load(Path(folder) / f"x{ending}") != dataset:
                return f"altered: written as {ending} and read again, the data set is another"
    return ""


def altered(source: Path, out: Path, *, plain: bool) -> str:
    """Say what is different in a converted file; nothing where it says the same."""
    if plain and load(source) != load(out):
        return "altered: read again, the data set is another"
    if plain and source.suffix == out.suffix and source.suffix in SAID:
        before, after = SAID[source.suffix](source), SAID[out.suffix](out)
        if all(record["text"] is None for record in before):
            return ""  # a format of another project, whose columns have other names
        if len(before) != len(after):
            return f"altered: {len(before)} lines became {len(after)}"
        for old, new in zip(before, after, strict=True):
            for name, value in old.items():
                if not _is_same(value, new.get(name)):
                    return f"altered: {name} was {value!r}, is {new.get(name)!r}"
    return ""


def _is_same(old: Any, new: Any) -> bool:
    """Compare a value that went in with one that came out, as far as formats have types."""
    if old is None or old == "" or old != old:
        return new in (None, "")
    if isinstance(old, str):
        return bool(old == new)
    if isinstance(old, bool | int | float):
        return new is not None and (new == old or new in (str(old), json.dumps(old)))
    return json.loads(new) == json.loads(json.dumps(old)) if isinstance(new, str) else new == old


def _lines_said(path: Path) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in path.read_bytes().decode("utf-8-sig").split("\n") if line.strip()]
    return [_kept(record, params=record.get("params") or {}) for record in found]


def _cells_said(path: Path) -> list[dict[str, Any]]:
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ",", strict=True)
        return [_kept(row, params={}) for row in rows]


def _rows_said(path: Path) -> list[dict[str, Any]]:
    table = pq.read_table(path)
    texts = [name for name in table.column_names if table.schema.field(name).type in ("string", "large_string")]
    return [_kept(row, params={}) for row in table.select(texts).to_pylist()]


def _kept(record: dict[str, Any], params: dict[str, Any]) -> dict[str, Any]:
    """What a line says that must stand on the same line again: its text, names that it gives, and further columns."""
    named = {
        name: record[name] for name in ("id", "item", "system", "set", "text") if record.get(name) not in (None, "")
    }
    further = {name: value for name, value in record.items() if name not in FIELDS and not name.startswith("params.")}
    named = {name: str(value) if isinstance(value, int) else value for name, value in named.items()}
    return {"text": record.get("text")} | named | further | {f"params.{name}": value for name, value in params.items()}


SAID = {".jsonl": _lines_said, ".csv": _cells_said, ".tsv": _cells_said, ".parquet": _rows_said}


def _run(args: list[str]) -> tuple[int, str, str]:
    """Call the command line as the shell does; stdout and stderr must be UTF-8."""
    streams = [
        io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors=errors) for errors in ("strict", "backslashreplace")
    ]
    before = sys.argv, sys.stdout, sys.stderr
    sys.argv = ["assay", *args]
    sys.stdout, sys.stderr = streams
    try:
        main()
        code: Any = 0
    except SystemExit as stop:
        code = stop.code or 0
    finally:
        sys.argv, sys.stdout, sys.stderr = before
    for stream in streams:
        stream.flush()
    out, err = (stream.buffer.getvalue().decode() for stream in streams)  # type: ignore[attr-defined]
    return code, out, err


@contextmanager
def _deadline() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise Hang

    kinds = ((signal.SIGPROF, signal.ITIMER_PROF, MOST_SECONDS), (signal.SIGALRM, signal.ITIMER_REAL, MOST_WAITING))
    before = [signal.signal(number, stop) for number, _, _ in kinds]
    memory = resource.getrlimit(resource.RLIMIT_AS)
    for _, timer, seconds in kinds:
        signal.setitimer(timer, seconds)
    resource.setrlimit(resource.RLIMIT_AS, (_in_use() + MOST_BYTES, memory[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, memory)
        for (number, timer, _), handler in zip(kinds, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


def _in_use() -> int:
    """The address space of this process, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _last_lines(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    own = [f"{os.path.relpath(frame.filename)}:{frame.lineno}" for frame in frames if "assay" in frame.filename]
    return f"{type(error).__name__}({str(error)[:200]}) at {' < '.join(reversed(own[-3:]))}"
