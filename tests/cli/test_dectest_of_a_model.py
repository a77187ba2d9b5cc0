"""`assay dectest --model`: sets drawn at a sweep, then the test."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli import cli
from tests.tiny_models import tiny_language_model


def test_distinct_follows_the_temperature_of_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    lines = [
        json.dumps({"id": f"q{n}", "context": letters}) for n, letters in enumerate(("ab", "bc", "cd", "da", "aa"))
    ]
    (tmp_path / "prompts.jsonl").write_text("\n".join(lines))
    words = [
        *("dectest", str(tmp_path / "prompts.jsonl"), "-e", "distinct(tokenizer='chars')", "--json"),
        *("--model", str(tiny_language_model()), "--sweep", "temperature=.1:1.5:6", "--n", "6", "--max-tokens", "8"),
        *("--template", "{context}{text}", "--resamples", "0"),
    ]
    first = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert first.exit_code == 0, first.output
    number = json.loads(first.stdout)["numbers"][0]
    assert number["n"] == 30 and number["value"] > 0.5
    monkeypatch.setattr("assay.backends.language.local.LocalModel.sample", lambda *_: pytest.fail("drawn again"))
    assert CliRunner().invoke(cli, words, catch_exceptions=False).stdout == first.stdout
    assert CliRunner().invoke(cli, [*words, "--sweep", "heat=1"]).exit_code == 2
