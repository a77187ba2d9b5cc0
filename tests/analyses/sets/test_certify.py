"""The card of a metric: what it reacts to, on sets whose changes have a known effect."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from assay.cli import cli
from assay.errors import AssayError, DataError, EvaluatorError
from assay.evaluators.outside import from_function, from_scores
from assay.io.score_tables import read_scores
from assay.metaeval.sets.changes import CHANGES
from assay.records import Dataset
from assay.run import score
from assay.scores import Column


def made(n_sets: int = 40) -> Dataset:
    rng = np.random.default_rng(3)
    words = [f"Word{i}," for i in range(60)]
    return Dataset.from_records(
        {
            "text": " ".join(rng.choice(words[: 20 + s], 9)),
            "context": f"context {s // 2}",
            "set": f"s{s}",
            "params": {"temperature": s / 10},
            "set_columns": {"label_value": float(s >= n_sets // 2), "metric_sent_bert": float(s)},
        }
        for s in range(n_sets)
        for _ in range(4)
    )


@pytest.mark.parametrize("change", CHANGES)
def test_changes_keep_the_sets(change: str) -> None:
    before = made(6)
    after = CHANGES[change][0](before, np.random.default_rng(0))
    assert after.sets.id == before.sets.id
    assert after.outputs.text != before.outputs.text


def test_what_the_changes_do() -> None:
    data = Dataset.from_records({"text": text, "set": "s", "item": "i"} for text in ["A b, c d", "e f", "g h", "i"])
    rng = np.random.default_rng(1)

    def texts(change: str) -> list[str]:
        return CHANGES[change][0](data, rng).outputs.text.to_list()

    assert texts("half the responses") == ["A b, c d", "e f"]
    assert texts("copied responses") == ["A b, c d", "e f", "A b, c d", "e f"]
    assert texts("half of each text") == ["A b,", "e", "g", "i"]
    assert sorted(texts("shuffled words")[0].split()) == ["A", "b,", "c", "d"]
    assert {text.lower() for text in texts("other case")} == {"a b, c d", "e f", "g h", "i"}


@pytest.fixture
def sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    from assay.io import save

    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    save(made(), tmp_path / "sets.jsonl")
    (tmp_path / "mymetrics.py").write_text(
        "def types(texts):\n    words = ' '.join(texts).lower().split()\n    return len(set(words)) / len(words)\n"
        "def with_context(texts, context):\n    return len(context)\n"
        "number = 3\n"
    )
    (tmp_path / "broken.py").write_text("len(3)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path / "sets.jsonl"


def run(*arguments: object) -> str:
    done = CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def numbers(*arguments: object) -> list[dict[str, Any]]:
    return json.loads(run("certify", *arguments, "--json"))["numbers"]


def test_a_card(sets: Path) -> None:
    every = ["--contest", sets, "--nuggets", sets, "--dectest", sets, "--beside", "distinct", "--resamples", 50]
    card = numbers("mymetrics:types", *every)
    rhos = {(row["test"], row["evaluator"]): row["value"] for row in card if row["name"] == "rho"}
    assert {test for test, _ in rhos} == {"content", "content, same form", "form", "decoding"}
    assert rhos["decoding", "mymetrics:types"] > 0.5
    assert rhos["form", "distinct"] == pytest.approx(1)
    best = {(row["name"], row["test"], row["evaluator"]): row for row in card if row["name"].startswith("oca")}
    assert best["oca", "content", "sent-BERT"]["value"] == 1  # the stored column is the set's number
    low, high = best["oca, corrected", "content", "sent-BERT"]["interval"]
    assert low < best["oca, corrected", "content", "sent-BERT"]["value"] <= high == 1
    effects = {(row["change"], row["evaluator"]): row for row in card if row["name"] == "reaction"}
    assert effects["copied responses", "mymetrics:types"]["interval"][1] < -1
    assert effects["other case", "mymetrics:types"]["value"] == 0
    assert effects["other case", "distinct"]["interval"][0] > 0  # distinct-n keeps case
    timed = {row["evaluator"] for row in card if row["name"].startswith("CPU seconds")}
    assert timed == {"mymetrics:types", "distinct"}
    text = run("certify", "distinct(order=2)", *every)
    assert "What distinct(order=2) measures" in text and "OCA corrected" in text
    assert "shuffled words" in text


def test_a_card_from_scores(sets: Path, tmp_path: Path) -> None:
    scores = tmp_path / "scores.csv"
    scores.write_text("set,score\n" + "".join(f"s{i},{i * i}\n" for i in range(39)) + "s39,\n")
    card = numbers(scores, "--dectest", sets, "--beside", "distinct", "--resamples", 0)
    (row,) = [row for row in card if row["evaluator"] == str(scores)]
    assert row["value"] == pytest.approx(1)
    assert row["n"] == 39
    assert {row["evaluator"] for row in card if row["name"] == "reaction"} == {"distinct"}


def test_without_data_the_sample_is_used(sets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_DATA", str(tmp_path / "nothing"))
    card = numbers("cos_sim", "--beside", "distinct", "--resamples", 0)
    assert {row["test"] for row in card if "test" in row} == {"decoding"}


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("mymetrics:nothing", "nothing"),
        ("no_such_module:f", "no_such_module"),
        ("mymetrics:number", "not a function"),
        ("broken:f", "importing its module failed (TypeError: "),
        ("distnct", "Did you mean 'distinct'"),
        ("absent.csv", "no such file"),
    ],
)
def test_errors_are_plain(sets: Path, metric: str, message: str) -> None:
    done = CliRunner().invoke(cli, ["certify", metric, "--dectest", str(sets)])
    assert isinstance(done.exception, AssayError)
    assert message in str(done.exception)


def test_functions(sets: Path) -> None:
    data = made(4)
    made_of = from_function("mymetrics:with_context")
    values = next(iter(score(data, [made_of], unit="set").columns.values())).values
    assert values.tolist() == [len("context 0")] * 4
    with pytest.raises(EvaluatorError, match="module:function"):
        from_function("mymetrics:missing")
    column = next(iter(score(data, [from_scores("x", ["s1"], Column.of("score", [2.0]))], unit="set").columns.values()))
    assert column.values[1] == 2
    assert column.gaps[0] == "no score in x"


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "no scores"), ("a,b\n1,2", "line 1"), ("set,score\ns1,x\ns1", "line 3"), ("set,score\ns,1\ns,2", "already")],
)
def test_bad_score_files(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_scores(path, needs_units=True)


def test_a_metric_beside_that_cannot_score_is_left_out_once(sets: Path) -> None:
    arguments = ["certify", "distinct", "--dectest", str(sets), "--beside", "reduce(human('x'))", "--resamples", "0"]
    done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    assert done.stderr.count("is left out") == 1


def test_a_data_set_without_a_name_is_a_plain_message() -> None:
    from assay import certify

    with pytest.raises(AssayError, match="by name"):
        certify("distinct", contest=made(4))  # type: ignore[arg-type]
