import numpy as np
import pytest

from assay.analyses.neighbors.check import check
from assay.analyses.neighbors.neighborhood import Neighborhood, agreement
from assay.analyses.neighbors.rivals import rivals
from assay.analyses.neighbors.studies import (
    across_tasks,
    compare_kernels,
    low_hanging_fruit,
    sweep,
    training_sizes,
)
from assay.analyses.neighbors.tuning import tune, tuned_apart
from assay.errors import DataError, EvaluatorError
from assay.evaluators.neighbors.judged import judged_outputs, unjudged_outputs
from assay.evaluators.neighbors.rule import Rule
from assay.evaluators.neighbors.similarity import Similarity
from assay.records import Dataset
from tests.evaluators.neighbors.texts import records
from tests.oracles.bleu_pairs import bleu_star

JUDGED = judged_outputs(Dataset.from_records(records(60)))
OTHER = judged_outputs(Dataset.from_records(records(40, seed=3)))
RULE = Rule(0.3)
NEAR = Neighborhood.among(JUDGED, Similarity(), 0.02)


def plain_estimates(rule, apart):
    """Leave out of each text's neighbors those that `apart` does not allow."""
    texts = JUDGED.texts.to_list()
    values = []
    for i, text in enumerate(texts):
        allowed = [j for j in range(len(texts)) if apart(i, j)]
        near = [j for j in allowed if bleu_star(text, texts[j]) >= rule.tau]
        enough = rule.min_neighbors <= len(near) <= rule.max_fraction * len(allowed)
        values.append(JUDGED.quality[near].mean() if enough else np.nan)
    return np.array(values)


@pytest.mark.parametrize(
    ("fold", "apart"),
    [
        ("output", lambda i, j: i != j),
        ("item", lambda i, j: JUDGED.item[i] != JUDGED.item[j] and JUDGED.texts[i] != JUDGED.texts[j]),
        ("system", lambda i, j: JUDGED.system[i] != JUDGED.system[j]),
    ],
)
def test_folds_leave_out_what_they_say(fold, apart):
    found = NEAR.estimate(RULE, fold=fold).values
    assert found == pytest.approx(plain_estimates(RULE, apart), nan_ok=True)


def test_a_sweep_changes_one_threshold_at_a_time():
    points = sweep(NEAR, RULE, taus=[0.1, 0.3], min_neighbors=[1, 9], max_fractions=[0.2])
    assert [(p.varied, p.rule) for p in points] == [
        ("tau", Rule(0.1)),
        ("tau", Rule(0.3)),
        ("min_neighbors", Rule(0.3, 1)),
        ("min_neighbors", Rule(0.3, 9)),
        ("max_fraction", Rule(0.3, 5, 0.2)),
    ]
    for point in points:
        assert point.agreement == agreement(NEAR.estimate(point.rule).values, JUDGED.quality)


def test_tuning_finds_the_best_of_all_combinations():
    grid = {"taus": [0.2, 0.3, 0.4], "min_neighbors": [2, 8], "max_fractions": [0.3, 1.0]}
    best = tune(NEAR, RULE, **grid, min_coverage=0.3)
    every = [
        agreement(NEAR.estimate(Rule(tau, a, b)).values, JUDGED.quality)
        for tau in grid["taus"]
        for a in grid["min_neighbors"]
        for b in grid["max_fractions"]
    ]
    assert best.agreement.rho == max(point.rho for point in every if point.coverage >= 0.3)
    with pytest.raises(EvaluatorError, match="no setting of tau, a and b covers"):
        tune(NEAR, RULE, taus=[0.9], min_neighbors=[50], max_fractions=[1.0])


