"""A discriminator of whole sets: it finds a generator that repeats itself, and nothing where there is nothing."""

from pathlib import Path

import numpy as np
import pytest

import assay
from assay import Dataset, sample
from assay.errors import EvaluatorError
from assay.kernels.statistics.shares import share_interval

NAME = "repetition(search=1)"


@pytest.fixture(scope="module")
def embedded() -> Dataset:
    return assay.load(sample.PATH)


def right(data: Dataset) -> np.ndarray:
    """Whether each set was taken for what it is, by a model that did not learn from its item."""
    human = data.human[data.outputs_by_set.values[data.outputs_by_set.offsets[:-1]]]
    return (assay.score(data, [NAME], unit="set")[NAME].values > 0.5) == human


def test_it_finds_the_collapsed_generator_whether_it_met_it_or_not(embedded: Dataset) -> None:
    part = assay.adversaries(embedded, [NAME])
    found = {
        (number.about["kind"], number.about["system"]): number.value
        for number in part.numbers
        if number.name == "accuracy"
    }
    for kind in ("pooled", "individual", "unseen"):
        assert found[kind, "collapsed"] > 0.9
        assert found[kind, "human texts"] > 0.75


def test_it_is_at_chance_on_second_samples_of_the_same_human_sets(embedded: Dataset) -> None:
    """Half of the sets of people are called generated: nearly all 95% intervals of the accuracy hold one half."""
    human = embedded.select(embedded.human)
    held = []
    for seed in range(20):
        second = np.random.default_rng(seed).permutation(len(human.items)) < len(human.items) // 2
        rows = [
            {"item": str(item), "text": text, "system": f"half {second[item]}", "human": not second[item]}
            for item, text in zip(human.outputs.item.tolist(), human.outputs.text, strict=True)
        ]
        correct = right(Dataset.from_records(rows)).astype(float)
        low, high, _ = share_interval(correct, np.arange(len(correct)), len(correct), 0.95)
        held.append(low <= 0.5 <= high)
    assert sum(held) >= 18


def test_single_texts_have_no_giveaways_for_it(embedded: Dataset) -> None:
    with pytest.raises(EvaluatorError, match="judges whole sets"):
        assay.giveaways(embedded, [NAME])


def test_a_set_of_one_text_is_a_gap_and_a_saved_model_scores_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = []
    for item in range(12):
        words = rng.choice(list("abcdefgh"), 12).tolist()
        rows += [
            {"item": f"i{item}", "text": " ".join(words[k : k + 4]), "human": True, "system": "p"} for k in (0, 4, 8)
        ]
        rows += [{"item": f"i{item}", "text": f"x {item} y", "system": "g"} for _ in range(3)]
    data = Dataset.from_records(rows)
    judge = assay.fit(NAME, data, tmp_path / "judge")
    alone = Dataset.from_records([{"text": "a b c", "item": "z"}])
    column = assay.score(alone, [judge], unit="set")[repr(judge)]
    assert column.gaps.counts() == {"one text alone repeats nothing": 1}
    table = assay.score(data, [judge], unit="set")[repr(judge)].values
    human = data.human[data.outputs_by_set.values[data.outputs_by_set.offsets[:-1]]]
    assert table[human].min() > 0.5 > table[~human].max()
