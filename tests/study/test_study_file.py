"""Study files: what is wrong is named by key and line."""

import tomllib
from pathlib import Path

import pytest

from assay import DataError, Dataset
from assay.io.toml_lines import lines_of
from assay.study.file import read_study
from assay.study.init import propose
from assay.study.keys import Positive
from assay.typed_values import BadValue, fit
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
    assert study.sources == [str(tmp_path / "outputs.jsonl")]


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
        (('["length", "bleu"]', "[]"), "study.toml line 7: [scores] evaluators: the list is empty. Name at least one."),
        (("[scores]", "[contest]\nevaluators = []\n[scores]"),
         "study.toml line 7: [contest] evaluators: the list is empty. Name at least one, or leave the key out."),
        (('["length", "bleu"]', '[\n  "length",  # "not this"\n  "blue",\n]'), "study.toml line 9: [scores] eval"),
        (("[scores]\nevaluators", "scores.evaluatrs"), "study.toml line 6: [scores] has no key 'evaluatrs'."),
        (("[scores]\nevaluators = [", "[health]\n[scores] # [neighbors]\n'evaluators' = [3, "), "study.toml line 8: "),
        (('[scores]\nevaluators = ["length", "bleu"]', "scores = { evaluators = [3] }"),
         "study.toml line 6: [scores] evaluators: 3 does not fit."),
        (("[scores]", "[[health]]\n[[health]]\n[scores]"),
         "study.toml line 6: write [health], once, with its keys below it."),
        (("seed = 3", "health = true"), "study.toml line 4: write [health], once, with its keys below it."),
        (("[scores]", "[seed]\n[scores]"), "study.toml: not TOML: "),
        (("[scores]", "[systems]\n[scores]"), "study.toml line 6: systems is a key, not a table. Write systems = "),
        (("[scores]", "[[scoers]]"), "study.toml line 6: no step [scoers]. Did you mean 'scores'?"),
        (('data = "outputs.jsonl"', ""), 'study.toml line 1: no data. Write data = "outputs.jsonl".'),
        (("[scores]", "[scores"), "study.toml: not TOML: "),
    ],
)  # fmt: skip
def test_mistakes_are_named(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    assert problems(tmp_path, GOOD.replace(*change))[0].startswith(message)


def test_all_mistakes_come_at_once(tmp_path: Path) -> None:
    text = GOOD.replace("seed = 3", "sed = 3").replace("evaluators", "evaluatrs")
    assert len(problems(tmp_path, text)) == 3


def test_every_bad_element_of_a_list_is_named_with_its_line(tmp_path: Path) -> None:
    text = GOOD.replace('["length", "bleu"]', '[\n  "lenth",\n  "bleu",\n  "blue", 3,\n]')
    assert [problem.partition(": ")[0] for problem in problems(tmp_path, text)] == [
        "study.toml line 8",
        "study.toml line 10",
        "study.toml line 10",
    ]


def test_what_a_list_repeats_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(GOOD.replace('"bleu"', '"bleu", "length"'))
    assert read_study(path).steps["scores"].evaluators == ("length", "bleu")  # type: ignore[attr-defined]


def test_an_empty_list_is_a_value_where_it_is_the_default(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(
        GOOD.replace("[scores]", '[meta]\nlevels = []\ntargets = ["bleu"]\nevaluators = ["length"]\n[scores]')
    )
    assert "meta" in read_study(path).steps


def test_a_number_that_must_be_positive() -> None:
    assert fit(1, Positive) == 1
    with pytest.raises(BadValue, match=r"0 does not fit\. Give a whole number above 0 and at most 1,000,000\."):
        fit(0, Positive)


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(GOOD.lstrip(), encoding="utf-8-sig")
    assert read_study(path).title == "A study"


def test_a_study_file_that_is_not_there_or_a_folder_is_told_plainly(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"no\.toml: no such file\. Write one with: assay init outputs\.jsonl > no\.toml"
    ):
        read_study(tmp_path / "no.toml")
    with pytest.raises(DataError, match=r": a folder\. Name the study file in it\."):
        read_study(tmp_path)
    (tmp_path / "latin.toml").write_bytes('title = "é"'.encode("latin-1"))
    with pytest.raises(DataError, match=r"not UTF-8 at byte 10\. Save it as UTF-8\."):
        read_study(tmp_path / "latin.toml")


def test_everything_in_a_toml_file_has_its_line() -> None:
    text = '''# a comment with [brackets]
"a key" = """one
[two]""" # three
b.c = [1, [2,
  3], {d = 'x]', "e.f" = 1979-05-27}]
[g . h]
i = "\\"]"
[[j]]
k = 1
[[j]]
k = 2
[j.l]
m = 3
'''
    assert set(tomllib.loads(text)) == {"a key", "b", "g", "j"}
    assert lines_of(text) == {
        ("a key",): 2,
        ("b",): 4, ("b", "c"): 4, ("b", "c", 0): 4, ("b", "c", 1): 4, ("b", "c", 1, 0): 4,
        ("b", "c", 1, 1): 5, ("b", "c", 2): 5, ("b", "c", 2, "d"): 5, ("b", "c", 2, "e.f"): 5,
        ("g",): 6, ("g", "h"): 6, ("g", "h", "i"): 7,
        ("j",): 8, ("j", 0): 8, ("j", 0, "k"): 9,
        ("j", 1): 10, ("j", 1, "k"): 11, ("j", 1, "l"): 12, ("j", 1, "l", "m"): 13,
    }  # fmt: skip


def test_names_with_any_character_are_proposed_so_that_they_can_be_read(tmp_path: Path) -> None:
    odd = ["del\x7f", "two\nlines", 'quo"te\\', "tab\t\x00", "é 😀\u2028"]
    judged = [{"annotator": "x", "criterion": name, "value": 1} for name in odd]
    rows = [{"text": f"text {name}", "system": name, "judgments": judged} for name in odd]
    proposed = propose("out\x7fputs.jsonl", Dataset.from_records(rows))
    path = tmp_path / "study.toml"
    path.write_text(proposed.replace("# systems", "systems"), encoding="utf-8", newline="")
    study = read_study(path)
    assert (study.data, study.systems) == ("out\x7fputs.jsonl", tuple(odd))


def test_what_is_proposed_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(propose("outputs.jsonl", Dataset.from_records(records())))
    assert "scores" in read_study(path).steps


def test_what_the_data_lacks_is_proposed_as_a_comment() -> None:
    text = propose("x.jsonl", Dataset.from_records([{"text": "a"}, {"text": "b"}]))
    assert "# [neighbors]: does not apply to this data" in text
    assert '"bleu"' not in text


def test_what_is_proposed_can_be_narrowed_to_some_systems(tmp_path: Path) -> None:
    proposed = propose("outputs.jsonl", Dataset.from_records(records()))
    commented = next(line for line in proposed.splitlines() if line.startswith("# systems = "))
    path = tmp_path / "study.toml"
    path.write_text(proposed.replace(commented, commented.removeprefix("# ")))
    assert read_study(path).systems == ("people", "a", "b")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("data = " + "[" * 5000 + "]" * 5000, "study.toml: nested more than 50 levels deep"),
        ("data = " + "[" * 60 + "]" * 60, "study.toml: nested more than 50 levels deep"),
        ("scores." + ".".join("a" * 2000) + " = 1", "study.toml: nested more than 50 levels deep"),
        ("seed = " + "1" * 5000, "study.toml: not usable as TOML: Exceeds the limit"),
        ("[huse]\nmargin = 1" + "0" * 400, "study.toml line 1: no data"),
    ],
)
def test_what_python_cannot_hold_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "study.toml").write_text(text)
    with pytest.raises(DataError) as caught:
        read_study(tmp_path / "study.toml")
    assert message in str(caught.value) or "line" in str(caught.value)


def test_a_long_study_file_is_read_quickly(tmp_path: Path) -> None:
    names = "".join(f'  "system {k}",\n' for k in range(20_000))
    (tmp_path / "study.toml").write_text(f'data = "x.jsonl"\nsystems = [\n{names}]\n[health]\n')
    assert len(read_study(tmp_path / "study.toml").systems) == 20_000


def test_criteria_of_a_study(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(GOOD + '\n[criteria.typicality]\nscale = "ordinal"\nlow = 0\nhigh = 5\n')
    assert read_study(path).criteria["typicality"].high == 5
    path.write_text(GOOD + '\n[criteria.typicality]\nscale = "ordnal"\n')
    line = len(GOOD.splitlines()) + 2
    with pytest.raises(DataError, match=rf"study.toml line {line}: \[criteria.typicality\] scale is .*'ordinal'"):
        read_study(path)
