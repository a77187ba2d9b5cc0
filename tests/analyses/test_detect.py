"""`assay detect`: the result for readers, and reasons counted by the lexicon."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from assay import detect, save
from assay.analyses.reasons import reasons
from assay.cli import cli
from assay.errors import DataError
from tests.metaeval.votes.test_detection import votes


def test_reasons_are_counted_by_word_starts() -> None:
    found = {
        reason.name: reason for reason in reasons(["Bad grammar, repeated words", "GRAMMAR!", "too vague", "fine"])
    }
    assert (found["grammar"].n, found["repetition"].n, found["vagueness"].n, found["tone"].n) == (2, 1, 1, 0)
    assert found["grammar"].examples == ("Bad grammar, repeated words", "GRAMMAR!")
    assert reasons(["x " * 200 + "typo"])[0].examples[0].endswith("...")
    assert not any(reason.n for reason in reasons(["stone", "detoned"]))  # word starts, not parts of words


def test_the_part_has_rates_generators_and_reasons() -> None:
    part = detect(votes(np.random.default_rng(0)), "real")
    assert [table.name for table in part.tables] == ["rates", "generators", "reasons"]
    assert {row[0] for row in part.table("generators").rows} == {"g2", "g3"}
    assert {number.about["system"] for number in part.numbers} == {"", "g2", "g3"}
    assert "fools people most" in part.answers["best"][0]


def test_the_criterion_must_be_clear() -> None:
    with pytest.raises(DataError, match="name the criterion"):
        detect(votes(np.random.default_rng(0)))


def test_the_command_prints_it(tmp_path: Path) -> None:
    save(votes(np.random.default_rng(0)), tmp_path / "votes.jsonl")
    result = CliRunner().invoke(cli, ["detect", str(tmp_path / "votes.jsonl"), "--criterion", "real", "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["numbers"][0]["name"] == "accuracy"
