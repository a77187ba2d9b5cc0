"""Every evaluator and analysis: one process, threads, processes, clusters and parts give the same bits."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import assay
from assay import registry
from assay.backends.cluster import Cluster, connect
from assay.metaeval.questions.question import Resampling
from assay.records import Dataset
from assay.run.parts import score_parts
from assay.sample import copy_to
from tests.contracts.worlds import example, records, training
from tests.io.test_score_tables import assert_same
from tests.run.parts import assert_equal

pytestmark = pytest.mark.slow

# What compares sets of different items keeps all items in one part.
LINKED = ("rnk_hds",)


# Each worker would load a neural network library first, which says nothing about clusters: these run in one process.
NEURAL = {
    name for name in registry.BUILTIN if {"model", "encoder", "epochs"} & set(registry.factory(name).factory.parameters)
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with connect("local:2") as two:
        yield two


def world(name: str) -> Dataset:
    rows = records()
    for row in rows:
        if name not in LINKED:
            row["judgments"] = [one for one in row["judgments"] if one["criterion"] != "more_diverse"]
    return Dataset.from_records(rows)


@pytest.mark.parametrize("name", registry.BUILTIN)
class TestEveryEvaluator:
    def test_in_parts(self, name: str, cluster: Cluster, tmp_path: Path) -> None:
        data, asked = world(name), [example(name)]
        expected = assay.score(data, asked, train=training())
        for rows, engine in ((1, "serial"), (7, "serial" if name in NEURAL else cluster), (10_000, "serial")):
            parts = tmp_path / f"parts-{rows}"
            assay.partition(data, parts, rows=rows)
            scored = score_parts(parts, asked, tmp_path / f"scores-{rows}", train=training(), executor=engine)
            assert_equal(expected, scored)

    def test_in_chunks(self, name: str, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("assay.run.one_pass.CHUNK", 7)
        data, asked = world(name), [example(name)]
        expected = assay.score(data, asked, train=training())
        for engine in ("threads:2", *(() if name in NEURAL else (cluster,))):
            assert_same(expected, assay.score(data, asked, train=training(), executor=engine))


def analyses(data: Dataset, **how: Any) -> dict[str, assay.Part]:
    """What each analysis that scores says of some data."""
    target, asked = "human('typicality')", ["bleu", "distinct"]
    return {
        "meta": assay.meta(data, ["bleu", "chrf"], target=target, resamples=20, **how),
        "compare": assay.compare(data, ["bleu", "rouge"], resamples=20, **how),
        "contest": assay.contest(data, asked, resampling=Resampling(20), **how),
        "huse": assay.huse(data, quality="human('typicality')", k=3, figures=False, **how),
    }


@pytest.mark.parametrize("engine", ["threads:2", "processes:2", "local:2", "local:4"])
def test_analyses(engine: str, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.run.one_pass.CHUNK", 7)
    data = world("")
    if engine == "local:4":
        with connect(engine) as four:
            found = analyses(data, executor=four)
    else:
        found = analyses(data, executor=cluster if engine == "local:2" else engine)
    for name, part in analyses(data).items():
        assert json.dumps(found[name].to_json()) == json.dumps(part.to_json()), name


@pytest.mark.parametrize("rows", [1, 7, 10_000])
@pytest.mark.parametrize("name", ["sample", "data:judges/reviews"])
def test_real_data(name: str, rows: int, cluster: Cluster, data: Path, tmp_path: Path) -> None:
    copy_to(tmp_path)
    whole = assay.load(tmp_path / "outputs.jsonl" if name == "sample" else name)
    if name != "sample" and rows < 10_000:
        whole = whole[: 100 * rows]  # a file for each of thousands of outputs says no more than a hundred files do
    asked = ["length", "distinct", "nb", *(["bleu", "cider"] if name == "sample" else ["human('real')"])]
    assay.partition(whole, tmp_path / "parts", rows=rows)
    scored = score_parts(tmp_path / "parts", asked, tmp_path / "scores", executor=cluster)
    assert_equal(assay.score(assay.load(tmp_path / "parts"), asked), scored)
    # Parts keep items together, so that the order of outputs may change: scores are compared by id.
    expected = assay.score(whole, ["length", "distinct"])
    by_id = dict(zip(expected.unit, expected["distinct"].values, strict=True))
    found = assay.load_scores(scored.folder)
    assert dict(zip(found.unit, found["distinct"].values, strict=True)) == by_id
