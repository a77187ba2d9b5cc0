"""Whatever a user gives: one plain message that names file, line and remedy, exit code 1, and no file touched."""

import json
import sys
from pathlib import Path

import pytest

from assay.cli import main

GOOD = {"text": "a b c d", "references": ["a b c d"], "system": "s"}
JUDGED = GOOD | {"judgments": [{"annotator": "w", "criterion": "c", "value": 1}]}


def lines(*records: object) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


CASES = {
    "empty file": (b"", "in.jsonl: no outputs. Give a file with at least one line."),
    "only blank lines": (b"\n\n", "in.jsonl: no outputs."),
    "wrong encoding": (
        '{"text": "naïve"}\n'.encode("latin-1"),
        "in.jsonl line 1: not UTF-8 (at byte 13 of the line). Save the file as UTF-8.",
    ),
    "utf-16": (lines(GOOD).decode().encode("utf-16"), "in.jsonl line 1: not UTF-8"),
    "not JSON": (lines(GOOD) + b"{text: a}\n", "in.jsonl line 2: not JSON (Expecting property name"),
    "no object": (b"[1]\n", "in.jsonl line 1: not a JSON object. Write"),
    "deep nesting": (b"[" * 100_000 + b"\n", "in.jsonl line 1: nested more than 100 levels deep."),
    "no text": (lines(GOOD, {"id": "x"}), 'in.jsonl line 2: no text. Every line needs a "text"'),
    "duplicate ids": (
        lines(GOOD | {"id": "x"}, GOOD | {"id": "x"}),
        "in.jsonl line 2: id 'x' was used before, on line 1. Give every output its own id, or leave id out.",
    ),
    "references no list": (
        lines(GOOD | {"references": "a"}),
        'in.jsonl line 1: references is "a", not a list of texts. Write ["...", "..."].',
    ),
    "references of numbers": (lines(GOOD | {"references": [1, 2]}), "in.jsonl line 1: references is [1, 2], not a"),
    "judgment about an unknown unit": (
        lines(GOOD | {"judgments": [{"annotator": "w", "criterion": "c", "value": 1, "other": "zz"}]}),
        "in.jsonl line 1: a judgment about the unknown output 'zz'. Correct the id, or add the output.",
    ),
    "NaN log-probability": (
        b'{"text": "a", "logprob": NaN}\n',
        "in.jsonl line 1: logprob is nan. Give a finite number, -inf for a text the system cannot say, or nothing.",
    ),
    "infinite log-probability": (
        b'{"text": "a", "logprobs": {"s": Infinity}}\n',
        "in.jsonl line 1: logprobs under 's' is inf. Give a finite number",
    ),
    "huge number": (b'{"text": "a", "logprob": 1' + b"0" * 400 + b"}\n", "in.jsonl line 1: logprob is 1000"),
}


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["assay", *args])
    with pytest.raises(SystemExit) as stop:
        main()
    captured = capsys.readouterr()
    return int(stop.value.code or 0), captured.out, captured.err


@pytest.fixture(autouse=True)
def in_a_folder_with_an_older_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    Path("out.csv").write_text("precious")


def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *args: str) -> str:
    """Run a command that must fail politely, and return its message."""
    code, out, err = run(monkeypatch, capsys, *args)
    assert (code, out) == (1, "")
    assert err.startswith("assay: ") and "Traceback" not in err
    assert Path("out.csv").read_text() == "precious"
    return err.removeprefix("assay: ")


