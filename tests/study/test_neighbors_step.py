"""The step of neighbours on more texts than it compares."""

import pytest

from assay.io import load
from assay.sample import PATH
from assay.study.steps import neighbors


def test_many_texts_are_drawn_from_and_the_report_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = load(PATH)
    step = neighbors.Neighbors("typicality")
    whole = step.run(dataset, 0, 20)
    assert whole.numbers[0]["n"] == whole.numbers[0]["n_judged"] == len(dataset.outputs)
    assert "drawn" not in whole.summary
    monkeypatch.setattr(neighbors, "MOST_TEXTS", 200)
    part = step.run(dataset, 0, 20)
    assert part.numbers[0]["n"] == 200
    assert part.numbers[0]["n_judged"] == len(dataset.outputs)
    assert f"200 of {len(dataset.outputs):,} judged texts were drawn" in part.summary
    assert part.numbers[0]["rho"] != whole.numbers[0]["rho"]
