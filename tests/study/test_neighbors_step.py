"""The step of neighbors on more texts than it compares."""

import pytest

from assay.io import load
from assay.part import Part
from assay.sample import PATH
from assay.study.steps import neighbors
from assay.study.task import Task


def test_many_texts_are_drawn_from_and_the_report_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = load(PATH)
    step = neighbors.Neighbors("typicality")
    task = Task(dataset, resamples=20)
    whole = step.run(task)
    assert _compared(whole) == whole.numbers[0].about["n_judged"] == len(dataset.outputs)
    assert "drawn" not in whole.summary
    monkeypatch.setattr(neighbors, "MOST_TEXTS", 200)
    part = step.run(task)
    assert _compared(part) == 200
    assert part.numbers[0].about["n_judged"] == len(dataset.outputs)
    assert f"200 of {len(dataset.outputs):,} judged texts were drawn" in part.summary
    assert part.numbers[0].value != whole.numbers[0].value


def _compared(part: Part) -> int:
    return part.numbers[0].n + part.numbers[0].n_missing
