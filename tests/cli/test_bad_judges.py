"""Judges, people and servers that are not there: one plain message with a remedy, exit code 1, nothing written."""

import json
import sys
from pathlib import Path

import pytest

from assay.cli import main
from tests.loopback import Fault, serving

OUTPUTS = [
    {
        "id": f"o{at}",
        "item": f"i{at}",
        "context": "Why?",
        "text": f"Because of {at}.",
        "judgments": [
            {"annotator": "person", "criterion": "c", "value": at % 5},
            {"annotator": "robot", "criterion": "c", "value": (at + 1) % 5, "annotator_kind": "model"},
        ],
    }
    for at in range(40)
]
NOWHERE = "url(x@http://127.0.0.1:9/v1)"


@pytest.fixture(autouse=True)
def outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    for name in ("ASSAY_API_KEY", "ASSAY_API_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("assay.run.requests.FIRST_WAIT", 0.0)
    bare = [{key: value for key, value in one.items() if key != "judgments"} for one in OUTPUTS]
    for file, records in (("judged.jsonl", OUTPUTS), ("bare.jsonl", bare)):
        Path(file).write_text("".join(json.dumps(record) + "\n" for record in records))


def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The message of a command that must fail and leave all files as they were; the cache may hold what was asked."""
    before = {path: path.read_bytes() for path in Path().glob("*.*")}
    monkeypatch.setattr(sys, "argv", ["assay", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    out, err = capsys.readouterr()
    assert (stop.value.code, out) == (1, "") and err.startswith("assay: ") and "Traceback" not in err
    assert {path: path.read_bytes() for path in Path().glob("*.*")} == before
    return err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("replace judged.jsonl --judge robot", "has answers of 2 people to c. The test leaves one person out"),
        (
            "replace judged.jsonl --judge robt",
            "no annotator 'robt' in the data, and no such evaluator. Did you mean 'robot'",
        ),
        ("replace bare.jsonl --judge robot", "there are no judgments, so nobody to replace. Give data with answers"),
        ("correct judged.jsonl --judge robt", "no annotator 'robt' in the data, and no such evaluator."),
        (
            "correct judged.jsonl --judge robot --ignore person",
            "fewer than 2 outputs have answers of people to 'c'. Label",
        ),
        ("correct bare.jsonl --judge length", "there is no criterion that all judges answered. Give data with their"),
        ("probe bare.jsonl --judge robot --criterion c", "no annotator 'robot' in the data, and no such evaluator."),
        (f"judge bare.jsonl --model {NOWHERE} --form ratings -o out.jsonl", "no form 'ratings'. Did you mean 'rating'"),
        (
            f"judge bare.jsonl --model {NOWHERE} -o out.jsonl",
            "cannot be reached (Connection refused); check the address",
        ),
        (
            f"logprob bare.jsonl --model {NOWHERE} --as x --end none -o out.jsonl",
            "url(x@http://127.0.0.1:9/v1): 127.0.0.1:9 cannot be reached (Connection refused); check the address",
        ),
        (
            f"generate bare.jsonl --model {NOWHERE} -o out.jsonl",
            "cannot be reached (Connection refused); check the address",
        ),
        (
            f"dectest bare.jsonl --model {NOWHERE} --sweep temperature=.2:1:3 -e distinct",
            "cannot be reached (Connection refused); check the address",
        ),
        ("judge bare.jsonl --model url(x@somewhere) -o out.jsonl", "write url(MODEL@BASE), such as url(gpt-x@http"),
    ],
)
def test_what_is_not_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str, message: str
) -> None:
    assert message in refused(monkeypatch, capsys, *words.split())


@pytest.mark.parametrize("command", ["judge", "score"])
def test_a_server_that_wants_a_key(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    with serving(lambda form: Fault(401)) as server:
        how = ["--model", server.model] if command == "judge" else ["-e", f"judge({server.model!r}, answer='chosen')"]
        message = refused(monkeypatch, capsys, command, "bare.jsonl", *how, "-o", "out.csv")
    assert "does not accept the key. Set ASSAY_API_KEY, or ASSAY_API_KEY_FILE" in message
