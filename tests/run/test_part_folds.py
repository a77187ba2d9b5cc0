"""Data in parts: models are fitted once for each fold, where all the data is, and score part by part."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import assay
from assay.cli import cli
from assay.errors import EvaluatorError
from assay.run import part_gather
from assay.run.folds import Folds
from assay.run.parts import score_parts
from tests.contracts.parameters import training
from tests.run.parts import assert_equal, write_parts

NEIGHBORS = "neighbors(criterion='typicality', min_neighbors=1, tau=0.05)"


def told() -> list[dict[str, Any]]:
    """Two texts of each of three systems for each of eight items, no two of them equal; sets of i0 have two topics."""
    people = {"people": "We saw"}
    things = "river bread window garden letter music candle winter".split()
    return [
        {
            "id": f"{system}{item}{nth}",
            "item": f"i{item}",
            "set": f"{system}{item}",
            "context": f"What about the {things[item]}?",
            "references": [f"The {things[item]} is there."],
            "system": system,
            "human": system == "people",
            "topic": "wxyz"[item // 2 + (item < nth)],
            "text": f"{people.get(system, 'There is')} the {things[item]} {things[item - nth]} of {system}",
            "judgments": [{"annotator": f"w{item % 4}", "criterion": "typicality", "value": (item + nth) % 6}],
        }
        for item in range(8)
        for system in ("people", "a", "b")
        for nth in range(2)
    ]


@pytest.fixture(scope="module")
def whole() -> assay.Dataset:
    return assay.Dataset.from_records(told())


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Remembers what was scored where all the data is."""
    asked: list[str] = []
    scored_at_once = part_gather.scored_at_once

    def remembered(dataset: Any, plan: Any, names: Any, *how: Any) -> Any:
        asked.extend(names)
        return scored_at_once(dataset, plan, names, *how)

    monkeypatch.setattr(part_gather, "scored_at_once", remembered)
    return asked


class TestTheSameBits:
    @pytest.mark.parametrize(
        ("folds", "size", "engine"),
        [
            (None, 24, "processes:2"),
            (3, 1, "serial"),
            ("system", 7, "serial"),
            (Folds("annotator", 2), 7, "threads:2"),
            ("column:topic", 1, "threads:2"),
        ],
    )
    def test_of_outputs(
        self, whole: assay.Dataset, at_once: list[str], folds: Any, size: int, engine: str, tmp_path: Path
    ) -> None:
        parts, asked = write_parts(tmp_path / "parts", told(), size), ["nb", "length", NEIGHBORS, "surface"]
        scored = score_parts(parts, asked, tmp_path / "scores", folds=folds, executor=engine, seed=2)
        assert_equal(assay.score(whole, asked, folds=folds, seed=2), scored)
        assert at_once == []

    def test_of_sets_that_span_folds(self, whole: assay.Dataset, at_once: list[str], tmp_path: Path) -> None:
        """They are scored by a model that saw no fold of theirs, wherever the other sets are."""
        parts, asked = write_parts(tmp_path / "parts", told(), 6), ["repetition", "distinct"]
        expected = assay.score(whole, asked, folds="column:topic")
        assert_equal(expected, score_parts(parts, asked, tmp_path / "scores", folds="column:topic"))
        assert at_once == []

    def test_with_a_training_set_without_the_scored_system(self, whole: assay.Dataset, tmp_path: Path) -> None:
        parts, how = write_parts(tmp_path / "parts", told(), 7), {"folds": "system", "train": training()}
        assert_equal(assay.score(whole, ["nb"], **how), score_parts(parts, ["nb"], tmp_path / "scores", **how))

    def test_of_whole_systems(self, whole: assay.Dataset, tmp_path: Path) -> None:
        parts, asked = write_parts(tmp_path / "parts", told(), 7), ["nb", "length"]
        expected = assay.score(whole, asked, unit="system", folds=3)
        assert_equal(expected, score_parts(parts, asked, tmp_path / "scores", unit="system", folds=3))


def test_finished_parts_are_kept_and_nothing_is_fitted_for_them(
    whole: assay.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts, asked = write_parts(tmp_path / "parts", told(), 16), ["nb"]
    score_parts(parts, asked, tmp_path / "scores", folds=3)
    (tmp_path / "scores" / "part-001.parquet").unlink()
    again = score_parts(parts, asked, tmp_path / "scores", folds=3)
    assert (again.n_kept, again.n_scored) == (2, 1)
    assert_equal(assay.score(whole, asked, folds=3), again)
    monkeypatch.setattr("assay.run.parts.gather_all", None)
    assert score_parts(parts, asked, tmp_path / "scores", folds=3).n_kept == 3


def test_the_plan_says_so(tmp_path: Path) -> None:
    parts = write_parts(tmp_path / "parts", told(), 16)
    words = ["score", str(parts), "-e", "nb", "-e", "length", "-o", str(tmp_path / "s"), "--dry-run", "--json"]
    done = CliRunner().invoke(cli, words, catch_exceptions=False)
    facts, how = ({row[0]: row[1] for row in table["rows"]} for table in json.loads(done.stdout)["tables"])
    assert how["nb"].startswith("fitted on all the data in one process, then part by part: it is fitted on the other")
    assert how["length"] == "part by part"
    assert "all the data, in one process, then parts" in facts["passes"]


def test_only_what_is_read_counts_against_the_limit(tmp_path: Path) -> None:
    """Discriminators read texts alone: long references do not matter."""
    long = [{**row, "references": ["nothing but words " * 40_000]} for row in told()]
    parts = write_parts(tmp_path / "parts", long, 16)
    limit = 400 * 2**20
    scored = score_parts(parts, ["nb"], tmp_path / "scores", folds=3, gather=limit)
    assert_equal(assay.score(assay.Dataset.from_records(long), ["nb"], folds=3), scored)
    with pytest.raises(EvaluatorError, match="text_listener: each of its scores depends on all units"):
        score_parts(parts, ["text_listener"], tmp_path / "refused", gather=limit)