def test_tuning_apart_never_uses_the_texts_it_estimates():
    estimates = tuned_apart(NEAR, RULE, n_folds=5, seed=2)
    part = np.random.default_rng(2).permutation(60) % 5
    for number in range(5):
        others = part != number
        only = judged_outputs(Dataset.from_records(records(60))).take(np.flatnonzero(others))
        best = tune(Neighborhood.among(only, Similarity(), 0.02), RULE).rule
        held = JUDGED.take(np.flatnonzero(~others))
        expected = Neighborhood.between(held, only, Similarity(), 0.02).estimate(best).values
        assert estimates[~others] == pytest.approx(expected, nan_ok=True)


def test_training_sizes_draw_with_the_seed_and_end_at_all_texts():
    points = training_sizes(NEAR, RULE, sizes=[0.5, 1.0], n_draws=4, seed=1)
    assert [point.n_train for point in points] == [30, 60]
    assert points == training_sizes(NEAR, RULE, sizes=[0.5, 1.0], n_draws=4, seed=1)
    assert points[0] != training_sizes(NEAR, RULE, sizes=[0.5, 1.0], n_draws=4, seed=2)[0]
    whole = agreement(NEAR.estimate(RULE).values, JUDGED.quality)
    assert points[1].rho == pytest.approx(whole.rho) and points[1].rho_sd == pytest.approx(0)
    assert points[0].coverage < points[1].coverage


def test_across_tasks_has_every_pair_and_the_diagonal_leaves_one_out():
    found = across_tasks({"a": JUDGED, "b": OTHER}, Similarity(), RULE)
    assert set(found) == {("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")}
    assert found["a", "a"] == agreement(NEAR.estimate(RULE).values, JUDGED.quality)
    between = Neighborhood.between(OTHER, JUDGED, Similarity(), 0.3).estimate(RULE)
    assert found["a", "b"] == agreement(between.values, OTHER.quality)


def test_low_hanging_fruit_splits_the_texts():
    strict = Rule(0.55)
    found = low_hanging_fruit(NEAR, strict)
    covered = NEAR.estimate(strict).covered
    assert (found.n_covered, found.n_uncovered) == (covered.sum(), (~covered).sum())
    assert 0 < found.n_covered < 60
    assert found.covered.best_mse <= found.covered.average_mse


def test_kernels_each_at_their_own_threshold():
    rows = compare_kernels(JUDGED, [(Similarity(), RULE), (Similarity("rouge_l"), Rule(0.06))])
    assert [row.similarity.kernel for row in rows] == ["bleu", "rouge_l"]
    assert rows[0].agreement == agreement(NEAR.estimate(RULE).values, JUDGED.quality)


def test_check_has_estimates_intervals_and_baselines():
    found = check(JUDGED, Similarity(), RULE)
    assert found.estimates.values == pytest.approx(NEAR.estimate(RULE).values, nan_ok=True)
    covered = found.estimates.covered
    assert np.all(found.low[covered] < found.high[covered]) and np.isnan(found.low[~covered]).all()
    assert found.rho_interval.low < found.agreement.rho < found.rho_interval.high
    baselines = found.baselines
    assert {"mean", "length", "best_annotator", "average_annotator", "average_annotator_left_out"} <= set(baselines)
    n = len(JUDGED)
    others = (JUDGED.quality.sum() - JUDGED.quality) / (n - 1)
    assert baselines["mean"].mse == pytest.approx(np.mean((others - JUDGED.quality) ** 2))
    assert baselines["mean"].reason and np.isnan(baselines["mean"].rho)


def test_the_length_baseline_leaves_each_text_out():
    lengths, quality = JUDGED.texts.lengths.astype(float), JUDGED.quality
    errors = []
    for i in range(len(lengths)):
        others = np.arange(len(lengths)) != i
        line = np.polyfit(lengths[others], quality[others], 1)
        errors.append((np.polyval(line, lengths[i]) - quality[i]) ** 2)
    assert check(JUDGED, Similarity(), RULE).baselines["length"].mse == pytest.approx(np.mean(errors))


