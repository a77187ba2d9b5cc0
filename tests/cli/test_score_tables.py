"""Score tables on the command line: what is written is what is asked, and what is damaged is told in one message."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli import cli, main
from assay.sample import copy_to


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copy_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return tmp_path


def run(*words: str) -> str:
    done = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def failure(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> str:
    """What a user sees: exit code 1, one message on stderr, nothing on stdout."""
    monkeypatch.setattr(sys, "argv", ["assay", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    seen = capsys.readouterr()
    assert stop.value.code == 1, seen.err
    assert seen.out == ""
    assert "Traceback" not in seen.err
    return seen.err


@pytest.mark.parametrize("command", [("meta", "--target", "length"), ("compare",)])
@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_damaged_tables(
    command: tuple[str, ...], ending: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(f"scores.{ending}")
    run("score", "outputs.jsonl", "-e", "length", "-o", str(path))
    whole = path.read_bytes()
    for bad in (whole[: len(whole) // 2], whole[:40], b"\xff" * 9 + whole[9:], b"\x00" * 100):
        path.write_bytes(bad)
        assert path.name in failure(capsys, monkeypatch, command[0], str(path), *command[1:])


def test_a_socket_a_folder_and_a_name_of_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("dir.csv").mkdir()
    for path in ("dir.csv", "absent.parquet", "x" * 5000 + ".csv"):
        assert failure(capsys, monkeypatch, "compare", path)


def test_another_ending_is_refused_before_anything_is_scored(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    message = failure(capsys, monkeypatch, "score", "outputs.jsonl", "-e", "length", "-o", "scores.xlsx")
    assert "written as .csv, .tsv, .json or .parquet" in message
    assert not Path("scores.xlsx").exists()


def test_a_direction_can_be_turned_by_name() -> None:
    run("score", "outputs.jsonl", "-e", "length", "-e", "bleu", "-o", "scores.csv")
    words = ("compare", "scores.csv", "-e", "bleu", "--systems", "people", "collapsed", "--resamples", "10", "--json")
    up = json.loads(run(*words))["numbers"][-1]
    down = json.loads(run(*words, "--lower-is-better", "bleu"))["numbers"][-1]
    assert up["value"] == down["value"]
    assert {up["better"], down["better"]} == {"people", "collapsed"}


def test_names_with_line_ends_come_back() -> None:
    records = [
        {"id": f"o{k}", "item": f"i\r{k % 5}", "system": f"s\r\n{k // 5}", "text": "a b c"[: k % 4 + 1]}
        for k in range(10)
    ]
    Path("odd.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    run("score", "odd.jsonl", "-e", "length", "-o", "odd.csv")
    found = json.loads(run("compare", "odd.csv", "--resamples", "10", "--json"))["numbers"][-1]
    assert {found["left"], found["right"]} == {"s\r\n0", "s\r\n1"}


@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_where_texts_or_votes_are_needed_a_table_is_told_to_be_one(
    ending: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run("score", "outputs.jsonl", "-e", "length", "-o", f"scores.{ending}")
    for words in (("score", "-e", "bleu"), ("contest", "-e", "bleu"), ("agree",)):
        message = failure(capsys, monkeypatch, words[0], f"scores.{ending}", *words[1:])
        assert f"scores.{ending}: a table of scores, without texts and votes." in message
        assert message.count("\n") == 1
