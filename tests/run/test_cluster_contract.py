"""Every evaluator and analysis: one process, threads, processes, clusters and parts give the same bits."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import assay
from assay import ScoreTable, registry
from assay.backends.cluster import Cluster, connect
from assay.metaeval.questions.question import Resampling
from assay.needs import choose_unit
from assay.records import Dataset
from assay.registry import parse
from assay.run.executor import Executor
from assay.run.parts import score_parts
from assay.sample import copy_to
from tests.contracts.worlds import example, records, training
from tests.io.test_score_tables import assert_same
from tests.run.parts import assert_equal, rows, write_parts

pytestmark = pytest.mark.slow

ENGINES = ["threads:2", "processes:2", "local:2", "local:4"]
# What compares sets of different items keeps all items in one part.
LINKED = ("rnk_hds",)
# Each worker would load a neural network library first, which says nothing about clusters: these run in one process.
NEURAL = {
    name for name in registry.BUILTIN if {"model", "encoder", "epochs"} & set(registry.factory(name).factory.parameters)
}


@pytest.fixture(scope="module")
def engine_of() -> Iterator[Callable[[str], str | Executor]]:
    """Clusters are started once, and end with the tests."""
    clusters: dict[str, Cluster] = {}

    def find(name: str) -> str | Executor:
        if not name.startswith("local"):
            return name
        if name not in clusters:
            clusters[name] = connect(name)
        return clusters[name]

    yield find
    for cluster in clusters.values():
        cluster.close()


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

    @pytest.mark.parametrize("kind", ["output", "set"])
    def test_neural_ones_in_parts_and_chunks(self, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = group(kind, True)
        scored = score_parts(cut(kind, 7, tmp_path / "parts"), asked, tmp_path / "scores", train=training())
        assert_equal(expected(kind, True), scored)
        monkeypatch.setattr("assay.run.one_pass.CHUNK", 7)
        assert_same(expected(kind, True), assay.score(world(kind), asked, train=training(), executor="threads:2"))


def of_world(**how: Any) -> dict[str, assay.Part]:
    """What each analysis that scores says of the small data."""
    data = world("set")
    return {
        "meta": assay.meta(data, ["bleu", "chrf"], target="human('typicality')", resamples=20, **how),
        "compare": assay.compare(data, ["bleu", "rouge"], resamples=20, **how),
        "contest": assay.contest(data, ["bleu", "distinct"], resampling=Resampling(20), **how),
        "huse": assay.huse(data, quality="human('typicality')", k=3, figures=False, **how),
    }


def of_sample(data: Dataset, **how: Any) -> dict[str, assay.Part]:
    return {
        "meta": assay.meta(data, ["bleu", "nb"], target="human('typicality')", resamples=20, **how),
        "compare": assay.compare(data, ["bleu", "distinct"], resamples=20, **how),
        "huse": assay.huse(data, quality="human('typicality')", figures=False, **how),
    }


def of_reviews(data: Dataset, **how: Any) -> dict[str, assay.Part]:
    return {
        "meta": assay.meta(data, ["length", "nb"], target="human('real')", resamples=20, **how),
        "compare": assay.compare(data, ["length", "distinct"], resamples=20, **how),
    }


def assert_same_parts(found: dict[str, assay.Part], expected: dict[str, assay.Part]) -> None:
    for name, part in expected.items():
        assert json.dumps(found[name].to_json()) == json.dumps(part.to_json()), name


class TestAnalyses:
    def test_of_a_small_world(self, engine_of: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("assay.run.one_pass.CHUNK", 7)
        alone = of_world()
        for engine in ENGINES:
            assert_same_parts(of_world(executor=engine_of(engine)), alone)

    @pytest.mark.parametrize("name", ["sample", "data:judges/reviews"])
    def test_of_real_data(
        self, name: str, engine_of: Any, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Also of a folder of parts: agree asks no evaluator, so it has nothing to distribute."""
        monkeypatch.setattr("assay.run.one_pass.CHUNK", 500)
        whole, of_data = real_data(name, tmp_path), of_sample if name == "sample" else of_reviews
        alone = of_data(whole)
        for engine in ENGINES:
            assert_same_parts(of_data(whole, executor=engine_of(engine)), alone)
        assay.partition(whole, tmp_path / "parts", rows=100)
        agreed = [assay.agree(data, resamples=20) for data in (whole, assay.load(tmp_path / "parts"))]
        assert_same_parts({"agree": agreed[0]}, {"agree": agreed[1]})


def real_data(name: str, folder: Path) -> Dataset:
    copy_to(folder)
    return assay.load(folder / "outputs.jsonl" if name == "sample" else name)


@pytest.mark.parametrize("n_rows", [1, 7, 10_000])
@pytest.mark.parametrize("name", ["sample", "data:judges/reviews"])
def test_real_data_in_parts(name: str, n_rows: int, engine_of: Any, data: Path, tmp_path: Path) -> None:
    whole = real_data(name, tmp_path)
    if name != "sample" and n_rows < 10_000:
        whole = whole[: 100 * n_rows]  # a file for each of thousands of outputs says no more than a hundred files do
    asked = ["length", "distinct", "nb", *(["bleu", "cider"] if name == "sample" else ["human('real')"])]
    assay.partition(whole, tmp_path / "parts", rows=n_rows)
    scored = score_parts(tmp_path / "parts", asked, tmp_path / "scores", executor=engine_of("local:2"))
    assert_equal(assay.score(assay.load(tmp_path / "parts"), asked), scored)
    # Parts keep items together, so that the order of outputs may change: scores are compared by id.
    expected = assay.score(whole, ["length", "distinct"])
    by_id = dict(zip(expected.unit, expected["distinct"].values, strict=True))
    found = assay.load_scores(scored.folder)
    assert dict(zip(found.unit, found["distinct"].values, strict=True)) == by_id
