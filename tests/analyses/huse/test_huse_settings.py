"""HUSE by the values of a decoding parameter."""

import numpy as np
import pytest

import assay
from assay.analyses.huse.settings import _generator
from assay.errors import DataError


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> assay.Dataset:
    from assay.sample import copy_to

    return assay.load(copy_to(tmp_path_factory.mktemp("sample")))


@pytest.mark.parametrize(
    ("system", "values", "generator"),
    [
        ("lstm t=0.7", [0.7, 1.0], "lstm"),
        ("lstm t=1", [1.0], "lstm"),
        ("m t=0.3 p=0.9", [0.3, 0.9], "m"),
        ("ngram-t1.0", [1.0, 2.0], "ngram"),
        ("gpt-2 t=0.7", [0.7], "gpt-2"),
        ("WordRNN", [0.5], "WordRNN"),
        ("0.5", [0.5], "0.5"),
    ],
)
def test_a_generator_is_a_system_without_its_values(system: str, values: list[float], generator: str) -> None:
    assert _generator(system, values) == generator


def test_settings_stand_in_the_order_of_the_parameter_with_the_numbers_of_the_systems(sample: assay.Dataset) -> None:
    part = assay.huse(sample, curve="temperature", intervals=False, examples=0)
    rows = part.table("huse_settings").records()
    assert [(row["generator"], row["temperature"]) for row in rows] == [("ngram", t) for t in (0.5, 0.7, 1.0, 1.3)]
    huse = {number.about["system"]: number.value for number in part.numbers if number.name == "huse"}
    assert [row["HUSE"] for row in rows] == [huse[f"ngram-t{t}"] for t in (0.5, 0.7, 1.0, 1.3)]
    assert [row["human texts impossible"] for row in rows] == [0, 0, 0, 0]
    assert "huse-by-temperature-ngram" in [picture.name for picture in part.pictures]


def test_settings_of_truncation_count_the_human_texts_that_they_make_impossible() -> None:
    rng = np.random.default_rng(0)
    rows = []
    for k in range(60):
        for system, top_p in (("people", None), ("m p=0.9", 0.9), ("m p=1", 1.0)):
            cut = system == "people" and k % 4
            row = {
                "id": f"{k}{system}",
                "item": str(k),
                "system": system,
                "text": f"a b {k}",
                "human": top_p is None,
                "logprobs": {"m p=0.9": "-inf" if cut else float(rng.normal(-9)), "m p=1": float(rng.normal(-9))},
                "judgments": [{"annotator": "a", "criterion": "quality", "value": int(rng.integers(0, 6))}],
            }
            rows.append(row if top_p is None else row | {"params": {"top_p": top_p}})
    part = assay.huse(assay.Dataset.from_records(rows), curve="top_p", intervals=False, examples=0)
    assert [(row["top_p"], row["human texts impossible"]) for row in part.table("huse_settings").records()] == [
        (0.9, 45),
        (1.0, 0),
    ]
    assert any("45 of 60 human texts are impossible" in note for note in part.notes)


def test_an_unknown_parameter_and_arrays_are_refused(sample: assay.Dataset) -> None:
    with pytest.raises(DataError, match="Did you mean 'temperature'"):
        assay.huse(sample, curve="temprature", intervals=False)
    with pytest.raises(DataError, match="leave curve out"):
        assay.huse(np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) < 30, curve="x", intervals=False)