@pytest.mark.parametrize("command", [["score", "in.jsonl", "-e", "length"], ["convert", "in.jsonl"]])
@pytest.mark.parametrize("case", CASES)
def test_a_bad_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str], case: str
) -> None:
    content, message = CASES[case]
    Path("in.jsonl").write_bytes(content)
    assert refused(monkeypatch, capsys, *command, "-o", "out.csv").startswith(message)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("in.csv", b"", "in.csv: no outputs."),
        ("in.csv", b"text,text\na,b\n", "in.csv line 1: the column 'text' appears twice. Rename one."),
        (
            "in.csv",
            b"text,x\na\n",
            "in.csv line 2: 1 cells, and the header has 2. Quote cells that contain separators.",
        ),
        ("in.csv", b'text\n"a\n', "in.csv line 2: not readable as CSV (unexpected end of data). Check its quotation"),
        (
            "in.csv",
            b"text\n\xff\n",
            "in.csv line 2: not UTF-8. Save the file as UTF-8; spreadsheets call that CSV UTF-8.",
        ),
        ("in.csv", b"words\na\n", "in.csv: no column 'text', which a file of outputs has. The columns are words."),
        ("in.csv", b"text,references\na,b\n", 'in.csv line 2: references is "b", not a list of texts.'),
        ("in.parquet", b"PAR1", "in.parquet: not a readable Parquet file"),
        ("in.txt", b"a", "in.txt: texts, one per line, are given as --hyp in.txt"),
    ],
)
def test_bad_files_of_other_formats(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, content: bytes, message: str
) -> None:
    Path(name).write_bytes(content)
    assert refused(monkeypatch, capsys, "score", name, "-e", "length", "-o", "out.csv").startswith(message)


def test_a_missing_file(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    message = refused(monkeypatch, capsys, "score", "in.jsonl", "-e", "length", "-o", "out.csv")
    assert message == "in.jsonl: no such file. Check the name and the folder.\n"


def test_an_unreadable_file(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def forbidden(*args: object, **kwargs: object) -> None:
        raise PermissionError(13, "Permission denied")

    Path("in.jsonl").write_bytes(lines(GOOD))
    # A real file without permissions can be read by the superuser, who may run the tests.
    monkeypatch.setattr("assay.io.tabular.json_lines.open", forbidden, raising=False)
    message = refused(monkeypatch, capsys, "score", "in.jsonl", "-e", "length", "-o", "out.csv")
    assert message == "in.jsonl: cannot be read (Permission denied). Check the name and its permissions.\n"


def test_judgments_about_unknown_units_in_a_folder(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("data").mkdir()
    Path("data/outputs.jsonl").write_bytes(lines({"id": "o", "text": "a"}))
    Path("data/judgments.csv").write_text("unit,annotator,criterion,value\no,w,c,1\nz,w,c,1\n")
    message = refused(monkeypatch, capsys, "score", "data", "-e", "length", "-o", "out.csv")
    assert message.startswith("judgments.csv line 3: a judgment about the unknown output 'z'. Correct the id")


@pytest.mark.parametrize(
    ("evaluator", "message"),
    [
        ("blue", "Did you mean 'bleu'?"),
        ("bleu(max_oder=2)", "max_order"),
        ("bleu(", "bleu("),
        ("human(criterion='q')", "'q'"),
        ("column('none')", "none"),
    ],
)
def test_an_evaluator_that_cannot_be(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], evaluator: str, message: str
) -> None:
    Path("in.jsonl").write_bytes(lines(JUDGED))
    assert message in refused(monkeypatch, capsys, "score", "in.jsonl", "-e", evaluator, "-o", "out.csv")


def test_an_evaluator_that_needs_what_the_data_lacks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("in.jsonl").write_bytes(lines({"text": "a"}))
    assert "references" in refused(monkeypatch, capsys, "score", "in.jsonl", "-e", "bleu", "-o", "out.csv")
    message = refused(monkeypatch, capsys, "score", "in.jsonl", "-e", "human(criterion='c')", "-o", "out.csv")
    assert "judgments" in message


def test_all_problems_come_at_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    Path("in.jsonl").write_bytes(b"{\n" + lines({"id": 1}, GOOD | {"references": 3}) + lines({}) * 30)
    message = refused(monkeypatch, capsys, "score", "in.jsonl", "-e", "length", "-o", "out.csv")
    found = message.splitlines()
    assert [line.split(":")[0] for line in found[:3]] == [f"in.jsonl line {number}" for number in (1, 2, 3)]
    assert len(found) == 21
    assert found[-1] == "... and 13 more problems of this kind."


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_a_line_of_ten_megabytes_is_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    text = "word " * 2_000_000
    content = lines({"text": text, "system": "s"}) if ending == "jsonl" else f"text,system\n{text},s\n".encode()
    Path(f"in.{ending}").write_bytes(content)
    code, out, _ = run(monkeypatch, capsys, "score", f"in.{ending}", "-e", "length", "--json", "--no-cache")
    assert code == 0
    assert json.loads(out)["numbers"][0]["value"] == 2_000_000
