import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli import cli
from assay.errors import AssayError
from tests.evaluators.neighbors.texts import records


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("judged.jsonl", records(60))
    write("other.jsonl", records(40, seed=5))
    write("new.jsonl", [{"id": f"n{row['id']}", "text": row["text"]} for row in records(20, seed=9)])


def write(name, rows):
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def ask(*words):
    return CliRunner().invoke(cli, ["neighbors", *words], catch_exceptions=False)


def answer(*words):
    result = ask(*words, "--json")
    assert result.exit_code == 0
    return json.loads(result.stdout)


def test_a_check_gives_agreement_baselines_and_every_output():
    found = answer("judged.jsonl", "--tau", "0.55")
    assert found["n"] == 60 and 0 < found["coverage"] < 1
    assert {"mse", "rho", "rho_low", "rho_high", "seed", "tau", "kernel", "tokenizer"} <= set(found)
    assert {"mean", "length", "best_annotator", "average_annotator"} <= set(found["baselines"])
    assert found["baselines"]["mean"]["rho"] is None and found["baselines"]["mean"]["reason"]
    assert len(found["outputs"]) == 60
    for row in found["outputs"]:
        assert (row["estimate"] is None) == bool(row["reason"])
        assert (row["low"] is None) == bool(row["reason"])
    assert sum(found["abstentions"].values()) == sum(bool(row["reason"]) for row in found["outputs"])


def test_new_texts_have_estimates_and_no_agreement():
    found = answer("new.jsonl", "--train", "judged.jsonl", "--tau", "0.3")
    assert found["n"] == 0 and found["rho"] is None and found["reason"] == "no output has a known quality"
    assert found["n_train"] + found["n_train_dropped"] == 60
    assert [row["id"] for row in found["outputs"]][:2] == ["no0", "no1"]
    assert all(row["neighbors"] for row in found["outputs"])
    assert ask("new.jsonl", "--train", "judged.jsonl").stdout.splitlines()[0].split()[:2] == ["output", "estimate"]


def test_grades_with_their_own_training_set_and_b_of_one():
    found = answer("other.jsonl", "--train", "judged.jsonl", "--column", "grade", "-b", "1", "--tau", "0.3")
    assert found["n"] == 40 and found["max_fraction"] == 1 and found["rho"] > 0.5
    assert "best_annotator" not in found["baselines"] and "length" in found["baselines"]


@pytest.mark.parametrize(
    ("words", "key", "n"),
    [
        (["--sweep"], "sweep", 61),
        (["--sizes"], "sizes", 10),
        (["--across", "other.jsonl"], "across", 4),
        (["--compare", "rouge_l"], "kernels", 2),
    ],
)
def test_studies_have_rows_a_table_and_a_figure(words, key, n):
    assert len(answer("judged.jsonl", *words)[key]) == n
    result = ask("judged.jsonl", *words, "--figure", "figure.svg", "-o", "rows.csv")
    assert result.exit_code == 0
    assert Path("figure.svg").read_text().startswith("<svg")
    with open("rows.csv") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == n == len(result.stdout.splitlines()) - 2


def test_tuning_and_covered_texts():
    found = answer("judged.jsonl", "--tune", "--min-coverage", "0.5")
    assert found["coverage"] >= 0.5 and 0 < found["tau"] < 1
    assert found["held_out"]["n"] == 60
    assert len(ask("judged.jsonl", "--tune").stdout.splitlines()) == 4
    covered = answer("judged.jsonl", "--covered", "--tau", "0.55")
    assert covered["n_covered"] + covered["n_uncovered"] == 60
    assert covered["covered"]["average_mse"] > 0


@pytest.mark.parametrize("words", [[], ["--covered", "--tau", "0.55"], ["--train", "other.jsonl", "--column", "grade"]])
def test_the_other_answers_have_figures_too(words):
    assert ask("judged.jsonl", *words, "--figure", "figure.svg").exit_code == 0
    assert "</svg>" in Path("figure.svg").read_text()


