"""What discriminators look at: a planted mark is found, and gone when it is hidden."""

from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import assay
from assay import Dataset, sample
from assay.analyses.discriminators.masks import masked, masks
from assay.analyses.names import plain_name
from assay.cli import cli
from assay.errors import EvaluatorError

WORDS = "we went home and had some tea with the children before it rained again today".split()
NAME = "nb(max_order=1, search=1)"


@pytest.fixture(scope="module")
def planted() -> Dataset:
    """A generator that writes as people do, but for the mark of an unknown word in most of its texts."""
    rng = np.random.default_rng(1)
    rows: list[dict[str, Any]] = [
        {
            "item": f"i{n}",
            "system": system,
            "human": system == "people",
            "text": " ".join(rng.choice(WORDS, 8)) + (" __" if system == "marked" and n % 5 else ""),
        }
        for n in range(60)
        for system in ("people", "marked")
    ]
    return Dataset.from_records(rows)


@pytest.fixture(scope="module")
def part(planted: Dataset) -> assay.Part:
    return assay.giveaways(planted, [NAME], ngrams=6)


def test_a_mark_is_named_as_what_decides(part: assay.Part) -> None:
    table = part.table(f"ngrams-{plain_name(NAME)}")
    by_ngram = {row[0]: row for row in table.rows}
    _, n, probability, share_human, change, n_changed = by_ngram["_"]  # as the tokenizer splits "__"
    assert n == 48 and share_human == 0 and probability < 0.4
    assert change > 0.1 and n_changed > 3  # without it, a text looks human


def test_the_controls_find_it_and_masking_hides_it(part: assay.Part) -> None:
    rows = {row[0]: row[1:] for row in part.table(f"giveaways-{plain_name(NAME)}").rows}
    assert rows["text"][0] > 0.8 and rows["surface"][0] > 0.8 and rows["marks alone"][0] > 0.8
    assert rows["without marks"][0] < 0.7 and rows["without all of these"][0] < 0.7
    assert rows["without casing"][0] > 0.8
    assert rows["digits alone"][1] == pytest.approx(0.5, abs=0.15)
    looks = {row[0]: row for row in part.table("looks").rows}
    assert looks["marked"][3] == 0.8 and looks["people"][3] == 0


def test_the_surest_texts_are_shown_right_and_wrong(part: assay.Part) -> None:
    rows = part.table(f"surest-{plain_name(NAME)}").rows
    for verdict, right, system, probability, _ in rows:
        assert (probability > 0.5) == (verdict == "human") or right == "wrong"
        assert (system == "people") == ((verdict == "human") == (right == "right"))
    assert assay.Part.from_json(part.to_json()).to_json() == part.to_json()


def test_training_data_is_masked_as_the_data_is(planted: Dataset) -> None:
    """Trained on one half, a discriminator sees no mark in the other half, and learnt none, where marks are hidden."""
    half = np.arange(len(planted)) < len(planted) // 2
    part = assay.giveaways(planted.select(~half), [NAME], ngrams=2, train=planted.select(half))
    rows = {row[0]: row[1:] for row in part.table(f"giveaways-{plain_name(NAME)}").rows}
    assert rows["text"][0] > 0.8 and rows["without marks"][0] < 0.7
    cross_fitted = assay.giveaways(planted.select(~half), [NAME], ngrams=2, folds=3)
    assert cross_fitted.numbers != part.numbers


def test_masks_hide_what_they_say() -> None:
    data = Dataset.from_records([{"text": "So __ it IS, 25 <unk>! And on, and on we go."}, {"text": "Yes, it is so."}])
    hidden = {name: masked(data, mask).outputs.text[0] for name, mask in masks(data).items()}
    assert hidden["marks"] == "So it IS, 25 ! And on, and on we go."
    assert hidden["casing"] == "so __ it is, 25 <unk>! and on, and on we go."
    assert hidden["digits"] == "So __ it IS, 00 <unk>! And on, and on we go."
    assert hidden["punctuation"] == "So it IS 25 unk And on and on we go"
    assert hidden["length"] == "So __ it IS,"
    assert hidden["all of these"] == "so it is 00"


def test_what_is_no_discriminator_or_has_one_class_is_refused(planted: Dataset) -> None:
    with pytest.raises(EvaluatorError, match="length is not a discriminator"):
        assay.giveaways(planted, ["length"])
    with pytest.raises(EvaluatorError, match="only one of them"):
        assay.giveaways(planted.select(planted.human))


def test_the_command(tmp_path: Any) -> None:
    result = CliRunner().invoke(cli, ["giveaways", str(sample.PATH), "-e", NAME, "--ngrams", "4", "--no-cache"])
    assert result.exit_code == 0
    assert "N-grams that decide" in result.stdout and "without all of these" in result.stdout
