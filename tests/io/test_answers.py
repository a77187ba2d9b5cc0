"""The store of answers: what was put is found by its question, and can be listed and forgotten."""

import json
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli import cli
from assay.io.answers import AnswerStore, ServiceRequest, canonical


def filled(folder: Path) -> AnswerStore:
    store = AnswerStore(folder)
    store.put({ServiceRequest("big", {"n": n}): canonical({"reply": "é\x00" * n}) for n in range(3)})
    store.put({ServiceRequest("small", "?"): canonical(None)})
    return store


def test_a_reply_is_found_by_the_content_of_its_question(tmp_path: Path) -> None:
    store = filled(tmp_path)
    same = ServiceRequest("big", {"n": 2})
    assert store.get([same, ServiceRequest("small", {"n": 2}), ServiceRequest("big", {"n": 5})]) == {
        same.key: {"reply": "é\x00é\x00"}
    }
    assert store.get([ServiceRequest("small", "?")]) == {ServiceRequest("small", "?").key: None}
    assert ServiceRequest("s", {"a": 1, "b": [2]}).key == ServiceRequest("s", {"b": [2], "a": 1}).key


def test_answers_are_listed_and_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path))
    store = filled(tmp_path)
    assert [(one.service, one.n) for one in store.summary()] == [("big", 3), ("small", 1)]
    assert store.forget(before=time.time() - 60) == 0

    def run(*words: str) -> str:
        done = CliRunner().invoke(cli, ["answers", *words], catch_exceptions=False)
        assert done.exit_code == 0
        return done.stdout

    assert "big            3" in run()
    assert json.loads(run("--service", "small", "--json"))["services"][0]["n"] == 1
    assert "small" not in run("--service", "small", "--forget")
    assert [one.service for one in store.summary()] == ["big"]
    run("--older-than", "0", "--forget")
    assert store.summary() == []


def test_a_store_that_is_no_database_is_moved_aside(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = filled(tmp_path)
    store.path.write_bytes(b"not a database" * 100)
    assert store.get([ServiceRequest("small", "?")]) == {}
    assert "answers.sqlite: damaged" in caplog.text
    assert (tmp_path / "answers.sqlite.damaged").read_bytes().startswith(b"not a database")
    filled(tmp_path)
    assert len(store.get([ServiceRequest("small", "?")])) == 1
