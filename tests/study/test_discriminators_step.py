"""The step `[discriminators]`: proposed where there are human and generated texts, and run as `assay adversaries`."""

import numpy as np

from assay import Dataset
from assay.analyses.discriminators.adversaries import adversaries
from assay.study.steps.discriminators import FEWEST_TEXTS, Discriminators
from assay.study.task import Task


def texts(n_human: int, n_generated: int) -> Dataset:
    rng = np.random.default_rng(0)
    words = {"people": "the cat sat on a warm mat today".split(), "bot": "as an answer it is important to note".split()}
    rows = []
    for system, n in (("people", n_human), ("bot", n_generated), ("robot", n_generated)):
        for number in range(n):
            chosen = rng.choice(words["people" if system == "people" else "bot"], 8)
            rows.append({"text": f"{' '.join(chosen)} {number}", "system": system, "human": system == "people"})
    return Dataset.from_records(rows)


def test_it_is_proposed_where_both_kinds_of_text_are_there() -> None:
    assert Discriminators.proposal(texts(40, 40)) == {"evaluators": ["nb"]}
    assert Discriminators.proposal(texts(40, 0)) is None
    assert Discriminators.proposal(texts(0, 40)) is None
    assert Discriminators.proposal(texts(FEWEST_TEXTS - 1, 40)) is None


def test_it_runs_as_the_analysis() -> None:
    data = texts(40, 30)
    part = Discriminators(("nb(search=1)",)).run(Task(data, seed=2))
    assert part.to_json() == adversaries(data, ["nb(search=1)"], seed=2).to_json()
