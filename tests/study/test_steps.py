"""What every step of a study must give: numbers that can be trusted or say why not, and nothing that cannot be kept."""

import json
from dataclasses import replace
from math import isnan
from pathlib import Path

import numpy as np
import pytest

from assay import Dataset, load, score
from assay.grammar import parse_call
from assay.part import Part
from assay.study.step import steps
from assay.study.task import Task
from tests.annotate.studies import answer_all, enrolled
from tests.annotate.test_stores_as_data import served
from tests.contracts.worlds import records
from tests.study.test_discriminators_step import texts
from tests.tiny_models import tiny_judge

# What is proposed for the small world, and steps that it proposes nothing for.
FURTHER = {
    "contest": {"evaluators": ("distinct",)},
    "dectest": {"evaluators": ("distinct",), "subset": 10, "repeats": 3},
    "judge": {"model": str(tiny_judge()), "answer": "chosen"},
}


# Steps that need data of another kind: the texts of the small world all hang together.
ELSEWHERE = {"discriminators": texts(40, 30)}


def world() -> Dataset:
    """The small world with a label and a temperature for each set."""
    rows = records()
    for row in rows:
        row["set_columns"] = {"label_value": 1.0 if row["system"] == "a" else 0.0}
        row["params"] = {"temperature": 0.5 if row["system"] == "a" else 1.0}
        answer = {"annotator": "m", "criterion": "typicality", "value": 3, "annotator_kind": "model"}
        row["judgments"] = [*row["judgments"], answer]
    # Something that only the model has judged.
    rows[-1]["judgments"] = [one for one in rows[-1]["judgments"] if one["annotator"] == "m"]
    return Dataset.from_records(rows)


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Part]:
    dataset = world()
    task = Task(dataset, seed=3, resamples=20)
    found = {}
    for name, step in steps().items():
        if name in (*ELSEWHERE, "annotate"):
            continue
        keys = step.proposal(dataset)
        keys = FURTHER.get(name) if keys is None else keys
        assert keys is not None, f"nothing is proposed for [{name}]"
        plain = {key: tuple(value) if isinstance(value, list) else value for key, value in keys.items()}
        found[name] = step(**(plain | FURTHER.get(name, {}))).run(task)
    for name, data in ELSEWHERE.items():
        keys = steps()[name].proposal(data)
        assert keys is not None, f"nothing is proposed for [{name}]"
        found[name] = steps()[name](**{key: tuple(value) for key, value in keys.items()}).run(
            replace(task, dataset=data)
        )
    found["annotate"] = annotated(tmp_path_factory.mktemp("annotate") / "protocol.sqlite")
    return found


def annotated(store: Path) -> Part:
    """The part of a step whose store is the data."""
    with served(str(store)) as service:
        for _ in range(2):
            answer_all(service, enrolled(service))
        return steps()["annotate"](store=str(store)).run(Task(load(store), sources=(str(store),)))  # type: ignore[call-arg]


@pytest.mark.parametrize("name", list(steps()))
def test_every_number_says_what_it_rests_on(parts: dict[str, Part], name: str) -> None:
    assert parts[name].numbers
    for number in parts[name].numbers:
        stored = number.to_json(3)
        assert {"name", "value", "n", "n_missing", "interval", "reason", "signature", "seed"} <= set(stored)
        assert isinstance(stored["n"], int) and stored["n"] >= 0
        assert isinstance(stored["n_missing"], int)
        assert parse_call(stored["signature"])
        assert stored["interval"] or stored["reason"], stored
        if isnan(number.value):
            assert number.reason, stored
        if stored["interval"]:
            assert stored["interval"][0] <= stored["interval"][1]


@pytest.mark.parametrize("name", list(steps()))
def test_a_part_is_the_same_after_it_was_kept(parts: dict[str, Part], name: str) -> None:
    stored = json.dumps(parts[name].to_json(), allow_nan=False)
    again = Part.from_json(json.loads(stored))
    assert json.dumps(again.to_json(), allow_nan=False) == stored


@pytest.mark.parametrize("name", list(steps()))
def test_tables_fit_their_headers(parts: dict[str, Part], name: str) -> None:
    for table in parts[name].tables:
        assert all(len(row) == len(table.header) for row in table.rows)


