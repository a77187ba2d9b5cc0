"""What is printed: control characters of the data never reach the terminal, and JSON stays JSON."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from assay.part.visible import visible

EVIL = "a\x1b]0;title\x07b\x1b[2Jc\x9b31md\re\x7f"
SHOWN = r"a\x1b]0;title\x07b\x1b[2Jc\x9b31md\re\x7f"
CONTROL = [*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), *range(0x7F, 0xA0)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    rows = [{"text": f"{EVIL} {n}", "system": EVIL, "id": f"{EVIL}{n}"} for n in range(3)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    bad = [*rows, rows[0], {"text": "a", "logprobs": {EVIL: "x"}}]
    (tmp_path / "bad.jsonl").write_text("".join(json.dumps(row) + "\n" for row in bad))
    (tmp_path / "study.toml").write_text('data = "in.jsonl"\n[health]\n')
    return tmp_path


def on_a_terminal(*asked: str) -> str:
    """Run a command with a terminal as its output and its messages, and return all that it was sent."""
    ours, theirs = pty.openpty()
    running = subprocess.Popen([sys.executable, "-m", "assay", *asked], stdout=theirs, stderr=theirs)
    os.close(theirs)
    sent = b""
    try:
        while block := os.read(ours, 4096):
            sent += block
    except OSError:  # the other side is closed
        pass
    running.wait()
    os.close(ours)
    return sent.decode()


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        (("score", "in.jsonl", "-e", "length"), SHOWN),
        (("score", "bad.jsonl", "-e", "length"), f"logprobs under '{SHOWN}'"),
        (("score", f"{EVIL}.jsonl", "-e", "length"), SHOWN),
        (("run", "study.toml", "-o", "out\x1b[2J"), r"out\x1b[2J"),
        (("init", "in.jsonl"), r"\u001b"),
    ],
    ids=lambda part: part[0] if isinstance(part, tuple) else "",
)
def test_a_terminal_is_sent_no_control_character_of_the_data(folder: Path, asked: tuple[str, ...], shown: str) -> None:
    sent = on_a_terminal(*asked)
    # Marks of our own, which overwrite a line of progress and hide the cursor, and a reset when all is over.
    assert r"\x1b[0m" not in sent and r"\x1b[?25" not in sent
    for mark in ("\r\x1b[K", "\r\n", "\x1b[?25l", "\x1b[?25h", "\r", "\x1b[0m"):
        sent = sent.replace(mark, "\n")
    assert not [character for character in sent if ord(character) in CONTROL]
    assert shown in sent


@pytest.mark.slow
def test_json_is_the_same_data_without_control_characters(folder: Path) -> None:
    for asked in (("score", "in.jsonl", "-e", "length", "--json"), ("run", "study.toml", "--json")):
        done = subprocess.run([sys.executable, "-m", "assay", *asked], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert not [character for character in done.stdout if ord(character) in CONTROL]
        found = json.loads(done.stdout)
        if asked[0] == "score":
            assert found["numbers"][0]["system"] == EVIL


def test_ordinary_texts_are_printed_as_they_are() -> None:
    text = "naïve\tworte\n日本語 🎉 e\u0301"
    assert visible(text) == text
    assert visible("\udcff") == r"\udcff"


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_are_no_error(closed: str) -> None:
    done = subprocess.run(f"{sys.executable} -m assay data list {closed}", shell=True, capture_output=True, text=True)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
