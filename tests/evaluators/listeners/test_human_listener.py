"""The share of people who chose the target, and both readings of a misleading utterance."""

import numpy as np
import pytest

from assay import Dataset, EvaluatorError, score
from assay.listening import beliefs_of


def data(*clicks: object, target: int = 0, **fields: object) -> Dataset:
    judgments = [
        {"annotator": f"a{n}", "criterion": "target", "value": 0, **({} if click is None else {"choice": click})}
        for n, click in enumerate(clicks)
    ]
    row = {"text": "red", "choices": ["a", "b", "c"], "target": target, "judgments": judgments, **fields}
    other = {"text": "x", "choices": ["a", "b"], "target": 0, "judgments": [{**judgments[0], "choice": 1}]}
    return Dataset.from_records([row, other])


def scores(dataset: Dataset, call: str = "human_listener") -> list[float]:
    return score(dataset, [call])[call].values.tolist()


def test_the_share_of_clicks_on_the_target() -> None:
    assert scores(data(0, 0, 2)) == [2 / 3, 0.0]
    (column,) = score(data(0, 0, 2), ["human_listener"]).columns.values()
    assert beliefs_of(column).heard[0].tolist() == [2 / 3, 0.0, 1 / 3]
    assert scores(data(0, 2, 2), "human_listener(score='hit')") == [0.0, 0.0]


def test_a_click_that_is_none_of_the_choices_does_not_count() -> None:
    assert scores(data(0, 3, 0.5, -1, None)) == [1.0, 0.0]
    (column,) = score(data(None, 7), ["human_listener"]).columns.values()
    assert np.isnan(column.values[0]) and column.gaps[0] == "no listeners"


def test_both_readings_of_a_misleading_utterance() -> None:
    misleading = data(1, 2, 0, 1, described=1)
    assert scores(misleading)[0] == 0.25
    assert scores(misleading, "human_listener(reading='not described')")[0] == 0.5
    described = data(0, 2, 0, described=0)
    assert scores(described, "human_listener(reading='not described')")[0] == scores(described)[0]


def test_what_is_missing_is_named() -> None:
    with pytest.raises(EvaluatorError, match="needs the column 'described' of outputs"):
        score(data(0), ["human_listener(reading='not described')"], failures="error")
    without = Dataset.from_records(
        [
            {
                "text": "a",
                "choices": ["a", "b"],
                "target": 0,
                "judgments": [{"annotator": "w", "criterion": "c", "value": 1}],
            }
        ]
    )
    with pytest.raises(EvaluatorError, match="no judgment says which choice was picked"):
        score(without, ["human_listener"], failures="error")