def test_names_of_files_are_not_used_twice(parts: dict[str, Part]) -> None:
    tables = [table.name for part in parts.values() for table in part.tables]
    assert len(tables) == len(set(tables))
    pictures = [picture.name for part in parts.values() for picture in part.pictures]
    assert len(pictures) == len(set(pictures))


def test_a_score_of_a_system_is_that_of_its_units(parts: dict[str, Part]) -> None:
    rows = [line.split(",") for line in parts["scores"].scores["outputs"].splitlines()]
    column = rows[0].index("length")
    mine = [float(row[column]) for row in rows[1:] if row[2] == "a"]
    number = next(n for n in parts["scores"].numbers if n.about["evaluator"] == "length" and n.about["system"] == "a")
    assert number.value == pytest.approx(np.mean(mine))
    assert number.n == len(mine)
    assert number.reason == "too few items for an interval (6 < 8)"


def test_a_score_of_a_system_lies_in_its_interval() -> None:
    rows = [
        {"system": system, "item": f"i{item}", "text": "word " * (item % 4 + 1 + (system == "a"))}
        for item in range(12)
        for system in "ab"
    ]
    part = steps()["scores"](evaluators=("length",)).run(Task(Dataset.from_records(rows)))  # type: ignore[call-arg]
    assert len(part.numbers) == 2
    assert all(number.low < number.value < number.high for number in part.numbers)


def far_apart() -> Dataset:
    """Twelve generators far apart, rated on 20 items."""
    rng = np.random.default_rng(0)
    return Dataset.from_records(
        {"system": f"s{system:02}", "item": f"i{item}", "text": "x", "quality": 100.0 * system + rng.normal()}
        for item in range(20)
        for system in range(12)
    )


@pytest.mark.parametrize("seed", [0, 1])
def test_generators_far_apart_are_clusters_of_their_own_whatever_the_seed(seed: int) -> None:
    step = steps()["generators"](evaluators=("column('quality')",))  # type: ignore[call-arg]
    part = step.run(Task(far_apart(), seed=seed, resamples=20))
    assert part.answers["best"] == [
        "By column('quality'), s11 leads with 1100.029, significantly above every other generator."
    ]
    ranking = part.tables[0]
    cells = [dict(zip(ranking.header, row, strict=True)) for row in ranking.rows]
    assert [cell["cluster"] for cell in cells] == list(range(1, 13))
    assert [cell["ranks"] for cell in cells] == [f"{rank}-{rank}" for rank in range(1, 13)]


def test_steps_share_their_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.study import task as module

    asked: list[str] = []
    score = module.score
    monkeypatch.setattr(module, "score", lambda data, names, **how: (asked.extend(names), score(data, names, **how))[1])
    task = Task(world(), resamples=20)
    task.score(["length", "bleu"])
    assert list(task.score(["bleu", "chrf"]).columns) == ["bleu", "chrf"]
    assert asked == ["length", "bleu", "chrf"]


def test_several_targets_and_levels_stand_side_by_side() -> None:
    step = steps()["meta"](
        targets=("human(criterion='typicality')", "bleu"),
        evaluators=("bleu", "length"),
        levels=("output", "set", "system"),
    )  # type: ignore[call-arg]
    part = step.run(Task(world(), resamples=20))
    asked = {(number.about.get("target"), number.about["level"]) for number in part.numbers if "target" in number.about}
    assert {level for _, level in asked} == {"output", "set", "system"}
    assert {target for target, _ in asked} == {"human(criterion='typicality')", "bleu"}


@pytest.mark.parametrize("name", ["huse", "scores", "diversity"])
def test_the_signature_of_a_score_gives_the_score_again(parts: dict[str, Part], name: str) -> None:
    dataset = world()
    for made in dict.fromkeys(number.signature for number in parts[name].numbers):
        again = score(dataset, [made]).by_system()
        values = dict(zip(again.unit, again[made].values.tolist(), strict=True))
        for number in parts[name].numbers:
            if number.signature == made:
                assert values[number.about["system"]] == pytest.approx(number.value, nan_ok=True), (made, number)
