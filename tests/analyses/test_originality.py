"""What is copied and repeated: spans against brute force, near duplicates, gaps and plain errors."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from assay import Dataset, originality, save
from assay.cli import cli
from assay.errors import DataError
from assay.kernels.overlap.copied import copied
from tests.overlap_cases import bank, text_lists


@given(text_lists(n_types=4, max_length=8, max_texts=4), st.integers(1, 4))
def test_spans_equal_brute_force(texts: list[list[int]], n_texts: int) -> None:
    n_texts = min(n_texts, len(texts))
    found = copied(*bank(texts), n_texts, 3)

    def grams(text: list[int], order: int) -> list[tuple[int, ...]]:
        return [tuple(text[at : at + order]) for at in range(len(text) - order + 1)]

    for order in (1, 2, 3):
        elsewhere = {gram for text in texts[n_texts:] for gram in grams(text, order)}
        assert found.n_grams[order - 1].tolist() == [len(grams(text, order)) for text in texts[:n_texts]]
        expected = [sum(gram in elsewhere for gram in grams(text, order)) for text in texts[:n_texts]]
        assert found.n_found[order - 1].tolist() == expected
    for text, longest in zip(texts[:n_texts], found.longest, strict=True):
        spans = [n for n in range(1, 9) for other in texts[n_texts:] if set(grams(text, n)) & set(grams(other, n))]
        assert longest == max(spans, default=0)


def world() -> tuple[Dataset, Dataset]:
    rng = np.random.default_rng(0)
    words = [f"w{n}" for n in range(200)]
    lines = [" ".join(rng.choice(words, 12)) for _ in range(60)]
    train = Dataset.from_records({"text": line} for line in lines[:30])
    texts = {
        "people": (lines[30:40], True),
        "copier": (lines[:10], False),
        "repeater": ([f"{lines[41]} now"] * 5 + [lines[41]] * 5, False),
    }
    rows = [{"text": text, "system": system, "human": human} for system, (own, human) in texts.items() for text in own]
    return Dataset.from_records(rows), train


def test_a_copier_and_a_repeater_are_found() -> None:
    part = originality(*world())
    values = {(number.name, number.about["system"]): number for number in part.numbers}
    assert values["copied", "copier"].value == values["copies", "copier"].value == 1.0
    assert values["copied", "people"].value < 0.05
    assert values["longest_of_all", "copier"].value == 12
    assert values["near_duplicates", "repeater"].value == 1.0
    assert values["near_duplicates", "people"].value == 0.0
    assert values["Self-BLEU", "repeater"].value > values["Self-BLEU", "people"].value
    assert part.answers["wrong"][0].startswith("copier: 100% of its 4-grams")


def test_shares_that_do_not_vary_have_no_interval_and_no_single_winner() -> None:
    rows = [
        {"item": f"i{n}", "system": system, "text": f"{n} this is one text of the training data"}
        for n in range(30)
        for system in ("a", "b")
    ]
    data = Dataset.from_records(rows)
    part = originality(data, data)
    copied_share = next(number for number in part.numbers if number.name == "copied")
    assert copied_share.value == 1 and np.isnan(copied_share.low) and "nothing varies" in copied_share.reason
    assert "of none more" in part.answers["wrong"][0]


def test_without_training_texts_nothing_is_said_about_copying() -> None:
    part = originality(world()[0])
    assert not [number for number in part.numbers if "copied" in number.name]
    assert "nothing is said about copying" in part.notes[0]


def test_short_texts_are_gaps_and_bad_options_plain_errors() -> None:
    data = Dataset.from_records([{"text": "a b", "system": "s"}, {"text": "", "system": "s"}])
    part = originality(data, data)
    gap = next(number for number in part.numbers if number.name == "copied")
    assert np.isnan(gap.value) and gap.reason == "no text of 4 words"
    with pytest.raises(DataError, match="near must lie"):
        originality(data, near=0.0)


def test_the_command_prints_it(tmp_path: Path) -> None:
    data, train = world()
    save(data, tmp_path / "data.jsonl")
    save(train, tmp_path / "train.jsonl")
    arguments = ["originality", str(tmp_path / "data.jsonl"), "--train", str(tmp_path / "train.jsonl"), "--json"]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["tables"][0]["name"] == "originality"


def test_one_text_has_no_near_duplicates_to_count() -> None:
    data = Dataset.from_records([{"text": "a b c d e", "system": "one"}])
    (number,) = [number for number in originality(data).numbers if number.name == "near_duplicates"]
    assert number.value != number.value and number.reason == "one text has nothing to repeat"
