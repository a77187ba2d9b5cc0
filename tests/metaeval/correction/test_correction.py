"""Corrected means on published data: coverage, width, and what becomes of several judges."""

import numpy as np
import pytest

from assay import DataError, Dataset, load
from assay.kernels.statistics.prediction_powered import LabeledSample, corrected
from assay.metaeval.correction.estimates import estimates
from assay.metaeval.correction.labels import joined, matchups_with_labels, outputs_with_labels, with_labels

CASES = [
    ("10k_prompts", "answer", None),
    ("cebab_stars", "stars", None),
    *(("summeval", aspect, None) for aspect in ("coherence", "consistency", "fluency", "relevance")),
    ("wax", "answer", "Function"),
    ("wax", "answer", "Action"),
]
JUDGES = ("gemini_flash", "gemini_pro", "gpt-4o", "llama-31", "gpt-4o-mini", "mistral-v03")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "criterion", "answer"), CASES)
@pytest.mark.parametrize("judge", JUDGES)
def test_coverage_and_width_with_100_labels(data, name, criterion, answer, judge):
    """Nominal 95% is 93 to 97%, and the interval is no more than 2% wider than the plain one, on average."""
    units = outputs_with_labels(load(f"data:replace/{name}"), criterion, {judge: None}, answer=answer)
    rng, truth, held, widths = np.random.default_rng(0), units.label.mean(), [], []
    for _ in range(1000):
        keep = np.zeros(len(units.label), np.bool_)
        keep[rng.choice(len(keep), 100, replace=False)] = True
        sample = with_labels(units, keep).sample(0)
        ends = [corrected(sample, 1, weight=weight).intervals(0.95) for weight in (None, 0.0)]
        held.append(ends[0][0][0] <= truth <= ends[0][1][0])
        widths.append([(high - low)[0] for low, high in ends])
    powered, plain = np.mean(widths, axis=0)
    # One Monte Carlo standard error of 1,000 draws is .006.
    assert 0.93 - 0.006 <= np.mean(held) <= 0.97 + 0.006, np.mean(held)
    assert powered <= 1.02 * plain


def test_unusual_answers_of_a_judge_do_not_widen_the_intervals_of_all_systems():
    """The variances add up to no more than those of the labels alone; the estimate is that of the same lambda."""
    rng, bounded = np.random.default_rng(0), 0
    group, each = np.arange(400) % 2, np.arange(400)
    for _ in range(50):
        label, judge = rng.normal(size=400), rng.standard_t(2, size=400)
        label[rng.choice(400, 370, replace=False)] = np.nan
        sample = LabeledSample(group, each, np.zeros(400, int), label, judge, np.full(400, np.nan), 1.0)
        tuned = corrected(sample, 2)
        fixed, plain = (corrected(sample, 2, weight=weight) for weight in (tuned.weight, 0.0))
        assert np.array_equal(tuned.mean, fixed.mean)
        variance, most = ((one.influence**2).sum() for one in (tuned, plain))
        assert variance <= most * (1 + 1e-12)
        bounded += tuned.weight > 0 and variance >= most * (1 - 1e-12)
    assert bounded > 5


def dataset(rng, n_items=120, systems=("a", "b", "c"), labels=0.4):
    """Outputs with a judge's answers on all and people's on some; b is better by 1."""
    rows = []
    for item in range(n_items):
        for system in systems:
            truth = rng.normal(3, 1) + (system == "b")
            answers = [{"annotator": "judge", "criterion": "c", "value": float(truth + rng.normal(1, 0.6))}]
            if rng.random() < labels:
                answers += [
                    {"annotator": f"p{k}", "criterion": "c", "value": float(truth + rng.normal(0, 0.3))} for k in "12"
                ]
            row = {"id": f"{system}{item}", "item": f"i{item}", "system": system, "text": "x", "judgments": answers}
            rows.append(row | {"x": truth + rng.normal(0, 1), "y": rng.normal()})
    return Dataset.from_records(rows)


