"""The options of fitted evaluators, wherever evaluators are scored: each changes numbers or is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from assay.cli import COMMANDS, cli
from assay.errors import AssayError
from tests.contracts.worlds import records, training

NEIGHBORS = "neighbors(criterion='typicality', tau=0.05, min_neighbors=1, max_fraction=1.0)"
CALLS = {
    "score": ("-e", NEIGHBORS),
    "meta": ("-e", NEIGHBORS, "--target", "human('typicality')", "--stat", "pearson", "--resamples", "0"),
    "compare": ("-e", NEIGHBORS, "--systems", "a", "b", "--resamples", "0"),
    "huse": ("--quality", NEIGHBORS, "-k", "3", "--no-intervals"),
    "dectest": ("-e", NEIGHBORS, "--subset", "9", "--repeats", "3"),
    "nuggets": ("-e", NEIGHBORS, "--group-size", "6"),
    "prefer": ("-e", NEIGHBORS),
}
HOW = {
    "5 folds": (),
    "3 folds": ("--folds", "3"),
    "system": ("--leave-out", "system"),
    "column": ("--leave-out", "column:topic"),
    "train": ("--train", "judged.jsonl"),
    "train without the system": ("--train", "judged.jsonl", "--leave-out", "system"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    texts = training()
    rows = [
        {**record, "text": texts.outputs.text[row], "topic": f"t{row % 36 // 12}"}
        for row, record in enumerate(records())
    ]
    judged = [{**row, "text": f"{row['text']} Really."} for row in rows]
    for name, some in (("outputs", rows), ("judged", judged), ("unjudged", [{"text": row["text"]} for row in rows])):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in some))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return tmp_path


def run(*args: str) -> Any:
    done = CliRunner().invoke(cli, [*args, "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.mark.parametrize("command", [*CALLS])
def test_every_option_changes_the_numbers_of_every_command(folder: Path, command: str) -> None:
    found = {name: json.dumps(run(command, "outputs.jsonl", *CALLS[command], *how)) for name, how in HOW.items()}
    assert len(set(found.values())) == len(HOW), [name for name in found if list(found.values()).count(found[name]) > 1]


def test_the_commands_that_score_have_the_options() -> None:
    context = cli.make_context("assay", ["score", "--help"], resilient_parsing=True)
    having = set()
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        if {"--train", "--folds", "--leave-out"} <= {option for one in command.params for option in one.opts}:
            having.add(name)
    assert having == {
        *("score", "meta", "compare", "huse", "contest", "dectest", "nuggets", "certify", "prefer", "power"),
        *("adversaries", "communicate", "correct", "gate", "giveaways", "probe", "replace"),
    }


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("score", "outputs.jsonl", "-e", "bleu", "--folds", "3"), "--folds: none of the evaluators learns"),
        (("meta", "outputs.jsonl", "-e", "bleu", "--target", "length", "--train", "judged.jsonl"), "--train: none of"),
        (("huse", "outputs.jsonl", "--leave-out", "system"), "--leave-out: none of the evaluators learns"),
        (("score", "outputs.jsonl", "-e", NEIGHBORS, "--leave-out", "sistem"), "Did you mean 'system'"),
        (("score", "outputs.jsonl", "-e", NEIGHBORS, "--leave-out", "annotator"), "different annotators judged"),
        (("score", "outputs.jsonl", "-e", NEIGHBORS, "--folds", "99"), "99 folds need at least 99"),
        (("score", "outputs.jsonl", "-e", NEIGHBORS, "--folds", "3", "--train", "judged.jsonl"), "there are no folds"),
        (("score", "unjudged.jsonl", "-e", NEIGHBORS), "judgments of 'typicality', and the data has none"),
        (
            ("power", "--design", "width", "--r", "0.5", "--width", "0.2", "--folds", "3"),
            "--folds: only for an evaluator (-e)",
        ),
    ],
)
def test_what_would_do_nothing_is_refused(folder: Path, args: tuple[str, ...], message: str) -> None:
    with pytest.raises(AssayError) as raised:
        run(*args)
    assert message in str(raised.value)


def test_what_is_scored_needs_no_judgments_where_others_are_learnt_from(folder: Path) -> None:
    (number,) = run("score", "unjudged.jsonl", "-e", NEIGHBORS, "--train", "judged.jsonl")["numbers"]
    assert number["n"] > 0
    assert "|train('" in number["signature"]


def test_a_table_of_scores_is_fitted_already(folder: Path) -> None:
    left_out, asked = ("--leave-out", "system"), ("--target", "length", "--stat", "pearson", "--resamples", "0")
    run("score", "outputs.jsonl", "-e", NEIGHBORS, "-e", "length", *left_out, "-o", "scores.csv")
    again = run("meta", "scores.csv", *asked)
    direct = run("meta", "outputs.jsonl", "-e", NEIGHBORS, *asked, *left_out)
    assert [row["value"] for row in again["numbers"]] == [row["value"] for row in direct["numbers"]]
    with pytest.raises(AssayError, match="already holds scores"):
        run("meta", "scores.csv", "--target", "length", "--folds", "3")


def replayed(*args: str) -> float:
    done = CliRunner().invoke(cli, ["replay", *args, "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    (number,) = json.loads(done.stdout)["numbers"]
    return number["value"]


@pytest.mark.parametrize("how", ["5 folds", "3 folds", "system", "column"])
@pytest.mark.parametrize("command", ["meta", "compare", "dectest"])
def test_a_result_is_made_again_with_the_folds_of_its_signature(folder: Path, command: str, how: str) -> None:
    numbers = run(command, "outputs.jsonl", *CALLS[command], *HOW[how], "--seed", "2")["numbers"]
    made = next(one for one in numbers if one["signature"].startswith(("correlation", "difference")))
    assert made["signature"].count("|folds(") == 1
    assert replayed(made["signature"], "outputs.jsonl") == made["value"]


def test_a_result_of_training_data_is_made_again_with_that_data(folder: Path) -> None:
    for options in (HOW["train"], HOW["train without the system"]):
        made = run("meta", "outputs.jsonl", *CALLS["meta"], *options)["numbers"][0]
        content = made["signature"].partition("|train('")[2][:16]
        assert replayed(made["signature"], "outputs.jsonl", "--train", "judged.jsonl") == made["value"]
        with pytest.raises(AssayError, match=f"fitted on data with the hash {content}. Name it with --train"):
            replayed(made["signature"], "outputs.jsonl")
        with pytest.raises(AssayError, match=f"the training data has the hash .* with the hash {content}"):
            replayed(made["signature"], "outputs.jsonl", "--train", "outputs.jsonl")


def test_no_result_is_made_again_from_scores_of_other_models(folder: Path) -> None:
    asked = ("--target", "length", "--stat", "pearson", "--resamples", "0")
    made = run("meta", "outputs.jsonl", "-e", NEIGHBORS, *asked, "--leave-out", "system")["numbers"][0]
    score = ("score", "outputs.jsonl", "-e", NEIGHBORS, "-e", "length")
    run(*score, "--leave-out", "system", "-o", "same.csv")
    run(*score, "-o", "other.csv")
    assert replayed(made["signature"], "same.csv") == made["value"]
    with pytest.raises(
        AssayError, match=r"made with scores by folds\(leave_out='system'.* these are by folds\(leave_out='i"
    ):
        replayed(made["signature"], "other.csv")
    with pytest.raises(AssayError, match="made with scores by nothing that learns"):
        replayed(made["signature"].rpartition("|folds(")[0], "outputs.jsonl")
    with pytest.raises(AssayError, match="Leave --train out"):
        replayed(made["signature"], "outputs.jsonl", "--train", "judged.jsonl")


def test_a_card_has_the_metrics_as_they_were_fitted(folder: Path) -> None:
    call = ("certify", NEIGHBORS, "--dectest", "outputs.jsonl", "--beside", "length", "--resamples", "0")
    made = [run(*call, *HOW[how])["numbers"][0] for how in ("5 folds", "3 folds", "train")]
    assert len({number["value"] for number in made}) == 3
    assert "|folds(leave_out='item', n=3, seed=0)" in made[1]["signature"]


def test_a_study_takes_the_same_as_keys(folder: Path) -> None:
    def study(keys: str) -> str:
        (folder / "study.toml").write_text(
            f'data = "outputs.jsonl"\nresamples = 0\n{keys}\n[scores]\nevaluators = ["{NEIGHBORS}"]\n'
        )
        done = CliRunner().invoke(cli, ["run", "study.toml", "-o", "out"], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return (folder / "out" / "results.json").read_text()

    keys = ("", "folds = 3", 'leave_out = "system"', 'train = "judged.jsonl"')
    found = [study(one) for one in keys]
    assert len({json.dumps(json.loads(one).get("steps")) for one in found}) == len(keys)
    with pytest.raises(AssayError, match=r"line 3: folds cannot leave out 'sistem'. Did you mean 'system'"):
        study('leave_out = "sistem"')
    with pytest.raises(AssayError, match=r"train: no file 'judget.jsonl'"):
        study('train = "judget.jsonl"')


def test_fitted_once_and_applied_later(folder: Path) -> None:
    made = run("fit", NEIGHBORS, "judged.jsonl", "-o", "judge", "--seed", "4")
    assert (made["seed"], made["training"]["outputs"]) == (4, 36)
    (entry,) = run("score", "unjudged.jsonl", "-e", "neighbors(model='judge')")["numbers"]
    (direct,) = run("score", "unjudged.jsonl", "-e", NEIGHBORS, "--train", "judged.jsonl", "--seed", "4")["numbers"]
    assert entry["value"] == direct["value"]
    assert f"model='judge@{made['content']}'" in entry["signature"]
    with pytest.raises(AssayError, match="none of the evaluators learns"):
        run("score", "unjudged.jsonl", "-e", "neighbors(model='judge')", "--folds", "3")
    with pytest.raises(AssayError, match="something of this name already"):
        run("fit", NEIGHBORS, "judged.jsonl", "-o", "judge")


def test_texts_that_were_learnt_from_are_told_on_stderr(folder: Path) -> None:
    run("fit", NEIGHBORS, "judged.jsonl", "-o", "judge")
    done = CliRunner().invoke(cli, ["score", "judged.jsonl", "-e", "neighbors(model='judge')"], catch_exceptions=False)
    assert "judge was fitted on the texts of 36 and the contexts of 36 of the 36 outputs;" in done.stderr
