"""Studies of odd data: nothing breaks, nothing is claimed that the numbers do not say, no file replaces another."""

import re
from collections.abc import Callable
from math import isnan
from typing import Any

import numpy as np
import pytest

from assay import AssayError, Dataset
from assay.part import Part
from assay.study.step import steps
from assay.study.task import Task

LONG = "how well does this answer fit what a person would have said in this situation, everything considered? " * 3


def rows(
    systems: tuple[str, ...] = ("people", "a", "b"),
    items: int = 8,
    each: int = 2,
    criteria: tuple[str, ...] = ("good",),
    value: Callable[[np.random.Generator], Any] = lambda rng: int(rng.integers(0, 5)),
    **more: Any,
) -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    return [
        {
            "item": f"i{item}",
            "system": system,
            "human": system == "people",
            "text": f"word{rng.integers(5)} word{rng.integers(5)} {'more ' * int(rng.integers(3))}",
            "logprobs": {name: float(-rng.gamma(2) * 4) for name in systems if name != "people"},
            "n_tokens": 4,
            "judgments": [
                {"annotator": f"j{judge}", "criterion": criterion, "value": value(rng)}
                for criterion in criteria
                for judge in range(3)
            ],
        }
        | more
        for item in range(items)
        for system in systems
        for _ in range(each)
    ]


WORLDS: dict[str, list[dict[str, Any]]] = {
    "one output": rows(("a",), 1, 1),
    "one item": rows(items=1),
    "three items": rows(items=3),
    "one system": rows(("a",)),
    "people only": rows(("people",)),
    "one generator": rows(("people", "a")),
    "no judgments": rows(judgments=[]),
    "no items": [{"system": row["system"], "text": row["text"]} for row in rows()],
    "equal judgments": rows(value=lambda rng: 3),
    "labels": rows(value=lambda rng: str(rng.choice(["yes", "no"]))),
    "empty texts": rows(text=""),
    "equal texts": rows(text="the same"),
    "unicode": rows(("people", "模型", "🙂", "🙃")),
    "slashes": rows(("people", "a/b", "a b", "a_b", "A_b", "plane", "../../etc/passwd", "'quoted\" & <b>")),
    "criteria that look alike": rows(criteria=("x y", "x-y", "X-y")),
    "a long criterion": rows(criteria=(LONG, LONG + "!")),
    "many systems": rows(("people", *(f"s{n}" for n in range(12))), items=6, each=1),
    "temperatures": [row | {"params": {"temperature": 0.5 if row["system"] == "a" else 1.0}} for row in rows(items=6)],
}


@pytest.fixture(scope="module", params=list(WORLDS))
def parts(request: pytest.FixtureRequest) -> dict[str, Part]:
    """What is proposed must run, or say plainly why it cannot."""
    dataset = Dataset.from_records(WORLDS[request.param])
    task = Task(dataset, resamples=40)
    found = {}
    for name, step in steps().items():
        keys = step.proposal(dataset)
        if keys is None:
            continue
        plain = {key: tuple(value) if isinstance(value, list) else value for key, value in keys.items()}
        try:
            found[name] = step(**plain).run(task)
        except AssayError as error:
            assert str(error).strip(), name
    assert "health" in found
    return found


def test_what_has_no_value_or_no_interval_says_why(parts: dict[str, Part]) -> None:
    for name, part in parts.items():
        for number in part.numbers:
            if isnan(number.value) or isnan(number.low):
                assert number.reason, (name, number)
            assert number.n >= 0
            assert number.n_missing >= 0, (name, number)


def test_no_sentence_speaks_of_nan(parts: dict[str, Part]) -> None:
    for part in parts.values():
        for said in [part.summary, *(line for lines in part.answers.values() for line in lines)]:
            assert not re.search(r"\bnan\b", said, re.IGNORECASE), said


def test_files_have_names_of_their_own(parts: dict[str, Part]) -> None:
    names = [f"{kind}/{one.name}".casefold() for part in parts.values() for kind, some in
             (("tables", part.tables), ("figures", part.pictures)) for one in some]  # fmt: skip
    assert len(names) == len(set(names))
    assert all(len(name) < 120 and ".." not in name and name.count("/") == 1 for name in names)


def said(world: list[dict[str, Any]], name: str, question: str, **keys: Any) -> list[str]:
    return list(steps()[name](**keys).run(Task(Dataset.from_records(world), resamples=200)).answers.get(question, []))


def table(scores: dict[str, dict[str, float]]) -> list[dict[str, Any]]:
    """Outputs with a quality each: {system: {item: quality}}."""
    return [
        {"system": system, "item": item, "text": "x", "quality": value, "human": system == "people"}
        for system, values in scores.items()
        for item, value in values.items()
    ]


def test_a_leader_that_loses_on_shared_items_is_not_called_better() -> None:
    shared = {f"s{n}": 1.0 + n / 100 for n in range(12)}
    world = table(
        {"A": {f"own{n}": 9.0 for n in range(10)} | shared, "B": {item: value + 1 for item, value in shared.items()}}
    )
    sentence = said(world, "generators", "best", evaluators=("column('quality')",))[0]
    assert "A leads" in sentence
    assert "on the items they share B is better" in sentence


def test_a_leader_is_only_above_those_it_was_tested_to_be_above() -> None:
    items = range(10)
    world = table(
        {
            "A": {f"i{n}": n for n in items},
            "B": {f"i{n}": n + (-1) ** n - 0.1 for n in items},
            "C": {f"i{n}": n - 9.0 for n in items},
        }
    )
    sentence = said(world, "generators", "best", evaluators=("column('quality')",))[0]
    assert "A leads" in sentence
    assert sentence.endswith("but cannot be told apart from B.")


def test_three_systems_are_too_few_to_say_who_orders_them() -> None:
    sentences = said(rows(items=20), "meta", "trust", targets=("human(criterion='good')",), evaluators=("length",))
    assert not any("orders the 3 systems" in sentence for sentence in sentences)


def test_huse_without_an_interval_is_above_nobody() -> None:
    sentence = said(rows(items=4, each=5), "huse", "best", criterion="good")[0]
    assert "no interval" in sentence
    assert "above" not in sentence
