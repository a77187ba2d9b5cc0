"""Texts beside scores: in the JSON and the files of `assay score` and in the report, never raw on a terminal."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import assay
from assay import registry
from assay.cli import cli
from tests.packages import install_package

EVALUATOR = """
from assay.evaluator import Answer, evaluator, per_unit
@evaluator(scale="any")
def explained():
    'Words, with a text beside each number.'
    def score(output):
        if output.text == "c":
            return Answer(text="I cannot say", reason="no verdict")
        return Answer(len(output.text.split()), f"\\x1b[31m<b>{output.text}</b>")
    return per_unit(score)
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    install_package(
        tmp_path / "site", "explained_words", EVALUATOR, "assay.evaluators", "explained = explained_words:explained"
    )
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    rows = [{"id": f"o{k}", "item": f"i{k}", "system": "s", "text": t} for k, t in enumerate(["a", "b b", "c"])]
    Path("data.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    for cached in (registry._registered, registry.factory):
        cached.cache_clear()
    yield tmp_path
    for cached in (registry._registered, registry.factory):
        cached.cache_clear()


def run(*words: str) -> str:
    done = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_score_keeps_texts_and_does_not_print_them_raw(installed: Path) -> None:
    shown = run("score", "data.jsonl", "-e", "explained", "-o", "scores.csv")
    assert "<b>" not in shown and "\x1b" not in shown
    texts = {"o0": "\x1b[31m<b>a</b>", "o1": "\x1b[31m<b>b b</b>", "o2": "I cannot say"}
    column = assay.load_scores("scores.csv")["explained"]
    assert column.texts is not None and column.texts.to_list() == list(texts.values())
    printed = run("score", "data.jsonl", "-e", "explained", "--json")
    assert "\x1b" not in printed
    explained = json.loads(printed[: printed.rindex("}") + 1])["tables"][1]
    assert explained["rows"] == [["explained", unit, text] for unit, text in texts.items()]


def test_the_report_shows_scores_with_their_texts(installed: Path) -> None:
    study = 'title = "t"\ndata = "data.jsonl"\nresamples = 0\n[scores]\nevaluators = ["explained", "length"]\n'
    Path("study.toml").write_text(study, encoding="utf-8")
    run("run", "study.toml")
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert "Scores with their explanations" in page
    assert r"\x1b[31m&lt;b&gt;b b&lt;/b&gt;" in page and "\x1b" not in page
    assert "(no verdict) I cannot say" in page
    texts = assay.load_scores("out/scores/outputs.csv")["explained"].texts
    assert texts is not None and texts[0] == "\x1b[31m<b>a</b>"