def test_ranks_and_differences_find_the_better_system():
    units = outputs_with_labels(dataset(np.random.default_rng(0)), "c", {"judge": None})
    found = estimates(units, draws=50)
    best = next(one for one in found.means if one.group == "b")
    assert (best.rank_low, best.rank_high) == (1, 1) and best.low < 4 < best.high
    assert best.judge == pytest.approx(best.value + 1, abs=0.3) and best.worth > 1.5
    assert all(one.rank_low >= 2 for one in found.means if one.group != "b")
    assert found.tried is not None and found.tried.coverage > 0.85 and found.tried.width_ratio < 0.9
    assert best.labels_to_halve is not None and best.n < best.labels_to_halve <= best.n_units


def test_with_every_output_labeled_ranks_are_those_of_the_means_and_intervals_end_with_the_scale():
    rng = np.random.default_rng(3)
    rows = [
        {
            "id": f"{system}{item}",
            "item": str(item),
            "system": system,
            "text": "x",
            "x": float(rng.normal()),
            "judgments": [{"annotator": "p", "criterion": "c", "value": float(min(5, at + rng.integers(1, 3)))}],
        }
        for item in range(12)
        for at, system in enumerate("abcd", 2)
    ]
    rows[0]["criteria"] = {"c": {"low": 1, "high": 5}}
    scores = {"x": np.array([row["x"] for row in rows])}
    found = estimates(outputs_with_labels(Dataset.from_records(rows), "c", scores), draws=0)
    assert [(one.rank_low, one.rank_high) for one in found.means][:2] == [(4, 4), (3, 3)]
    assert all(one.reason == "every output is labeled" for one in found.means)
    few = [row if number % 5 < 2 else row | {"judgments": []} for number, row in enumerate(rows)]
    some = estimates(outputs_with_labels(Dataset.from_records(few), "c", scores), draws=0)
    assert all(1 <= one.low <= one.high <= 5 and one.plain_high <= 5 for one in some.means)


def test_new_outputs_are_less_certain_than_these():
    units = outputs_with_labels(dataset(np.random.default_rng(1)), "c", {"judge": None})
    these, new = (estimates(units, population=population, draws=0) for population in ("these", "new"))
    assert these.weight == new.weight
    for one, other in zip(these.means, new.means, strict=True):
        assert one.value == other.value and one.high - one.low < other.high - other.low
        assert other.labels_to_halve is None  # even with all labels the outputs are a sample


def test_several_judges_are_joined_without_seeing_their_own_labels():
    data = dataset(np.random.default_rng(2))
    x, y = (np.asarray(data.outputs.columns[name]) for name in "xy")
    units = outputs_with_labels(data, "c", {"x": x.copy(), "y": y.copy()}, ignore=["judge"])
    prediction = joined(units, seed=0)
    labeled = ~np.isnan(units.label)
    assert np.corrcoef(prediction[labeled], units.label[labeled])[0, 1] > 0.4
    noise = outputs_with_labels(data, "c", {"y": y.copy()}, ignore=["judge"])
    held_out = joined(noise, seed=0)
    # In-sample predictions from noise correlate with the labels; cross-fitted ones do not.
    assert np.corrcoef(held_out[labeled], noise.label[labeled])[0, 1] < 0.1
    assert estimates(units, draws=0).means[0].worth > estimates(noise, draws=0).means[0].worth


def test_win_rates_of_pairs():
    rng = np.random.default_rng(3)
    rows = []
    for item in range(100):
        answers = []
        better = rng.random() < 0.7
        for name in ("judge", *(("p1", "p2") if item < 40 else ())):
            agrees = rng.random() < 0.85
            value = 1 if better == agrees else -1
            answers.append({"annotator": name, "criterion": "better", "value": value, "other": f"b{item}"})
        rows.append({"id": f"a{item}", "item": f"i{item}", "system": "a", "text": "x", "judgments": answers})
        rows.append({"id": f"b{item}", "item": f"i{item}", "system": "b", "text": "y"})
    units = matchups_with_labels(Dataset.from_records(rows), "better", ["judge"])
    assert units.groups == ("a over b",) and len(units.label) == 100
    (one,) = estimates(units, draws=0).means
    assert one.n == 40 and 0 < one.low < one.value < one.high < 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strata": "z"}, "outputs have no column 'z'"),
        ({"probability": "y"}, "must hold a probability"),
        ({"ignore": ["p1", "p2"]}, "fewer than 2 outputs have answers of people"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(DataError, match=message):
        outputs_with_labels(dataset(np.random.default_rng(4)), "c", {"judge": None}, **options)
