"""HUSE on the authors' data, on the sample, and on input that cannot be measured."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.analyses.huse.systems import HuseResult, compare_with_people
from assay.errors import DataError, EvaluatorError
from assay.evaluators.huse import huse as evaluators
from assay.evaluators.huse import measure
from assay.evaluators.huse.measure import MEASURES, Rules
from assay.sample import copy_to
from tests.analyses.huse.data import summarization

RULES = ("k", "ties", "vote_tie", "scale")


def compare(data: Any, human: Any = None, *, intervals: bool = False, **settings: Any) -> HuseResult:
    rules = Rules(**{name: settings.pop(name) for name in RULES if name in settings})
    return compare_with_people(data, human, rules, intervals=intervals, **settings)


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
    found = compare(headlines, **settings)["model"]
    assert (found.problem.n_human, found.problem.n_model) == (100, 100)
    for name, value in zip(MEASURES, expected, strict=True):
        assert value is None or found[name] == pytest.approx(value, abs=1e-9)


def test_the_range_of_tie_rules_on_the_published_data(headlines: assay.Dataset) -> None:
    """Neighbors drawn at random: .535, .618 (sd .021), .917 over 100 seeds; here the exact mean over all draws."""
    found = compare(headlines)["model"]
    assert found.tie_ranges["huse"] == pytest.approx((0.53, 0.54))
    low, high = found.tie_ranges["huse_q"]
    assert low == pytest.approx(0.60) and high == pytest.approx(0.624, abs=0.001)
    assert found.measured.quality.neighbors is not None
    assert int((found.measured.quality.neighbors.total > 16).sum()) == 169


def test_evaluators_agree_with_the_study(headlines: assay.Dataset) -> None:
    table = assay.score(headlines, ["huse", "huse_q", "huse_d"])
    study = compare(headlines)
    row = list(table.unit).index("model")
    assert [float(table[name].values[row]) for name in MEASURES] == list(study["model"].measured.values.values())
    people = list(table.unit).index("people")
    assert table["huse"].gaps[people] == "human texts are what systems are compared with"
    assert assay.parse(study.signatures["huse"]).params["k"] == 16


def test_rows_in_another_order_give_the_same_bits(headlines: assay.Dataset, data: Path) -> None:
    records = summarization(data)
    order = np.random.default_rng(1).permutation(len(records))
    mixed = assay.Dataset.from_records([records[row] for row in order])
    for settings in ({}, {"ties": "paper"}):
        one, two = (compare(part, **settings)["model"] for part in (headlines, mixed))
        assert one.measured.values == two.measured.values


def test_the_sample_shows_what_huse_is_for(sample: assay.Dataset) -> None:
    study = compare(sample)
    by_diversity = sorted(study.systems, key=lambda entry: entry["huse_d"])
    assert {entry.system for entry in by_diversity[:2]} == {"collapsed", "retrieval"}
    cold, warm = study["ngram-t0.5"], study["ngram-t1.0"]
    assert cold["huse_q"] > study["ngram-t0.7"]["huse_q"] > warm["huse_q"]
    assert cold["huse_d"] < study["ngram-t0.7"]["huse_d"] < warm["huse_d"]
    assert int(study["retrieval"].problem.floored.sum()) == 150
    assert not study.findings


def test_another_evaluator_in_place_of_people_and_beside_them(sample: assay.Dataset) -> None:
    hybrid = compare(sample, systems=["ngram-t1.0"], quality="length")["ngram-t1.0"]
    assert 0 < hybrid["huse"] < 1 and hybrid.panel is None
    beside = compare(sample, systems=["ngram-t1.0"], beside=["length"])["ngram-t1.0"]
    assert beside.problem.quality.shape[1] == 2
    table = assay.score(sample, ["huse(quality=length)"])
    assert table["huse(quality=length)"].values[list(table.unit).index("ngram-t1.0")] == hybrid["huse"]


def test_arrays() -> None:
    rng = np.random.default_rng(0)
    human = np.arange(300) < 100
    features = rng.normal(size=(300, 2))
    same = compare(features, human).systems[0]
    assert 0.8 < same["huse"] < 1.2 and (same.problem.n_human, same.problem.n_model) == (100, 200)
    features[~human, 0] = -np.inf
    apart = compare(features, human).systems[0]
    assert apart["huse"] == 0 and apart.problem.floor < features[human, 0].min()
    features[:10] = np.nan
    assert compare(features, human).systems[0].problem.dropped == {"no number": 10}
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
    return compare(assay.Dataset.from_records(records), intervals=True, **settings).systems[0]


def test_too_few_outputs() -> None:
    found = measured(small(16))
    assert np.isnan(found["huse"]) and found.measured.reasons["huse"] == "too few outputs (16 < 17)"
    found = measured(small(20))
    assert not np.isnan(found["huse"]) and np.isnan(found.interval["huse"].low)
    assert found.interval["huse"].reason == "too few outputs for halves of them (20 < 34)"


def test_one_class_only() -> None:
    with pytest.raises(DataError, match='no output is marked "human": true'):
        measured(small(40, system="m", human=False))
    with pytest.raises(DataError, match="all outputs are of people"):
        measured(small(40, system="people", human=True))


def test_constant_features() -> None:
    equal = measured(small(logprobs={"m": -3.0}))
    assert np.isnan(equal["huse"]) and np.isnan(equal["huse_d"]) and not np.isnan(equal["huse_q"])
    assert equal.measured.reasons["huse"] == "all outputs have the same log-probability"
    judged = measured(small(judgments=[{"annotator": "a", "criterion": "good", "value": 3}]))
    assert np.isnan(judged["huse_q"]) and judged.measured.reasons["huse_q"] == "all outputs have the same quality"


def test_judgments_of_some_outputs_and_missing_log_probabilities() -> None:
    records = small(60)
    for record in records[:6]:
        record["judgments"] = []
    records[10]["logprobs"] = {}
    found = measured(records)
    assert not np.isnan(found["huse"])
    assert found.problem.dropped == {
        "no log-probability: outputs of the system": 1,
        "no judgments of good": 6,
    }
    for record in records:
        record["logprobs"] = {} if record["human"] else record["logprobs"]
    found = measured(records)
    assert (
        "no usable human outputs (left out: no log-probability: human outputs: 30" in (found.measured.reasons["huse"])
    )


def test_which_judgments_stand_for_quality() -> None:
    records = small()
    for record in records:
        record["judgments"] += [{"annotator": "a", "criterion": "fluent", "value": 1}]
    with pytest.raises(EvaluatorError, match="quality=human"):
        measured(records)
    assert not np.isnan(measured(records, quality="human(criterion='good')")["huse"])


def test_the_result_of_arrays_has_every_number_and_no_texts() -> None:
    features = np.random.default_rng(0).normal(size=(300, 2))
    part = assay.huse(features, np.arange(300) < 100)
    assert [number.name for number in part.numbers] == list(MEASURES)
    assert all(number.low < number.value < number.high and number.n == 300 for number in part.numbers)
    assert [table.name for table in part.tables] == ["huse"] and not part.pictures
    quick = assay.huse(features, np.arange(300) < 100, intervals=False)
    assert "Intervals" not in quick.tables[0].note
    assert [number.value for number in quick.numbers] == [number.value for number in part.numbers]
    assert {number.reason for number in quick.numbers} == {"no intervals were asked for"}
    assert not quick.answers["wrong"]


def test_a_run_votes_twice_for_three_measures(sample: assay.Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    votes = []

    def counted(*args: Any, **kwargs: Any) -> measure.Vote:
        votes.append(kwargs["with_logprob"])
        return measure.vote(*args, **kwargs)

    monkeypatch.setattr(evaluators, "vote", counted)
    table = assay.score(sample, list(MEASURES), unit="system")
    n_systems = int((~sample.systems.human).sum())
    assert sorted(votes) == [False] * n_systems + [True] * n_systems
    assert np.array_equal(table["huse_d"].values, 1 + table["huse"].values - table["huse_q"].values, equal_nan=True)