def test_training_texts_that_are_to_be_estimated_are_left_out():
    new = unjudged_outputs(Dataset.from_records([{"text": JUDGED.texts[0]}, {"text": "storm river"}]))
    found = check(new, Similarity(), RULE, train=JUDGED)
    copies = sum(text == JUDGED.texts[0] for text in JUDGED.texts)
    assert found.n_shared == copies and len(found.train) == 60 - copies
    assert np.isnan(found.agreement.rho) and found.agreement.n == 0
    with pytest.raises(DataError, match="0 of them are not to be estimated themselves"):
        check(JUDGED, Similarity(), RULE, train=JUDGED)


def test_similarities_below_the_kept_ones_are_refused():
    with pytest.raises(ValueError, match=r"kept from 0\.02 up"):
        NEAR.counted(Rule(0.01))


def test_new_texts_are_estimated_some_at_a_time(monkeypatch):
    whole = check(OTHER, Similarity(), RULE, train=JUDGED)
    monkeypatch.setattr("assay.analyses.neighbors.check.TEXTS_AT_ONCE", 7)
    parts = check(OTHER, Similarity(), RULE, train=JUDGED)
    for name in ("low", "high"):
        assert np.array_equal(getattr(whole, name), getattr(parts, name), equal_nan=True)
    assert np.array_equal(whole.estimates.values, parts.estimates.values, equal_nan=True)
    for one, two in zip(whole.neighbors, parts.neighbors, strict=True):
        assert np.array_equal(one, two)


def test_of_many_judged_texts_some_are_drawn():
    found = check(JUDGED, Similarity(), RULE, most=30)
    assert (len(found.test), len(found.train), found.n_judged) == (30, 30, len(JUDGED))
    apart = check(OTHER, Similarity(), RULE, train=JUDGED, most=30)
    assert (len(apart.test), len(apart.train)) == (len(OTHER), 30)


def test_baselines_are_held_against_the_texts_that_have_an_estimate():
    """Length predicts the covered texts without an error and the others badly; on all texts it looks worse."""
    estimates = np.array([0.4, 0.6, 0.5, np.nan, np.nan, np.nan] * 4)
    quality = np.array([0.5, 0.5, 0.5, 0.0, 1.0, 0.0] * 4)
    predicted = {"length": np.where(np.isnan(estimates), 1 - quality, quality), "mean": np.full(24, 0.9)}
    found = rivals(estimates, quality, predicted, np.arange(24), 0)
    assert found["length"].mse == 0
    assert found["length"].gain == pytest.approx(-0.02 / 3)
    assert not found["length"].beaten(0.05)
    assert found["mean"].mse == pytest.approx(0.16)
    assert found["mean"].beaten(0.05)
    assert found["mean"].n == 12


def test_texts_of_an_item_are_flipped_together():
    quality = np.tile([0.0, 1.0], 30)
    estimates, predicted = quality * 0.9 + 0.05, {"mean": np.full(60, 0.5)}
    apart = rivals(estimates, quality, predicted, np.arange(60), 0)["mean"].p
    together = rivals(estimates, quality, predicted, np.arange(60) // 5, 0)["mean"].p
    assert apart == pytest.approx(1 / 2000)
    assert together == pytest.approx(2 * 2**-12, abs=0.001)


def test_intervals_of_new_texts_are_calibrated_without_the_texts_of_an_item(monkeypatch):
    """Texts of one item have one quality, so that with them left in every error is nought."""
    rows = [
        {"text": f"{'abcdefghij'[i]} common words here {i} {j}", "item": str(i), "grade": float(i)}
        for i in range(10)
        for j in range(6)
    ]
    train = judged_outputs(Dataset.from_records(rows), column="grade")
    new = judged_outputs(Dataset.from_records([{"text": "x common words here 77", "grade": 4.0}]), column="grade")
    found = check(new, Similarity(), Rule(0.05, 1, 1.0), train=train, alpha=0.2)
    assert found.high[0] - found.low[0] > 0.2
