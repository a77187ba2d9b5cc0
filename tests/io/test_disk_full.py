"""A full disk: one plain message, exit code 1, nothing half-written and nothing older lost."""

import errno
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from assay.cli import cli
from assay.errors import DataError
from assay.io.atomic import HOST, _tidy, replacing
from assay.io.results import write_rows, write_text
from assay.io.sealed import write_sealed

ROOM = 2000


@contextmanager
def a_full_disk() -> Iterator[None]:
    """Limit files to a few bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "in.jsonl"
    rows = [{"text": f"text number {n}, " + "x" * 200, "system": "s"} for n in range(300)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.mark.parametrize(
    ("command", "target"),
    [
        (["convert", "-o"], "out.csv"),
        (["convert", "-o"], "out.jsonl"),
        (["convert", "-o"], "out.parquet"),
        (["convert", "-o"], "tables"),
        (["score", "-e", "length", "-o"], "out.csv"),
        (["score", "-e", "length", "-o"], "out.parquet"),
        (["demo"], "folder"),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, list) else part,
)
def test_a_command_fails_cleanly(data: str, command: list[str], target: str) -> None:
    given = [] if command == ["demo"] else [data]
    if "." in target:
        Path(target).write_text("precious")
    arguments = [command[0], *given, *command[1:], target]
    with a_full_disk():
        error = CliRunner().invoke(cli, arguments).exception
    assert isinstance(error, DataError), error
    assert str(error).startswith("cannot ") and "File too large. Free space, or choose another location." in str(error)
    assert "\n" not in str(error)
    if "." in target:
        assert Path(target).read_text() == "precious"
    left = {path.name for path in Path().rglob("*") if path.is_file()}
    assert left <= {"in.jsonl", target}


@pytest.mark.parametrize(
    "write",
    [
        lambda path: write_text("<svg/>" * ROOM, path),
        lambda path: write_rows([{"a": "x" * 2 * ROOM}], path.with_suffix(".csv")),
        lambda path: write_sealed(b"x" * 2 * ROOM, path),
    ],
    ids=["text", "rows", "sealed"],
)
def test_a_writer_fails_cleanly(tmp_path: Path, write: Callable[[Path], Any]) -> None:
    with a_full_disk(), pytest.raises(DataError, match=r"cannot write .*: File too large\. Free space"):
        write(tmp_path / "x.svg")
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_is_full_only_when_the_file_is_secured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "x").write_text("precious")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DataError, match="No space left on device"), replacing(tmp_path / "x") as temporary:
        temporary.write_text("new")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["precious"]


@pytest.mark.parametrize("arguments", [["data", "list"], ["data", "list", "--json"], ["--help"]])
def test_printing_to_a_full_disk_is_an_error(arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "assay", *arguments], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1
    assert done.stderr == "assay: cannot write: No space left on device. Free some space, or write elsewhere.\n"


def test_leftovers_of_a_killed_command_are_removed_by_the_next(data: str) -> None:
    child = os.posix_spawn("/bin/true", ["true"], {})
    os.waitpid(child, 0)
    left = Path(f".assay-{HOST}-{child}-abcdefgh.part")
    folder_left = Path(f".assay-{HOST}-{child}-abcdefgi.part")
    running = Path(f".assay-{HOST}-{os.getpid()}-abcdefgh.part")
    elsewhere, long_ago = Path(".assay-elsewhere-1-abcdefgh.part"), Path(".assay-elsewhere-1-abcdefgi.part")
    for path in (left, running, elsewhere, long_ago):
        path.touch()
    os.utime(long_ago, (0, 0))
    (folder_left / "inside").mkdir(parents=True)
    _tidy.cache_clear()
    assert CliRunner().invoke(cli, ["convert", data, "-o", "out.csv"]).exit_code == 0
    assert [path.exists() for path in (left, folder_left, long_ago)] == [False, False, False]
    assert running.exists() and elsewhere.exists()
