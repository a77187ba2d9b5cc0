"""How the data is cut into stretches, and how many threads score them, does not change a bit of any score."""

from pathlib import Path

import numpy as np
import pytest

from assay import Dataset, score
from tests.overlap_cases import real_cases, strange_cases

EVALUATORS = [
    "bleu",
    "bleu(variant='coco')",
    "chrf(word_order=2)",
    "rouge('2')",
    "rouge('L', stemmer=True)",
    "meteor",
    "cider",
    "ter",
    "bleu(references=others())",
    "chrf(references=nearest(k=3, among='all'))",
]


@pytest.fixture(scope="module")
def dataset(data: Path) -> Dataset:
    cases = real_cases(data, 300) + strange_cases(100)
    return Dataset.from_records(
        {"text": text, "references": references, "item": f"i{n}", "system": f"s{copy}"}
        for n, (text, references) in enumerate(cases)
        for copy in range(2)
    )


@pytest.mark.parametrize("unit", ["output", "system"])
def test_same_bits_with_one_and_two_threads(dataset: Dataset, unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = score(dataset, EVALUATORS, unit=unit)
    monkeypatch.setattr("assay.run.one_pass.CHUNK", 37)
    for workers in (1, 2):
        found = score(dataset, EVALUATORS, unit=unit, workers=workers)
        for name in EVALUATORS:
            assert np.array_equal(found[name].values, at_once[name].values, equal_nan=True), name


def test_self_bleu_of_sets_does_not_depend_on_their_order(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = score(dataset, ["self_bleu"], unit="system")["self_bleu"].values
    monkeypatch.setattr("assay.run.one_pass.CHUNK", 37)
    assert np.array_equal(score(dataset, ["self_bleu"], unit="system", workers=2)["self_bleu"].values, at_once)