def test_estimates_as_a_file():
    assert ask("judged.jsonl", "-o", "estimates.jsonl").exit_code == 0
    rows = [json.loads(line) for line in Path("estimates.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows[:2]] == ["o0", "o1"] and len(rows) == 60


def test_words_cover_nothing_and_say_so():
    write("few.jsonl", [{"text": f"w{n} x{n} y{n} z{n}", "judgments": [vote(n % 5)]} for n in range(12)])
    found = answer("few.jsonl", "--tokenizer", "whitespace")
    assert found["coverage"] == 0 and found["mse"] is None and found["rho"] is None
    assert found["reason"] == "no output has an estimate"
    assert found["abstentions"] == {"too few neighbors": 12}


def vote(value, annotator="a"):
    return {"annotator": annotator, "criterion": "quality", "value": value}


def test_dedupe_keeps_one_of_each_context_and_text():
    twice = records(10) + [{**row, "id": row["id"] + "b", "system": "s9"} for row in records(10)]
    write("twice.jsonl", twice)
    assert answer("twice.jsonl")["n"] == 20
    assert answer("twice.jsonl", "--dedupe")["n"] == 10


def test_empty_texts_abstain():
    write("empty.jsonl", [*records(20), {"id": "e", "text": "", "item": "i0", "judgments": [vote(3)]}])
    row = answer("empty.jsonl")["outputs"][-1]
    assert row["estimate"] is None and row["reason"] == "empty text"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["new.jsonl"], "new.jsonl: the training texts have no judgments"),
        (["judged.jsonl", "--train", "new.jsonl"], "new.jsonl: the training texts have no judgments"),
        (["one.jsonl"], "1 judged texts: neighbors need at least 2"),
        (["new.jsonl", "--train", "one.jsonl"], "neighbors need at least 2"),
        (["judged.jsonl", "--tau", "1.5"], "tau must be between 0 and 1. Got 1.5"),
        (["judged.jsonl", "--tau", "-1"], "tau must be between 0 and 1. Got -1"),
        (["judged.jsonl", "-a", "0"], "min_neighbors must be at least 1"),
        (["judged.jsonl", "-b", "0"], "max_fraction must be above 0"),
        (["judged.jsonl", "--kernel", "blue"], "no kernel 'blue'"),
        (["judged.jsonl", "--tokenizer", "chras"], "Did you mean 'chars'?"),
        (["judged.jsonl", "--criterion", "qualty"], "Did you mean 'quality'?"),
        (["judged.jsonl", "--column", "grad"], "Did you mean 'grade'?"),
        (["judged.jsonl", "--scale", "0"], "must be a number above 0"),
        (["judged.jsonl", "--subsample", "2"], "subsample must be above 0 and at most 1"),
        (["judged.jsonl", "--alpha", "1"], "alpha must be between 0 and 1"),
        (["judged.jsonl", "--covered", "--column", "grade"], "no single judgments"),
        (["judged.jsonl", "-o", "x.txt"], "x.txt: this is written as .jsonl or .csv"),
        (["judged.jsonl", "--figure", "x.png"], "x.png: this is written as .svg"),
        (["absent.jsonl"], "absent.jsonl"),
    ],
)
def test_bad_input_is_one_plain_message(words, message):
    write("one.jsonl", records(60)[:1])
    with pytest.raises(AssayError) as caught:
        ask(*words)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "words", [["--sweep", "--across", "other.jsonl"], ["--compare", "rouge_l", "--train", "other.jsonl"]]
)
def test_one_question_at_a_time(words):
    assert ask("judged.jsonl", *words).exit_code == 2


def test_the_seed_decides_the_draw():
    one, again, other = (answer("judged.jsonl", "--subsample", "0.5", "--seed", seed) for seed in ("1", "1", "2"))
    assert one == again
    assert one["mse"] != other["mse"]
