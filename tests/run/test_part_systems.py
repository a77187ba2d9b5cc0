"""Data in parts: scores of whole systems, from sums of parts, system by system, or from what is read of all data."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Shape, Use, batched, counted, evaluator, fitted
from assay.io.parts import DataParts
from assay.kernels.overlap.key_counts import KeyCounts
from assay.registry import parse
from assay.run import part_shares, part_systems
from assay.run.parts import score_parts
from assay.sample import copy_to
from tests.contracts.worlds import training
from tests.run.parts import assert_equal, rows, write_parts

FROM_SUMS = ["bleu", "length", "cider"]
ONE_BY_ONE = ["self_bleu", "distinct", "reduce(bleu)", "mtld"]
SAMPLED = ["reduce(bleu, ", "edit_distance("]
OF_ALL = ["huse(k=3, quality=human('typicality'))", "huse_d(k=3)", "human('typicality')", "column('quality')"]


@evaluator(units=("system",))
def sum_of_bleu() -> Shape:
    """It uses scores of outputs, which need their references."""

    def score(batch: Batch) -> Any:
        (used,) = batch.used
        return np.bincount(used.unit_of, np.nan_to_num(used.values), len(batch))

    return batched(score, uses=[Use(parse("bleu"), "output")], reads=())


@evaluator(units=("system",))
def share_of_types() -> Shape:
    """The texts of a system per distinct text of all systems."""

    def count(batch: Batch) -> KeyCounts:
        keys = batch.texts.take(batch.members.values).keys()
        return KeyCounts.of(keys, np.ones(len(keys), np.int64))

    return counted(count, lambda batch, counts: batch.members.lengths / len(counts.keys))


@evaluator(units=("system",))
def taught() -> Shape:
    """How many systems it learnt from."""
    return fitted(
        lambda batch, rng: {"n": len(batch)}, lambda model, batch: np.full(len(batch), float(model["n"])), reads=()
    )


@pytest.fixture(scope="module")
def whole() -> assay.Dataset:
    return assay.Dataset.from_records(rows())


class TestTheSameBits:
    @pytest.mark.parametrize(
        ("asked", "size", "engine"),
        [
            (FROM_SUMS, 1, "serial"),
            (ONE_BY_ONE, 7, "threads:2"),
            (OF_ALL, 7, "serial"),
            ([*ONE_BY_ONE, *OF_ALL, *FROM_SUMS], 1, "serial"),
            ([*ONE_BY_ONE, *OF_ALL, *FROM_SUMS], 18, "processes:2"),
        ],
    )
    def test_of_systems(self, whole: assay.Dataset, asked: list[str], size: int, engine: str, tmp_path: Path) -> None:
        parts = write_parts(tmp_path / "parts", rows(), size)
        scored = score_parts(parts, asked, tmp_path / "scores", unit="system", executor=engine)
        assert_equal(assay.score(whole, asked, unit="system"), scored)

    def test_of_sets_that_pool_finer_scores(self, tmp_path: Path) -> None:
        """The mean of a set has the same bits whatever sets are in its part: many scores are ratios, others are not."""
        data = assay.load(copy_to(tmp_path / "sample"))[::2]
        assay.partition(data, tmp_path / "parts", rows=7)
        asked = ["token_f1", "reduce(token_f1)", "bleu"]
        scored = score_parts(tmp_path / "parts", asked, tmp_path / "scores", unit="set")
        assert_equal(assay.score(assay.load(tmp_path / "parts"), asked, unit="set"), scored)

    def test_of_sampled_pairs(self, whole: assay.Dataset, tmp_path: Path) -> None:
        """Which pairs of a system are drawn does not depend on the other systems."""
        parts, asked = write_parts(tmp_path / "parts", rows(), 7), [f"{one}max_pairs=9)" for one in SAMPLED]
        scored = score_parts(parts, asked, tmp_path / "scores", unit="system")
        assert_equal(assay.score(whole, asked, unit="system"), scored)

    def test_of_what_stands_with_outputs_of_other_systems(self, tmp_path: Path) -> None:
        """References given once for all outputs of an item, outputs that are references, judgments of two systems."""
        told = [dict(row) for row in rows()]
        for row in told:
            if row["system"] == "people":
                row["is_reference"] = True
                other = next(one for one in told if one["item"] == row["item"] and one["system"] == "a")
                row["judgments"] = [{"annotator": "w", "criterion": "better", "other": other["id"], "value": 1}]
            else:
                del row["references"]
        parts, asked = write_parts(tmp_path / "parts", told, 6), [sum_of_bleu(), *ONE_BY_ONE]
        scored = score_parts(parts, asked, tmp_path / "scores", unit="system")
        assert_equal(assay.score(assay.load(parts), asked, unit="system"), scored)

    def test_of_what_learns_or_counts_over_all_systems(self, whole: assay.Dataset, tmp_path: Path) -> None:
        parts, asked = write_parts(tmp_path / "parts", rows(), 7), [share_of_types(), taught()]
        expected = assay.score(whole, asked, unit="system", train=training())
        assert all(np.isfinite(expected[repr(one)].values).all() for one in asked)
        assert_equal(expected, score_parts(parts, asked, tmp_path / "scores", unit="system", train=training()))

    def test_of_systems_that_are_in_some_parts_only(self, tmp_path: Path) -> None:
        sorted_rows = sorted(rows(), key=lambda row: str(row["system"]))
        parts, asked = write_parts(tmp_path / "parts", sorted_rows, 10), [*ONE_BY_ONE, *FROM_SUMS]
        whole = assay.Dataset.from_records(sorted_rows)
        scored = score_parts(parts, asked, tmp_path / "scores", unit="system")
        assert_equal(assay.score(whole, asked, unit="system"), scored)


def test_a_second_call_scores_nothing_again(
    whole: assay.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts, asked = write_parts(tmp_path / "parts", rows(), 12), [*ONE_BY_ONE, *FROM_SUMS]
    score_parts(parts, asked, tmp_path / "scores", unit="system")
    monkeypatch.setattr(part_shares, "facts_of_systems", None)
    monkeypatch.setattr(part_systems, "score_units", None)
    again = score_parts(parts, asked, tmp_path / "scores", unit="system")
    assert (again.n_kept, again.n_scored) == (3, 0)
    assert_equal(assay.score(whole, asked, unit="system"), again)


def test_a_part_that_changed_is_read_again_and_no_other(tmp_path: Path) -> None:
    parts, asked = write_parts(tmp_path / "parts", rows(), 12), ["bleu", "distinct"]
    score_parts(parts, asked, tmp_path / "scores", unit="system")
    changed = parts / "part-001.jsonl"
    changed.write_text(changed.read_text().replace("Nothing", "Something else"))
    again = score_parts(parts, asked, tmp_path / "scores", unit="system")
    assert (again.n_kept, again.n_scored) == (2, 1)
    assert_equal(assay.score(assay.load(parts), asked, unit="system"), again)


def test_a_part_that_cannot_be_read_is_named_and_systems_are_of_the_others(tmp_path: Path) -> None:
    parts = write_parts(tmp_path / "parts", rows(), 12)
    (parts / "part-001.jsonl").write_text("{broken")
    scored = score_parts(parts, ["bleu", "distinct"], tmp_path / "scores", unit="system")
    assert list(scored.failures) == ["part-001.jsonl"]
    others = assay.Dataset.from_records([*rows()[:12], *rows()[24:]])
    expected = assay.score(others, ["bleu", "distinct"], unit="system")
    assert scored.systems["distinct"].values.tobytes() == expected["distinct"].values.tobytes()
    assert scored.systems["bleu"].values.tobytes() == expected["bleu"].values.tobytes()


def test_scores_of_systems_do_not_outlive_their_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = write_parts(tmp_path / "parts", rows(), 18)
    score_parts(parts, ["distinct"], tmp_path / "scores", unit="system")
    for part in parts.iterdir():
        part.write_text(part.read_text().replace("Nothing", "Something else"))
    with monkeypatch.context() as patched:
        patched.setattr(part_shares, "facts_of_systems", _no_space)
        scored = score_parts(parts, ["distinct"], tmp_path / "scores", unit="system")
    assert len(scored.failures) == 2 and not list((tmp_path / "scores").glob("*.parquet"))
    again = score_parts(parts, ["distinct"], tmp_path / "scores", unit="system")
    assert_equal(assay.score(assay.load(parts), ["distinct"], unit="system"), again)


def _no_space(*_: object) -> None:
    raise OSError("no space")


def test_a_system_that_does_not_fit_is_refused_first(tmp_path: Path) -> None:
    parts = write_parts(tmp_path / "parts", rows(), 12)
    with pytest.raises(EvaluatorError, match=r"self_bleu: it needs all outputs of a system\.\nThe 12 outputs of the "):
        score_parts(parts, ["self_bleu"], tmp_path / "scores", unit="system", gather=0)
    assert not (tmp_path / "scores").exists()
    score_parts(parts, FROM_SUMS, tmp_path / "scores", unit="system", gather=0)


def test_what_compares_systems_does_not_read_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """HUSE needs ratings and log-probabilities; texts of any length would fit."""
    read: list[Any] = []
    load = DataParts.load

    def remembered(parts: DataParts, *what: Any) -> assay.Dataset:
        read.append(what)
        return load(parts, *what)

    monkeypatch.setattr(DataParts, "load", remembered)
    score_parts(write_parts(tmp_path / "parts", rows(), 12), OF_ALL[:2], tmp_path / "scores")
    assert {frozenset({"judgments", "logprobs"})} == {what for (what,) in read}
