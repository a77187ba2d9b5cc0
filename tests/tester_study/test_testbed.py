"""The testbed: halves that share nothing, testers that are trained once, readers that are blind, a report."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import assay
from assay import Dataset
from assay.cli import cli
from assay.errors import DataError, GeneratorError
from assay.tester_study import testers as testers_module
from assay.tester_study.readers import CRITERION, simulated_judgments
from assay.tester_study.texts import divide
from tests.tiny_models import tiny_language_model

SUBJECTS = ("the film", "this book", "my phone", "the battery", "that story", "the camera", "the ending", "our hotel")
VERBS = ("was", "felt", "seems", "looked")
WORDS = ("great", "slow", "far too long", "a real joy", "worth the price", "dull", "very kind", "broken on arrival")


def reviews(n: int = 120, seed: int = 0) -> Dataset:
    rng = np.random.default_rng(seed)
    rows = [
        {
            "item": f"i{k}",
            "text": f"{rng.choice(SUBJECTS)} {rng.choice(VERBS)} {rng.choice(WORDS)} and {rng.choice(SUBJECTS)} "
            f"{rng.choice(VERBS)} {rng.choice(WORDS)} on day {k}",
        }
        for k in range(n)
    ]
    return Dataset.from_records(rows)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, assay.Part]:
    place = tmp_path_factory.mktemp("testbed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_CACHE", str(place / "cache"))
        part = assay.testbed(reviews(), place / "study", kinds=["ngram", "copying"], quick=True)
    return place / "study", part


def test_a_study_has_texts_log_probabilities_judgments_and_a_report(study: tuple[Path, assay.Part]) -> None:
    folder, part = study
    assert part.headline["failed"] == [] and Path(part.headline["report"]).is_file()
    data = assay.load(folder / "outputs.jsonl")
    assert data.systems.id.to_list() == ["people", "ngram", "copying"]
    assert (data.human.sum(), len(data)) == (60, 60 + 2 * 40)
    # Every human text has a log-probability under every system, and every system's text under its own.
    assert len(data.logprobs) == 60 * 2 + 2 * 40
    assert data.judgments.criteria.to_list() == [CRITERION]
    assert all(name.startswith("simulated-") for name in data.judgments.annotators)
    systems = part.table("testbed_systems").records()
    assert [row["system"] for row in systems] == ["people", "ngram", "copying"]
    assert any("no person was asked" in note for note in part.notes)
    names = {step["name"] for step in json.loads((folder / "out" / "results.json").read_text())["steps"]}
    assert names >= {"testers", "findings", "huse", "scores", "originality", "discriminators", "matrix"}


def test_too_few_generators_decide_nothing(study: tuple[Path, assay.Part]) -> None:
    rows = study[1].table("findings").records()
    assert [row["verdict"] for row in rows] == ["only 2 systems have both scores; 3 are needed"] * 3
    assert all("of people nothing is known" in line for line in study[1].answers["trust"])


def test_what_is_finished_is_never_done_again(study: tuple[Path, assay.Part], monkeypatch: pytest.MonkeyPatch) -> None:
    folder, first = study
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("done again")

    monkeypatch.setattr(testers_module, "fit_generator", refuse)
    monkeypatch.setattr(testers_module, "generate", refuse)
    monkeypatch.setattr(testers_module, "logprob", refuse)
    again = assay.testbed(reviews(), folder, kinds=["ngram", "copying"], quick=True)
    assert again.to_json() == first.to_json()
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


@pytest.mark.slow
def test_a_killed_study_goes_on_and_ends_at_the_same_bytes(study: tuple[Path, assay.Part], tmp_path: Path) -> None:
    assay.save(reviews(), tmp_path / "reviews.jsonl")
    call = ["testbed", "reviews.jsonl", "-o", "study", "--kinds", "ngram", "--kinds", "copying", "--quick"]
    environment = os.environ | {"ASSAY_CACHE": str(tmp_path / "cache")}
    sample = tmp_path / "study" / "samples" / "ngram.jsonl"
    with subprocess.Popen(
        [sys.executable, "-m", "assay", *call],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        while process.poll() is None and not sample.exists():
            time.sleep(0.01)
        process.kill()
        process.communicate()
    trained = sample.read_bytes(), sample.stat().st_mtime_ns
    assert not (tmp_path / "study" / "outputs.jsonl").exists()
    subprocess.run(
        [sys.executable, "-m", "assay", *call], cwd=tmp_path, env=environment, check=True, capture_output=True
    )
    assert (sample.read_bytes(), sample.stat().st_mtime_ns) == trained
    for name in ("outputs.jsonl", "train.jsonl", "out/results.json"):
        assert (tmp_path / "study" / name).read_bytes() == (study[0] / name).read_bytes()


def test_a_folder_of_other_settings_or_of_something_else_is_refused(
    study: tuple[Path, assay.Part], tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=r"other settings: n 40\. Give these, or name a new folder"):
        assay.testbed(reviews(), study[0], kinds=["ngram"], quick=True, n=20)
    with pytest.raises(DataError, match="other settings: texts"):
        assay.testbed(reviews(seed=1), study[0], kinds=["ngram"], quick=True)
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(DataError, match="not empty, and no testbed"):
        assay.testbed(reviews(), tmp_path, kinds=["ngram"])


def test_a_tester_that_cannot_learn_is_left_out_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cannot(*_: Any, **__: Any) -> None:
        raise GeneratorError("it needs attributes, and the data has none.")

    monkeypatch.setattr(testers_module, "fit_generator", cannot)
    with pytest.raises(DataError, match=r"no generator could be trained.*ngram: it needs attributes"):
        assay.testbed(reviews(), tmp_path / "study", kinds=["ngram"])


def test_halves_share_no_text_and_no_item() -> None:
    rows = [
        {
            "item": f"i{k % 40}",
            "context": f"c{k % 40}",
            "text": f"text {k % 80}",
            "human": k < 100,
            "system": "people" if k < 100 else "model",
        }
        for k in range(160)
    ]
    texts = divide(Dataset.from_records(rows), 0)
    for column in ("text", "item"):
        sides = [
            {(output.text if column == "text" else output.item.id) for output in map(side.output, range(len(side)))}
            for side in (texts.train, texts.people)
        ]
        assert sides[0] and sides[1] and not sides[0] & sides[1]
    assert texts.people.human.all() and texts.people.item(0).context.startswith("c")
    assert len(texts.items(5, 0).items) == 5


def test_readers_are_blind_and_prefer_the_order_of_words_that_people_use() -> None:
    human = [
        {"item": f"i{k}", "text": reviews().outputs.text[k], "human": True, "system": "people"} for k in range(100)
    ]
    rng = np.random.default_rng(1)
    mixed = [
        {**row, "human": False, "system": "mixed", "text": " ".join(rng.permutation(str(row["text"]).split()))}
        for row in human
    ]
    data = Dataset.from_records([*human, *mixed])
    renamed = Dataset.from_records([*human, *({**row, "system": "other"} for row in mixed)])
    ratings = simulated_judgments(data, 0)
    assert ratings == simulated_judgments(renamed, 0) != simulated_judgments(data, 1)
    means = np.array([np.mean([one["value"] for one in row]) for row in ratings])
    assert means[:100].mean() > means[100:].mean() + 1


def test_an_empty_text_is_the_worst_for_a_reader_that_ends_at_once() -> None:
    human = [{"item": f"i{k}", "text": "ab"[k % 2] * (1 + k % 7), "human": True, "system": "people"} for k in range(30)]
    ended = [{"item": f"i{k}", "text": "", "human": False, "system": "ended"} for k in range(30)]
    reader = str(tiny_language_model())
    ratings = simulated_judgments(Dataset.from_records([*human, *ended]), 0, reader)
    means = np.array([np.mean([one["value"] for one in row]) for row in ratings])
    assert means[30:].max() < means[:30].mean() - 1


def test_bad_input_is_one_plain_message(tmp_path: Path) -> None:
    texts = tmp_path / "texts.jsonl"
    assay.save(reviews(), texts)
    few = tmp_path / "few.jsonl"
    assay.save(reviews(30), few)
    for words, says, code in (
        ([str(few)], "30 different human texts are too few for a testbed; give at least 60", 1),
        ([str(texts), "--kinds", "ngarm"], "there is no generator 'ngarm'", 1),
        ([str(texts), "--n", "61"], "give a number from 2 to that", 1),
        ([str(texts), "--temperature", "0"], "give temperatures above 0", 1),
        ([str(texts), "--quik"], "No such option", 2),
        ([str(texts), "--attributes", "ratin"], "the data has no column 'ratin'", 1),
        ([str(texts), "--reader", "smolm2"], "smolm2: not a model folder (no config.json in it). Give a folder", 1),
        ([str(texts), "--models", "smolm2"], "smolm2: not a model folder (no config.json in it). Give a folder", 1),
        ([str(texts), "--tune", "smolm2"], "smolm2: not a model folder (no config.json in it). Give a folder", 1),
        ([str(tmp_path / "nowhere.jsonl")], "no such file", 1),
    ):
        result = CliRunner().invoke(cli, ["testbed", *words, "-o", str(tmp_path / "study")])
        assert (result.exit_code, says in f"{result.output}{result.exception}") == (code, True), result.output
        assert not (tmp_path / "study").exists()
