"""Every evaluator and analysis: one process, threads, processes, clusters and parts give the same bits."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

import assay
from assay import ScoreTable, registry
from assay.metaeval.questions.question import Resampling
from assay.needs import choose_unit
from assay.records import Dataset
from assay.registry import parse
from assay.run.parts import score_parts
from tests.contracts.worlds import example, records, training
from tests.io.test_score_tables import assert_same
from tests.run.parts import assert_equal, assert_same_parts, rows, write_parts

pytestmark = pytest.mark.slow

ENGINES = ["threads:2", "processes:2", "local:2", "local:4"]
# What compares sets of different items keeps all items in one part.
LINKED = ("rnk_hds",)
# Workers load a neural network library for these, which takes longer than the scores of a small world.
NEURAL = {
    name for name in registry.BUILTIN if {"model", "encoder", "epochs"} & set(registry.factory(name).factory.parameters)
}


@cache
def kind_of(name: str) -> str:
    """The unit of an evaluator: outputs can be cut anywhere, sets with the judgments about them item by item."""
    if name in LINKED:
        return "linked"
    return "output" if choose_unit(world("set"), [parse(example(name))], None) == "output" else "set"


@cache
def world(kind: str) -> Dataset:
    found = rows() if kind == "output" else records()
    for row in found if kind == "set" else ():
        row["judgments"] = [one for one in row["judgments"] if one["criterion"] != "more_diverse"]
    return Dataset.from_records(found)


@cache
def group(kind: str, neural: bool) -> tuple[str, ...]:
    names = [name for name in registry.BUILTIN if kind_of(name) == kind and (name in NEURAL) == neural]
    return tuple(map(example, names))


@cache
def expected(kind: str, neural: bool) -> ScoreTable:
    """All data at once, in one process."""
    return assay.score(world(kind), group(kind, neural), train=training())


def cut(kind: str, n_rows: int, folder: Path) -> Path:
    """Files of so many lines, or of at least so many outputs of whole items."""
    if kind == "output":
        return write_parts(folder, rows(), n_rows)
    assay.partition(world(kind), folder, rows=n_rows)
    return folder


class TestEveryEvaluator:
    def test_is_in_a_group(self) -> None:
        groups = [group(kind, neural) for kind in ("output", "set", "linked") for neural in (False, True)]
        assert sum(map(len, groups)) == len(registry.BUILTIN) and min(map(len, groups[:4])) > 5

    @pytest.mark.parametrize("n_rows", [1, 7, 10_000])
    @pytest.mark.parametrize("engine", ["serial", *ENGINES])
    @pytest.mark.parametrize("kind", ["output", "set", "linked"])
    def test_in_parts(self, kind: str, engine: str, n_rows: int, engine_of: Any, tmp_path: Path) -> None:
        parts, asked = cut(kind, n_rows, tmp_path / "parts"), group(kind, False)
        if engine == "processes:2" and n_rows == 1:
            pytest.skip("the same tasks as parts of 7, and a start of processes for each pass")
        scored = score_parts(parts, asked, tmp_path / "scores", train=training(), executor=engine_of(engine))
        assert_equal(expected(kind, False), scored)

    @pytest.mark.parametrize("engine", ENGINES)
    @pytest.mark.parametrize("kind", ["output", "set"])
    def test_in_chunks(self, kind: str, engine: str, engine_of: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("assay.run.one_pass.CHUNK", 7)
        found = assay.score(world(kind), group(kind, False), train=training(), executor=engine_of(engine))
        assert_same(expected(kind, False), found)

    @pytest.mark.parametrize("n_rows", [1, 7, 10_000])
    @pytest.mark.parametrize("engine", ["serial", *ENGINES])
    @pytest.mark.parametrize("kind", ["output", "set"])
    def test_neural_ones_in_parts(self, kind: str, engine: str, n_rows: int, engine_of: Any, tmp_path: Path) -> None:
        if engine == "processes:2" and n_rows == 1:
            pytest.skip("the same tasks as parts of 7, and a library is loaded for each pass")
        parts, asked = cut(kind, n_rows, tmp_path / "parts"), group(kind, True)
        scored = score_parts(parts, asked, tmp_path / "scores", train=training(), executor=engine_of(engine))
        assert_equal(expected(kind, True), scored)

    @pytest.mark.parametrize("engine", ["threads:2", "local:2"])
    @pytest.mark.parametrize("kind", ["output", "set"])
    def test_neural_ones_in_chunks(
        self, kind: str, engine: str, engine_of: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("assay.run.one_pass.CHUNK", 7)
        found = assay.score(world(kind), group(kind, True), train=training(), executor=engine_of(engine))
        assert_same(expected(kind, True), found)


def of_world(**how: Any) -> dict[str, assay.Part]:
    """What each analysis that scores says of the small data."""
    data = world("set")
    return {
        "meta": assay.meta(data, ["bleu", "chrf"], target="human('typicality')", resamples=20, **how),
        "compare": assay.compare(data, ["bleu", "rouge"], resamples=20, **how),
        "contest": assay.contest(data, ["bleu", "distinct"], resampling=Resampling(20), **how),
        "huse": assay.huse(data, quality="human('typicality')", k=3, figures=False, **how),
    }


class TestAnalyses:
    def test_of_a_small_world(self, engine_of: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("assay.run.one_pass.CHUNK", 7)
        alone = of_world()
        for engine in ENGINES:
            assert_same_parts(of_world(executor=engine_of(engine)), alone)
