"""HUSE on the authors' data, on the sample, and on input that cannot be measured."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.errors import DataError, EvaluatorError
from assay.evaluators.huse.measure import MEASURES
from assay.sample import copy_to
from tests.evaluators.huse_data import summarization


@pytest.fixture(scope="module")
def headlines(data: Path) -> assay.Dataset:
    return assay.Dataset.from_records(summarization(data))


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> assay.Dataset:
    return assay.load(str(copy_to(tmp_path_factory.mktemp("sample"))))


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, (0.53, 0.60, 0.93)),
        ({"ties": "paper"}, (0.53, 0.58, 0.95)),  # Hashimoto et al. 2019, table 1, summarization at t = 1.0
        ({"vote_tie": "model"}, (0.54, 0.60, 0.94)),
        ({"vote_tie": "half"}, (0.535, 0.60, 0.935)),
        ({"k": 15}, (0.52, None, None)),
        ({"k": 17}, (0.47, None, None)),
        ({"scale": False}, (0.50, None, None)),
        ({"per_token": False}, (0.48, None, None)),
    ],
)
def test_published_numbers(headlines: assay.Dataset, settings: dict[str, Any], expected: tuple[Any, ...]) -> None:
    found = assay.huse(headlines, intervals=False, **settings)["model"]
    assert (found.n_human, found.n_model) == (100, 100)
    for name, value in zip(MEASURES, expected, strict=True):
        assert value is None or getattr(found, name) == pytest.approx(value, abs=1e-9)


def test_the_range_of_tie_rules_on_the_published_data(headlines: assay.Dataset) -> None:
    """Neighbors drawn at random: .535, .618 (sd .021), .917 over 100 seeds; here the exact mean over all draws."""
    found = assay.huse(headlines, intervals=False)["model"]
    assert found.tie_range["huse"] == pytest.approx((0.53, 0.54))
    low, high = found.tie_range["huse_q"]
    assert low == pytest.approx(0.60) and high == pytest.approx(0.624, abs=0.001)
    assert found.measured.by_quality is not None
    assert int((found.measured.by_quality.total > 16).sum()) == 169


def test_evaluators_agree_with_the_study(headlines: assay.Dataset) -> None:
    table = assay.score(headlines, ["huse", "huse_q", "huse_d"])
    study = assay.huse(headlines, intervals=False)["model"]
    row = list(table.unit).index("model")
    assert [float(table[name].values[row]) for name in MEASURES] == [study.huse, study.huse_q, study.huse_d]
    people = list(table.unit).index("people")
    assert table["huse"].gaps[people] == "the texts of people are what systems are compared with"
    assert assay.parse(study.signature).params["k"] == 16


def test_rows_in_another_order_give_the_same_bits(headlines: assay.Dataset, data: Path) -> None:
    records = summarization(data)
    order = np.random.default_rng(1).permutation(len(records))
    mixed = assay.Dataset.from_records([records[row] for row in order])
    for settings in ({}, {"ties": "paper"}):
        one, two = (assay.huse(part, intervals=False, **settings)["model"] for part in (headlines, mixed))
        assert (one.huse, one.huse_q) == (two.huse, two.huse_q)


def test_the_sample_shows_what_huse_is_for(sample: assay.Dataset) -> None:
    study = assay.huse(sample, intervals=False)
    by_diversity = sorted(study.systems, key=lambda entry: entry.huse_d)
    assert {entry.system for entry in by_diversity[:2]} == {"collapsed", "retrieval"}
    cold, warm = study["ngram-t0.5"], study["ngram-t1.0"]
    assert cold.huse_q > study["ngram-t0.7"].huse_q > warm.huse_q
    assert cold.huse_d < study["ngram-t0.7"].huse_d < warm.huse_d
    assert int(study["retrieval"].problem.floored.sum()) == 150
    assert not study.findings


def test_another_evaluator_in_place_of_people_and_beside_them(sample: assay.Dataset) -> None:
    hybrid = assay.huse(sample, systems=["ngram-t1.0"], quality="length", intervals=False)["ngram-t1.0"]
    assert 0 < hybrid.huse < 1 and hybrid.panel is None
    beside = assay.huse(sample, systems=["ngram-t1.0"], beside=["length"], intervals=False)["ngram-t1.0"]
    assert beside.problem.quality.shape[1] == 2
    table = assay.score(sample, ["huse(quality=length)"])
    assert table["huse(quality=length)"].values[list(table.unit).index("ngram-t1.0")] == hybrid.huse


def test_arrays() -> None:
    rng = np.random.default_rng(0)
    human = np.arange(300) < 100
    features = rng.normal(size=(300, 2))
    same = assay.huse(features, human, intervals=False).systems[0]
    assert 0.8 < same.huse < 1.2 and (same.n_human, same.n_model) == (100, 200)
    features[~human, 0] = -np.inf
    apart = assay.huse(features, human, intervals=False).systems[0]
    assert apart.huse == 0 and apart.problem.floor < features[human, 0].min()
    features[:10] = np.nan
    assert assay.huse(features, human, intervals=False).systems[0].problem.dropped == {"no number": 10}
    with pytest.raises(DataError, match="at least two columns"):
        assay.huse(features[:, :1], human)
    with pytest.raises(DataError, match="give `human`"):
        assay.huse(features)


def small(n: int = 40, **changed: Any) -> list[dict[str, Any]]:
    rng = np.random.default_rng(5)
    return [
        {
            "id": f"o{i}",
            "item": f"i{i // 2}",
            "text": "a b c",
            "system": "people" if i % 2 else "m",
            "human": bool(i % 2),
            "logprobs": {"m": -float(rng.integers(1, 30))},
            "judgments": [
                {"annotator": f"w{j}", "criterion": "good", "value": int(rng.integers(0, 6))} for j in "abcd"
            ],
        }
        | changed
        for i in range(n)
    ]


def measured(records: list[dict[str, Any]], **settings: Any) -> Any:
    return assay.huse(assay.Dataset.from_records(records), **settings).systems[0]


def test_too_few_outputs() -> None:
    found = measured(small(16))
    assert np.isnan(found.huse) and found.reasons["huse"] == "too few outputs (16 < 17)"
    found = measured(small(20))
    assert not np.isnan(found.huse) and np.isnan(found.interval["huse"].low)
    assert found.interval["huse"].reason == "too few outputs for halves of them (20 < 34)"


def test_one_class_only() -> None:
    with pytest.raises(DataError, match='no output is marked "human": true'):
        measured(small(40, system="m", human=False))
    with pytest.raises(DataError, match="all outputs are of people"):
        measured(small(40, system="people", human=True))


def test_constant_features() -> None:
    equal = measured(small(logprobs={"m": -3.0}))
    assert np.isnan(equal.huse) and np.isnan(equal.huse_d) and not np.isnan(equal.huse_q)
    assert equal.reasons["huse"] == "the log-probability of all outputs is the same"
    judged = measured(small(judgments=[{"annotator": "a", "criterion": "good", "value": 3}]))
    assert np.isnan(judged.huse_q) and judged.reasons["huse_q"] == "the quality of all outputs is the same"


def test_judgments_of_some_outputs_and_missing_log_probabilities() -> None:
    records = small(60)
    for record in records[:6]:
        record["judgments"] = []
    records[10]["logprobs"] = {}
    found = measured(records)
    assert not np.isnan(found.huse)
    assert found.problem.dropped == {
        "no log-probability: outputs of the system": 1,
        "no judgments of good": 6,
    }
    for record in records:
        record["logprobs"] = {} if record["human"] else record["logprobs"]
    found = measured(records)
    assert (
        "no outputs of people that can be used (left out: no log-probability: outputs of people: 30"
        in (found.reasons["huse"])
    )


def test_which_judgments_stand_for_quality() -> None:
    records = small()
    for record in records:
        record["judgments"] += [{"annotator": "a", "criterion": "fluent", "value": 1}]
    with pytest.raises(EvaluatorError, match="quality=human"):
        measured(records)
    assert not np.isnan(measured(records, quality="human(criterion='good')").huse)


def test_perplexity(sample: assay.Dataset) -> None:
    own, under = "perplexity", "perplexity(under='ngram-t1.0')"
    table = assay.score(sample, [own, under], unit="system")
    row = list(table.unit).index("ngram-t1.0")
    assert table[own].values[row] == table[under].values[row]
    output = assay.score(sample, [under])
    first = sample.output(0)
    logprob = sample.logprobs.value[(sample.logprobs.output == 0)]
    code = sample.systems.id.to_list().index("ngram-t1.0")
    logprob = sample.logprobs.value[(sample.logprobs.output == 0) & (sample.logprobs.system == code)][0]
    assert output[under].values[0] == pytest.approx(np.exp(-logprob / first.n_tokens))
    retrieval = assay.score(sample, ["perplexity(under='retrieval')"])["perplexity(under='retrieval')"]
    assert "cannot say this text" in retrieval.gaps[0]
