"""Write, read, ask again: at no seam does a number change by a bit, for any evaluator of the registry."""

import json
from dataclasses import asdict
from functools import cache
from math import inf, nan
from pathlib import Path

import pytest
from click.testing import CliRunner

import assay
from assay import registry
from assay.cli import cli
from assay.evaluator import Answer, Shape, evaluator, per_unit
from assay.metaeval.questions.correlation import correlate
from assay.metaeval.questions.inquiry import Inquiry
from assay.metaeval.questions.pair_tests import Procedure
from assay.metaeval.questions.question import Question, Resampling
from assay.metaeval.systems.comparison import compare_systems
from assay.part import Number, Part
from assay.records import Output
from assay.sample import copy_to
from assay.scores import Column, ScoreTable
from tests.contracts.worlds import WORLDS, example, training
from tests.io.test_score_tables import ENDINGS, assert_same

TARGET = "human('typicality')"


@cache
def scored(name: str, world: str = "ordinary") -> ScoreTable:
    return assay.score(WORLDS[world](), [example(name)], train=training())


def asked(table: ScoreTable, name: str) -> str:
    """What is said of a table: correlations at both levels and comparisons of systems, every digit of them."""
    levels = (table.kind,) if table.kind == "system" else (table.kind, "system")
    resampling = Resampling(5)
    question = Question(name, (name,), ("pearson", "kendall"), levels, resampling=resampling)
    answers = [repr(asdict(one)) for one in correlate(Inquiry(table, question))]
    if table.kind != "system":
        found, clusters = compare_systems(table, resampling=resampling, procedure=Procedure("permutation"))
        answers += [repr(asdict(one)) for one in (*found, *clusters)]
    return "\n".join(answers)


class CountingCache(assay.ScoreCache):
    """A cache that counts what it gave."""

    hits = 0

    def get(self, *key: object, **how: object) -> Column | None:
        found = super().get(*key, **how)  # type: ignore[arg-type]
        self.hits += found is not None
        return found


@pytest.mark.parametrize("name", registry.BUILTIN)
class TestEveryEvaluator:
    @pytest.mark.parametrize("world", ["ordinary", "empty texts"])
    def test_a_table_on_disk_is_the_table(self, name: str, world: str, tmp_path: Path) -> None:
        table = scored(name, world)
        for ending in ENDINGS:
            path = tmp_path / f"scores.{ending}"
            assay.save_scores(table, path)
            again = assay.load_scores(path)
            assert_same(table, again)
            assert_same(table.by_system(), again.by_system())
        if world == "ordinary":
            assert asked(table, example(name)) == asked(again, example(name))

    def test_scores_from_the_cache_are_the_scores(self, name: str, tmp_path: Path) -> None:
        kept = CountingCache(tmp_path)
        for _ in range(2):
            again = assay.score(WORLDS["ordinary"](), [example(name)], train=training(), cache=kept)
            assert_same(scored(name), again)
            assert_same(scored(name).by_system(), again.by_system())
        assert kept.hits == registry.parse(example(name)).about.stored

    def test_its_signature_gives_its_scores_again(self, name: str) -> None:
        table = scored(name)
        signature = table[example(name)].signature
        again = assay.score(WORLDS["ordinary"](), [signature], train=training())[signature]
        assert again.signature == signature
        assert again.values.tobytes() == table[example(name)].values.tobytes()


@evaluator(scale="any", units=("output", "set"))
def explained(*, every: int = 3) -> Shape:
    """Words, and why: a text beside each number, and beside some gaps."""

    def score(unit: Output | list[Output]) -> Answer:
        text = " / ".join(output.text for output in (unit if isinstance(unit, list) else [unit]))
        if len(text) % every == 0:
            return Answer(reason="no verdict", text=f"\x1b[2J\r\n{text}\ud800")
        return Answer(len(text.split()), f'"{text}", they said' if len(text) % 2 else "")

    return per_unit(score)


