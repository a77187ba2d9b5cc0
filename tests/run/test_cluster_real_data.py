"""Every evaluator and analysis that real data allows: one process, threads, processes, clusters and parts agree."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import assay
from assay import ScoreTable, registry
from assay.errors import AssayError
from assay.metaeval.questions.question import Resampling
from assay.needs import check_needs, choose_unit, parse_for
from assay.records import Dataset
from assay.run.parts import score_parts
from assay.sample import copy_to
from tests.contracts.worlds import example
from tests.run.parts import assert_equal, assert_same_parts, write_parts
from tests.run.test_cluster_contract import ENGINES, NEURAL

pytestmark = pytest.mark.slow

NAMES = ["sample", "data:judges/reviews"]
KINDS = ["output", "set", "system"]
SETS, TWENTY = ["distinct", "compression_ratio", "ngram_entropy"], Resampling(20)
# How evaluators are asked that cannot be asked for by name alone, and others whose references are of other parts.
ASKED = {
    "sample": {
        "column": "column('params.temperature')",
        "set_value": "set_value('temperature')",
        "retrieved": "bleu(references=nearest(2))",
        "others": "reduce(chrf(references=others()))",
    },
    "data:judges/reviews": {
        "human": "human('real')",
        "neighbors": "neighbors(criterion='real')",
        "blend": "blend((length, nb), 'real')",
        "column": "column('page')",
        "retrieved": "bleu(references=nearest(2))",
    },
}
# What data without these answers, choices and colors does not allow; the reviews have no references or contexts either.
COMMUNICATION = {"human_listener", "mixed_listener", "listener"}
DIVERSITY = {"abs_hds", "asp_hds", "rnk_hds", "sim_hds", "trained_content_diversity"}
REFERENCES = {
    *("bert_score", "bleu", "chrf", "cider", "cross_encoder", "exact_match", "meteor", "numeric_match", "rouge", "ter"),
    *("token_f1", "wms"),
}
LISTENERS = {"lm_listener", "rsa", "text_listener"}
REFUSED = {
    "sample": COMMUNICATION | DIVERSITY,
    "data:judges/reviews": COMMUNICATION
    | DIVERSITY
    | REFERENCES
    | LISTENERS
    | {"content_diversity", "huse", "huse_d", "perplexity", "set_value"},
}
# What a frame says once of an item, and a part must say.
OF_ITEMS = {"context", "references", "choices", "target"}
# Every so many outputs are scored, in about a hundred parts; of networks fifty or thirty one by one, or a hundred.
STEPS = {"sample": {1: 10, 7: 2, 10_000: 1}, "data:judges/reviews": {1: 36, 7: 6, 10_000: 3}}
NEURAL_STEPS = {"sample": {1: 18, 7: 10, 10_000: 10}, "data:judges/reviews": {1: 120, 7: 36, 10_000: 36}}


@cache
def real(name: str) -> Dataset:
    """The data in the order in which its parts have it: the outputs of an item stand together."""
    with TemporaryDirectory() as folder:
        copy_to(Path(folder, "sample"))
        whole = assay.load(Path(folder, "sample/outputs.jsonl") if name == "sample" else name)
        assay.partition(whole, Path(folder, "parts"), rows=10_000)
        return assay.load(Path(folder, "parts"))


@cache
def asked_of(name: str) -> dict[str, str]:
    """Evaluators that the data allows, by name."""
    every = {one: example(one) for one in registry.BUILTIN} | ASKED[name]
    return {one: asked for one, asked in every.items() if one not in REFUSED[name]}


@cache
def group(name: str, kind: str, neural: bool) -> tuple[str, ...]:
    whole = real(name)
    return tuple(
        asked
        for one, asked in asked_of(name).items()
        if (one in NEURAL) == neural and choose_unit(whole, [parse_for(whole, asked)], None) == kind
    )


@cache
def some(name: str, n_rows: int, neural: bool) -> Dataset:
    return real(name)[:: (NEURAL_STEPS if neural else STEPS)[name][n_rows]]


@cache
def expected(name: str, kind: str, neural: bool, n_rows: int) -> ScoreTable:
    """All data at once, in one process."""
    return assay.score(some(name, n_rows, neural), group(name, kind, neural))


def cut(data: Dataset, kind: str, n_rows: int, folder: Path) -> Path:
    """Parts of so many lines, whatever item they are of; of whole items where sets need them together."""
    if kind != "output":
        assay.partition(data, folder, rows=n_rows)
        return folder
    columns = data.frame_columns()
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    first_of_item: dict[str, dict[str, Any]] = {}
    for row in rows:
        first = first_of_item.setdefault(row["item"], row)
        row |= {field: first[field] for field in OF_ITEMS & columns.keys()}
    return write_parts(folder, rows, n_rows)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_left_out_is_refused(name: str, data: Path) -> None:
    whole = real(name)
    for one in REFUSED[name]:
        with pytest.raises(AssayError):
            asked = parse_for(whole, ASKED[name].get(one, example(one)))
            check_needs(whole, [asked])
            assay.score(whole[::10], [asked])
    assert sum(len(group(name, kind, neural)) for kind in KINDS for neural in (False, True)) == len(asked_of(name))


@pytest.mark.parametrize("n_rows", [1, 7, 10_000])
@pytest.mark.parametrize("engine", ["serial", *ENGINES])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_in_parts(name: str, kind: str, engine: str, n_rows: int, engine_of: Any, data: Path, tmp_path: Path) -> None:
    for neural in (False, True):
        asked = group(name, kind, neural)
        if not asked or (neural and n_rows != 7 and engine != "local:2"):
            continue
        parts = cut(some(name, n_rows, neural), kind, n_rows, tmp_path / f"data-{neural}")
        scored = score_parts(parts, asked, tmp_path / f"scores-{neural}", executor=engine_of(engine))
        assert_equal(expected(name, kind, neural, n_rows), scored)


def of_sample(data: Dataset, **how: Any) -> dict[str, assay.Part]:
    return {
        "meta": assay.meta(data, ["bleu", "nb"], target="human('typicality')", resamples=20, **how),
        "compare": assay.compare(data, ["bleu", "distinct"], resamples=20, **how),
        "huse": assay.huse(data, quality="human('typicality')", figures=False, **how),
        "contest": assay.contest(
            two(data, "people", "collapsed"), SETS, label="system", high="people", resampling=TWENTY, **how
        ),
        "agree": assay.agree(data, resamples=20),
    }


def of_reviews(data: Dataset, **how: Any) -> dict[str, assay.Part]:
    return {
        "meta": assay.meta(data, ["length", "nb"], target="human('real')", resamples=20, **how),
        "compare": assay.compare(data, ["length", "distinct"], resamples=20, **how),
        "contest": assay.contest(
            two(data, "Real", "SeqGAN"), SETS, label="system", high="Real", resampling=TWENTY, **how
        ),
        "agree": assay.agree(data, resamples=20),
    }


def two(data: Dataset, *systems: str) -> Dataset:
    """Sets of high and of low diversity."""
    return data.select_systems(np.array([name in systems for name in data.systems.id]))


@pytest.mark.parametrize("name", NAMES)
def test_analyses(name: str, engine_of: Any, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of data that was in parts; agree asks no evaluator, so it has nothing to distribute."""
    monkeypatch.setattr("assay.run.one_pass.CHUNK", 500)
    whole, analyses = real(name), of_sample if name == "sample" else of_reviews
    alone = analyses(whole)
    for engine in ENGINES:
        assert_same_parts(analyses(whole, executor=engine_of(engine)), alone)
    for n_rows in (1, 7, 10_000):
        assay.partition(whole, tmp_path / f"{n_rows}", rows=n_rows)
        in_parts = assay.load(tmp_path / f"{n_rows}")
        assert_same_parts(analyses(in_parts, executor=engine_of("local:2")), alone)
