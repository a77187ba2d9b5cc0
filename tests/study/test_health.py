"""What is missing from data and what looks wrong, counted by hand."""

from assay import Dataset
from assay.study.steps.health import Health, system_counts
from assay.study.task import Task

PEOPLE = {"system": "people", "human": True}
JUDGMENT = {"annotator": "x", "criterion": "good", "value": 1}
ROWS = [
    {"id": "p1", "item": "a", **PEOPLE, "text": "yes", "references": ["oui"], "logprobs": {"m": -1.0}},
    {"id": "p2", "item": "b", **PEOPLE, "text": "no", "judgments": [JUDGMENT]},
    {"id": "m1", "item": "a", "system": "m", "text": "yes", "logprobs": {"m": -2.0}},
    {"id": "m2", "item": "a", "system": "m", "text": "maybe", "logprobs": {"m": "-inf"}},
    {"id": "m3", "item": "b", "system": "m", "text": "maybe"},
    {"id": "m4", "item": "b", "system": "m", "text": ""},
]


def test_counts_of_each_system() -> None:
    counts = {name: values.tolist() for name, values in system_counts(Dataset.from_records(ROWS)).items()}
    assert counts == {
        "outputs": [2, 4],
        "items": [2, 2],
        "empty": [0, 1],
        "repeated": [0, 1],
        "people's own words": [0, 1],
        "equal to a reference": [0, 0],
        "equal to the context": [0, 0],
        "equal to another system": [0, 0],
        "judged": [1, 0],
        "log-probabilities": [0, 3],
        "impossible": [0, 1],
    }


def test_gaps_are_told() -> None:
    part = Health().run(Task(Dataset.from_records(ROWS)))
    gaps = next(table for table in part.tables if table.name == "gaps")
    assert set(gaps.rows) == {
        ("outputs are empty", 1, 6),
        ("items have no references", 1, 2),
        ("outputs have no judgment of good", 5, 6),
        ("human texts have no log-probability under m", 1, 2),
        ("outputs of m have no log-probability under it", 2, 4),
    }
    assert "5 of 6 outputs have no judgment of good." in part.answers["missing"]


def test_what_the_whole_data_lacks_is_told_once() -> None:
    part = Health().run(Task(Dataset.from_records([{"text": "a"}, {"text": "b"}])))
    assert [said.partition(":")[0] for said in part.answers["missing"]] == [
        "No human texts",
        "No references",
        "No judgments",
        "No log-probabilities",
    ]
    assert [table.name for table in part.tables] == ["health"]


def test_log_probabilities_that_look_wrong_are_told() -> None:
    rows = [
        {"id": f"o{n}", "item": f"i{n}", "system": "m", "text": f"text {n}", "logprobs": {"m": 0.0}} for n in range(20)
    ]
    part = Health().run(Task(Dataset.from_records(rows)))
    suspicious = next(table for table in part.tables if table.name == "suspicious")
    assert suspicious.rows[0][0] == "m"
    assert any("log-probabilities are 0" in sentence for sentence in part.answers["missing"])
