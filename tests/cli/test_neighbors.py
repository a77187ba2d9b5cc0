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


def number(part, name, estimate="neighbors"):
    return next(row for row in part["numbers"] if row["name"] == name and row.get("estimate", estimate) == estimate)


def estimates(*words):
    """The rows of `-o`: one for each output."""
    assert ask(*words, "-o", "estimates.jsonl").exit_code == 0
    return [json.loads(line) for line in Path("estimates.jsonl").read_text().splitlines()]


def test_a_check_gives_agreement_baselines_and_every_output():
    part = answer("judged.jsonl", "--tau", "0.55")
    rho, coverage = number(part, "rho"), number(part, "coverage")
    assert rho["n"] + rho["n_missing"] == coverage["n"] == 60 and 0 < coverage["value"] < 1
    assert rho["interval"][0] < rho["value"] < rho["interval"][1]
    assert "tau=0.55" in rho["signature"] and "tokenizer='chars'" in rho["signature"]
    names = {row["estimate"] for row in part["numbers"]}
    assert {"mean", "length", "best_annotator", "average_annotator"} <= names
    assert number(part, "rho", "mean")["value"] is None and number(part, "rho", "mean")["reason"]
    rows = estimates("judged.jsonl", "--tau", "0.55")
    assert len(rows) == 60
    for row in rows:
        assert (row["estimate"] is None) == (row["estimate low"] is None) == bool(row["why not"])
    n_gaps = sum(bool(row["why not"]) for row in rows)
    assert sum(int(note.split()[0]) for note in part["notes"] if "have no estimate" in note) == n_gaps


def test_new_texts_have_estimates_and_no_agreement():
    words = ("new.jsonl", "--train", "judged.jsonl", "--tau", "0.3")
    rho = number(answer(*words), "rho")
    assert rho["n"] == 0 and rho["value"] is None and rho["reason"] == "no output has a known quality"
    rows = estimates(*words)
    assert [row["output"] for row in rows][:2] == ["no0", "no1"]
    assert all(row["nearest"] for row in rows)
    assert "output" in ask(*words).stdout and "nearest" in ask(*words).stdout, "estimates are what is shown"


def test_grades_with_their_own_training_set_and_b_of_one():
    part = answer("other.jsonl", "--train", "judged.jsonl", "--column", "grade", "-b", "1", "--tau", "0.3")
    assert number(part, "coverage")["n"] == 40 and number(part, "rho")["value"] > 0.5
    assert "max_fraction=1.0" in number(part, "rho")["signature"]
    names = {row["estimate"] for row in part["numbers"]}
    assert "best_annotator" not in names and "length" in names


@pytest.mark.parametrize(
    ("words", "name", "n"),
    [
        (["--sweep"], "sweep", 61),
        (["--sizes"], "sizes", 10),
        (["--across", "other.jsonl"], "across", 4),
        (["--compare", "rouge_l"], "kernels", 2),
        (["--tune"], "tune", 2),
        (["--covered", "--tau", "0.55"], "covered", 2),
    ],
)
def test_studies_have_numbers_rows_a_table_and_a_figure(words, name, n):
    part = answer("judged.jsonl", *words)
    (table,) = part["tables"]
    assert table["name"] == f"neighbors_{name}" and len(table["rows"]) == n and len(part["numbers"]) >= 3 * n
    result = ask("judged.jsonl", *words, "--figures", "figures", "-o", "rows.csv")
    assert result.exit_code == 0
    assert Path(f"figures/neighbors-{name}.svg").read_text().startswith("<svg")
    with open("rows.csv") as file:
        assert len(list(csv.DictReader(file))) == n


def test_tuning_and_covered_texts():
    part = answer("judged.jsonl", "--tune", "--min-coverage", "0.5")
    chosen, apart = (row for row in part["numbers"] if row["name"] == "coverage")
    assert chosen["value"] >= 0.5 and 0 < chosen["tau"] < 1 and apart["n"] == 60
    (covered,) = answer("judged.jsonl", "--covered", "--tau", "0.55")["tables"]
    assert sum(row[1] for row in covered["rows"]) == 60 and covered["rows"][0][4] > 0


@pytest.mark.parametrize("words", [[], ["--train", "other.jsonl", "--column", "grade"]])
def test_a_check_has_a_figure(words):
    assert ask("judged.jsonl", *words, "--figures", "figures").exit_code == 0
    assert "</svg>" in Path("figures/neighbors.svg").read_text()


def test_words_cover_nothing_and_say_so():
    write("few.jsonl", [{"text": f"w{n} x{n} y{n} z{n}", "judgments": [vote(n % 5)]} for n in range(12)])
    part = answer("few.jsonl", "--tokenizer", "whitespace")
    assert number(part, "coverage")["value"] == 0
    for name in ("mse", "rho"):
        assert number(part, name)["value"] is None and number(part, name)["reason"] == "no output has an estimate"
    assert part["notes"] == ["12 outputs have no estimate: too few neighbors"]


def vote(value, annotator="a"):
    return {"annotator": annotator, "criterion": "quality", "value": value}


def test_dedupe_keeps_one_of_each_context_and_text():
    twice = records(10) + [{**row, "id": row["id"] + "b", "system": "s9"} for row in records(10)]
    write("twice.jsonl", twice)
    assert number(answer("twice.jsonl"), "coverage")["n"] == 20
    assert number(answer("twice.jsonl", "--dedupe"), "coverage")["n"] == 10


def test_empty_texts_abstain():
    write("empty.jsonl", [*records(20), {"id": "e", "text": "", "item": "i0", "judgments": [vote(3)]}])
    row = estimates("empty.jsonl")[-1]
    assert row["estimate"] is None and row["why not"] == "empty text"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["new.jsonl"], "new.jsonl: the training texts have no judgments"),
        (["judged.jsonl", "--train", "new.jsonl"], "train: the training texts have no judgments"),
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
        (["judged.jsonl", "--alpha", "1"], "alpha must lie between 0 and 1, not 1."),
        (["judged.jsonl", "--covered", "--column", "grade"], "no single judgments"),
        (["judged.jsonl", "-o", "x.txt"], "x.txt: this is written as .jsonl or .csv"),
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
    assert number(one, "mse")["value"] != number(other, "mse")["value"]
