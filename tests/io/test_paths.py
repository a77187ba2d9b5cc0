"""Any path gives a file or a plain error; nothing hangs."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from assay import DataError, Dataset, load, save
from assay.io.documents import named_documents
from assay.io.model_folders import model_folder
from assay.io.mtme import is_mtme_folder, read_mtme
from assay.io.score_tables import is_score_table
from assay.io.special.mturk_mapping import read_mapping
from assay.io.wordnet import open_wordnet
from assay.study.file import read_study


@pytest.fixture
def odd(tmp_path: Path) -> dict[str, str]:
    """Paths that are not files, by kind."""
    os.mkfifo(tmp_path / "pipe.jsonl")
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(str(tmp_path / "socket.jsonl"))
    return {
        "pipe": str(tmp_path / "pipe.jsonl"),
        "socket": str(tmp_path / "socket.jsonl"),
        "device": "/dev/null",
        "too long": str(tmp_path / ("x" * 5000 + ".jsonl")),
        "NUL": "a\0b.jsonl",
        "half a character": "\ud800.jsonl",
        "missing": str(tmp_path / "none.jsonl"),
        "inside a file": str(tmp_path / "pipe.jsonl" / "x.jsonl"),
    }


ODD = ("pipe", "socket", "device", "too long", "NUL", "half a character", "missing", "inside a file")


@pytest.mark.parametrize("kind", ODD)
def test_paths_that_are_not_files_are_rejected(odd: dict[str, str], kind: str) -> None:
    path = odd[kind]
    for read in (load, lambda p: read_study(Path(p)), read_mapping, named_documents, model_folder, open_wordnet):
        with pytest.raises(DataError):
            read(path)
    assert not is_score_table(path.replace(".jsonl", ".csv")) and not is_mtme_folder(path)


def test_the_message_names_the_kind_of_path(odd: dict[str, str]) -> None:
    with pytest.raises(DataError, match=r"pipe\.jsonl: a pipe, and data is read more than once\. Write it to a file"):
        load(odd["pipe"])
    with pytest.raises(DataError, match=r"cannot be read \(File name too long\)"):
        load(odd["too long"])
    with pytest.raises(DataError, match="cannot be the name of a file"):
        load(odd["NUL"])


def test_a_pipe_in_a_folder_of_tables(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "outputs.jsonl")
    with pytest.raises(DataError, match="a pipe"):
        load(tmp_path)


def test_piped_input_is_rejected_unread(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").symlink_to("/dev/stdin")
    lines = "".join(f'{{"text": "number {k}"}}\n' for k in range(1000))
    code = "from assay.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "convert", str(tmp_path / "in.jsonl"), "-o", str(tmp_path / "out.jsonl")],
        input=lines, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "") and "in.jsonl: a pipe" in done.stderr
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "x" * 5000 + ".csv", "a\0b.csv", "\ud800.jsonl", "\ud800"])
def test_names_that_cannot_be_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError):
        save(Dataset.from_records([{"text": "a"}]), f"{tmp_path}/{name}")
    assert list(tmp_path.iterdir()) == []


def test_score_files_of_mtme_that_are_not_utf8(tmp_path: Path) -> None:
    folder = tmp_path / "metric-scores" / "en-de"
    folder.mkdir(parents=True)
    (folder / "m-all.seg.score").write_bytes(b"s\xff\t1\n")
    with pytest.raises(DataError, match="not UTF-8 at byte 2"):
        read_mtme(folder)
    (folder / "m-all.seg.score").write_bytes("a\u2028b\t1\r\na\u2028b\t2\n".encode())
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "en-de.docs").write_bytes(b"d x\xff\nd y\n")
    with pytest.raises(DataError, match="not UTF-8"):
        read_mtme(folder)
    (tmp_path / "documents" / "en-de.docs").write_bytes(b"d x\nd y\n")
    table = read_mtme(folder)
    assert table.unit.to_list() == ["a\u2028b/x", "a\u2028b/y"]
    (folder / "m-all.seg.score").write_bytes(b"s\t1_0\n")
    with pytest.raises(DataError, match="is not a system and a score"):
        read_mtme(folder)
