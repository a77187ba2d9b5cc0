"""Study files: what is wrong is named by key and line."""

from pathlib import Path

import pytest

from assay import DataError, Dataset
from assay.study.file import read_study
from assay.study.init import propose
from tests.contracts.worlds import records

GOOD = """
title = "A study"
data = "outputs.jsonl"
seed = 3

[scores]
evaluators = ["length", "bleu"]
"""


def problems(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "study.toml"
    path.write_text(text)
    with pytest.raises(DataError) as caught:
        read_study(path)
    return caught.value.problems


def test_a_study_is_read_with_defaults(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(GOOD)
    study = read_study(path)
    assert (study.title, study.seed, study.resamples, list(study.steps)) == ("A study", 3, 1000, ["scores"])
    assert study.source == str(tmp_path / "outputs.jsonl")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("seed = 3", "sed = 3"), "study.toml line 4: no key 'sed'. Did you mean 'seed'?"),
        (("seed = 3", 'seed = "3"'), "study.toml line 4: seed: '3' does not fit. Give a whole number"),
        (("seed = 3", "seed = true"), "study.toml line 4: seed: True does not fit. Give a whole number"),
        (("seed = 3", "seed = -3"), "study.toml line 4: seed: -3 does not fit. Give a whole number that is not neg"),
        (("seed = 3", "resamples = -1"), "study.toml line 4: resamples: -1 does not fit."),
        (("seed = 3", "systems = [1]"), "study.toml line 4: systems: 1 does not fit. Give a text."),
        (("seed = 3", 'systems = "a"'), "study.toml line 4: systems: 'a' does not fit. Give a list of texts."),
        (('"bleu"', '"blue"'), "study.toml line 7: [scores] evaluators: no evaluator 'blue'. Did you mean 'bleu'?"),
        (('"bleu"', '"bleu(max_ordr=2)"'), "study.toml line 7: [scores] evaluators: "),
        (("[scores]", "[contest]\nlabel = 3\n[scores]"), "study.toml line 7: [contest] label: 3 does not fit."),
        (("[scores]", '[neighbors]\ncriterion = "x"\nkernel = "blue"\n[scores]'), "study.toml line 6: [neighbors]: "),
        (("[scores]", '[neighbors]\n[scores]'), "study.toml line 6: [neighbors] needs the key 'criterion'."),
        (("[scores]", '[meta]\ntargets = ["length"]\nevaluators = ["bleu"]\nlevels = ["outptu"]\n[scores]'),
         "study.toml line 9: [meta] levels: 'outptu' is not among the choices. Did you mean 'output'?"),
        (("[scores]", "[scoers]"), "study.toml line 6: no step [scoers]. Did you mean 'scores'?"),
        (("evaluators =", "evaluatrs ="), "study.toml line 7: [scores] has no key 'evaluatrs'. Did you mean"),
        (('["length", "bleu"]', "3"), "study.toml line 7: [scores] evaluators: 3 does not fit. Give a list of eval"),
        (('["length", "bleu"]', "[3]"), "study.toml line 7: [scores] evaluators: 3 does not fit. Give a text."),
        (('data = "outputs.jsonl"', ""), 'study.toml line 1: no data. Write data = "outputs.jsonl".'),
        (("[scores]", "[scores"), "study.toml: not TOML: "),
    ],
)  # fmt: skip
def test_mistakes_are_named(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    assert problems(tmp_path, GOOD.replace(*change))[0].startswith(message)


def test_all_mistakes_come_at_once(tmp_path: Path) -> None:
    text = GOOD.replace("seed = 3", "sed = 3").replace("evaluators", "evaluatrs")
    assert len(problems(tmp_path, text)) == 3


def test_what_is_proposed_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(propose("outputs.jsonl", Dataset.from_records(records())))
    assert "scores" in read_study(path).steps


def test_what_the_data_lacks_is_proposed_as_a_comment() -> None:
    text = propose("x.jsonl", Dataset.from_records([{"text": "a"}, {"text": "b"}]))
    assert "# [neighbors]: this data has nothing for it" in text
    assert '"bleu"' not in text


def test_what_is_proposed_can_be_narrowed_to_some_systems(tmp_path: Path) -> None:
    proposed = propose("outputs.jsonl", Dataset.from_records(records()))
    commented = next(line for line in proposed.splitlines() if line.startswith("# systems = "))
    path = tmp_path / "study.toml"
    path.write_text(proposed.replace(commented, commented.removeprefix("# ")))
    assert read_study(path).systems == ("people", "a", "b")
