"""The numbers of Ethayarajh & Sadigh (2020) on the data of Hashimoto et al. (2019): 200 headlines, 20 judgments each.

The paper prints .0213 / .325 / .99 for BLEU*, .0226 / .245 / .97 for ROUGE-L, .0200 / .921 for the best and
.0802 / .405 for the average annotator. Independent code on the published file gives what is expected here.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from assay.cli import cli


def answer(*words: str) -> dict[tuple[str, str], dict[str, Any]]:
    """The numbers by estimate and name."""
    result = CliRunner().invoke(cli, ["neighbors", "data:huse/summarization", "--json", *words], catch_exceptions=False)
    assert result.exit_code == 0
    return {(number["estimate"], number["name"]): number for number in json.loads(result.stdout)["numbers"]}


@pytest.mark.parametrize(
    ("words", "n", "mse", "rho", "coverage"),
    [
        ([], 200, 0.0214, 0.317, 0.995),
        (["--dedupe"], 199, 0.0213, 0.325, 0.995),
        (["--kernel", "rouge_l"], 200, 0.0227, 0.249, 0.945),
    ],
)
def test_estimates(data: Path, words: list[str], n: int, mse: float, rho: float, coverage: float) -> None:
    numbers = answer(*words)
    assert numbers["neighbors", "coverage"]["n"] == n
    assert numbers["neighbors", "mse"]["value"] == pytest.approx(mse, abs=0.0001)
    assert numbers["neighbors", "rho"]["value"] == pytest.approx(rho, abs=0.003)
    assert numbers["neighbors", "coverage"]["value"] == pytest.approx(coverage, abs=0.001)


def test_words_cover_almost_nothing_and_the_reason_is_stated(data: Path) -> None:
    numbers = answer("--tokenizer", "whitespace")
    assert numbers["neighbors", "coverage"]["value"] <= 0.005
    assert numbers["neighbors", "rho"]["n_missing"] >= 199
    assert numbers["neighbors", "rho"]["reason"]


def test_annotators(data: Path) -> None:
    numbers = answer()
    for name, mse, rho in (
        ("best_annotator", 0.0200, 0.9233),
        ("average_annotator", 0.08025, 0.4061),
        ("best_annotator_left_out", 0.0222, 0.9055),
        ("average_annotator_left_out", 0.0889, 0.3255),
    ):
        assert numbers[name, "mse"]["value"] == pytest.approx(mse, abs=0.0001)
        assert numbers[name, "rho"]["value"] == pytest.approx(rho, abs=0.003)


def test_intervals_hold_about_nine_of_ten(data: Path) -> None:
    assert answer()["neighbors", "interval_coverage"]["value"] == pytest.approx(0.9, abs=0.03)