@pytest.mark.parametrize("unit", ["output", "set"])
def test_a_text_beside_a_number_is_the_text_at_every_seam(
    unit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = WORLDS["many scripts"]()
    table = assay.score(data, [explained()], unit=unit)
    texts = table["explained(every=3)"].texts
    assert texts is not None and len(set(texts)) > 2 and any("\x1b[2J" in text for text in texts)
    for ending in ENDINGS:
        assay.save_scores(table, tmp_path / f"scores.{ending}")
        assert_same(table, assay.load_scores(tmp_path / f"scores.{ending}"))
    kept = CountingCache(tmp_path)
    for hits in (0, 1):
        assert_same(table, assay.score(data, [explained()], unit=unit, cache=kept))
        assert kept.hits == hits
    monkeypatch.setattr("assay.run.one_pass.CHUNK", 7)
    assert_same(table, assay.score(data, [explained()], unit=unit, workers=2))


NUMBERS = (
    Number("a", 0.1 + 0.2, 3, "x()|local", 1, -0.0, 5e-324, "", {"system": "s", "level": 2}),
    Number("b", nan, 0, "x()|local", 7, reason="too few"),
    Number("c", inf, 1, "x()|local", low=-inf, high=inf),
)


def test_the_part_of_a_step_is_the_part_when_it_was_kept() -> None:
    part = Part("t", "s", numbers=NUMBERS)
    again = Part.from_json(json.loads(json.dumps(part.to_json(), allow_nan=False)))
    assert repr(again) == repr(part)


COMMANDS = (
    ("meta", "--target", "human(criterion='typicality')", "-e", "ter", "-e", "bleu", "--level", "output", "system"),
    ("meta", "--target", "human(criterion='typicality')", "-e", "ter", "-e", "bleu", "--level", "system"),
    ("compare", "-e", "ter", "-e", "bleu", "--systems", "ngram-t0.7", "people", "collapsed"),
)


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copy_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return tmp_path


def run(*words: str) -> str:
    done = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_commands_say_of_a_table_what_they_say_of_the_data(sample: Path) -> None:
    evaluators = ("-e", "bleu", "-e", "ter", "-e", "human(criterion='typicality')")
    for ending in ENDINGS:
        run("score", "outputs.jsonl", *evaluators, "-o", f"scores.{ending}")
    for command, *words in COMMANDS:
        more = (*words, "--resamples", "20", "--json")
        of_data = json.loads(run(command, "outputs.jsonl", *more))
        for ending in ENDINGS:
            # Which systems are people, and so no generators, is not in a table of scores, nor what they were asked.
            of_table = json.loads(run(command, f"scores.{ending}", *more))
            assert command == "meta" or of_table["answers"] == {}
            assert of_data["summary"].startswith(of_table["summary"])
            unknown = {"answers": None, "summary": None}
            assert of_table | unknown == of_data | unknown


def test_a_result_is_replayed_from_the_table(sample: Path) -> None:
    run("score", "outputs.jsonl", "-e", "ter", "-e", "human(criterion='typicality')", "-o", "scores.csv")
    words = ("--target", "human(criterion='typicality')", "-e", "ter", "--stat", "kendall", "--resamples", "20")
    result = json.loads(run("meta", "scores.csv", *words, "--json"))["numbers"][0]
    for data in ("scores.csv", "outputs.jsonl"):
        again = json.loads(run("replay", result["signature"], data, "--json"))["numbers"][0]
        assert (again["value"], *again["interval"]) == (result["value"], *result["interval"])


def test_the_direction_survives_and_a_foreign_table_has_none(sample: Path) -> None:
    """TER and people agree, at system level too; a table without directions says so and takes scores as they are."""
    run("score", "outputs.jsonl", "-e", "ter", "-e", "human(criterion='typicality')", "-o", "scores.csv")
    words = ("--target", "human(criterion='typicality')", "--level", "system", "--resamples", "0", "--json")
    value = json.loads(run("meta", "scores.csv", *words))["numbers"][0]["value"]
    assert value > 0.8
    table = assay.load_scores("scores.csv")
    lines = ["system,item,unit,ter,human"]
    rows = zip(table.system, table.item, table.unit, *(c.values.tolist() for c in table.columns.values()), strict=True)
    lines += [",".join(map(str, row)) for row in rows]
    Path("bare.csv").write_text("\n".join(lines), encoding="utf-8")
    done = CliRunner().invoke(cli, ["meta", "bare.csv", "--target", "human", *words[2:]], catch_exceptions=False)
    assert "bare.csv does not say whether higher is better (ter, human)" in done.stderr
    assert json.loads(done.stdout)["numbers"][0]["value"] < 0


def test_another_unit_than_the_tables_is_refused(sample: Path) -> None:
    run("score", "outputs.jsonl", "-e", "bleu", "-e", "length", "-o", "scores.csv")
    done = CliRunner().invoke(cli, ["meta", "scores.csv", "--target", "length", "--unit", "set"])
    assert "holds scores of outputs, not of sets" in str(done.exception)


def test_results_and_score_tables_of_a_study_give_their_numbers_again(sample: Path) -> None:
    text = 'title = "t"\ndata = "outputs.jsonl"\nresamples = 20\n[scores]\nevaluators = ["ter", "bleu", "distinct"]\n'
    Path("study.toml").write_text(text, encoding="utf-8")
    run("run", "study.toml")
    results = json.loads(Path("out/results.json").read_text(encoding="utf-8"))
    data = assay.load("outputs.jsonl")
    numbers = results["steps"][0]["numbers"]
    assert numbers
    for unit in ("output", "set"):
        table = assay.load_scores(f"out/scores/{unit}s.csv")
        names = list(table.columns)
        assert_same(table, assay.score(data, names, unit=unit))
        systems = table.by_system()
        for number in numbers:
            if number["evaluator"] in names:
                row = systems.unit.to_list().index(number["system"])
                assert systems[number["evaluator"]].values[row] == number["value"]
                assert systems[number["evaluator"]].signature == number["signature"]
