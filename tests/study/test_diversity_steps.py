"""What `[diversity]`, `[contest]` and `[dectest]` say, and what backs it."""

from typing import Any

import numpy as np

from assay.records import Dataset
from assay.study.steps.diversity import Diversity
from assay.study.steps.scores import Scores
from assay.study.task import Task


def texts(sizes: dict[str, int], words: dict[str, int], n_items: int = 20) -> Dataset:
    """Systems with so many texts an item, from a vocabulary of so many words."""
    rng = np.random.default_rng(0)
    return Dataset.from_records(
        {
            "text": " ".join(f"w{word}" for word in rng.integers(0, words[system], 8)),
            "item": f"i{item}",
            "system": system,
            "human": system == "people",
        }
        for item in range(n_items)
        for system, size in sizes.items()
        for _ in range(size)
    )


def run(dataset: Dataset, **keys: Any) -> Any:
    return Diversity(evaluators=("distinct", "self_bleu", "cos_sim"), **keys).run(Task(dataset, resamples=50))


def test_larger_sets_are_not_called_less_diverse() -> None:
    part = run(texts({"people": 3, "model": 12}, {"people": 60, "model": 60}))
    assert part.answers["wrong"] == []
    assert "metrics of texts see 3 texts drawn from each" in part.summary


def test_a_system_of_few_words_is_less_diverse() -> None:
    part = run(texts({"people": 3, "poor": 12, "alike": 5}, {"people": 60, "poor": 12, "alike": 60}))
    assert part.answers["wrong"] == ["poor: less diverse than people by every metric."]
    backing = part.tables[1]
    assert {row[1]: row[4] < 0.05 for row in backing.rows if row[0] == "distinct"} == {"poor": True, "alike": False}


def test_scores_of_unequal_sets_come_with_the_caution() -> None:
    step = Scores(evaluators=("distinct", "cos_sim"))
    unequal = step.run(Task(texts({"people": 3, "model": 12}, {"people": 60, "model": 60}), resamples=50))
    assert "distinct: sets have 3 to 12 texts" in unequal.tables[0].note
    equal = step.run(Task(texts({"people": 3, "model": 3}, {"people": 60, "model": 60}), resamples=50))
    assert "sets have" not in equal.tables[0].note


def test_sets_of_one_size_are_taken_whole() -> None:
    part = run(texts({"people": 4, "model": 4}, {"people": 60, "model": 60}))
    assert "drawn" not in part.summary


def test_what_people_said_of_whole_sets_is_not_drawn_from() -> None:
    data = texts({"people": 3, "model": 6}, {"people": 60, "model": 60})
    records = [
        {"text": data.outputs.text[row], "item": f"i{row // 9}", "set": data.sets.id[int(data.outputs.set[row])]}
        | {"system": data.systems.id[int(data.outputs.system[row])], "human": row % 9 < 3}
        | {"judgments": [{"annotator": "a", "criterion": "diversity", "unit": "set", "value": row % 5}]}
        for row in range(len(data))
    ]
    once = [
        {**record, "judgments": record["judgments"] if number % 9 in (0, 3) else []}
        for number, record in enumerate(records)
    ]
    part = Diversity(evaluators=("abs_hds", "distinct")).run(Task(Dataset.from_records(once), resamples=50))
    sets = {row[0]: row[4] for row in part.tables[0].rows}
    assert sets == {"abs_hds": 20, "distinct": 20}
