"""A blend of evaluators, against scikit-learn and under cross-fitting."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Dataset, score
from assay.errors import EvaluatorError
from assay.kernels.statistics.ridge import ridge
from assay.registry import parse

WORDS = "the a cat dog sat ran far home mat tree and but then".split()


def world(n_items: int = 40, seed: int = 0, **about: Any) -> Dataset:
    """Texts whose judgment is their length, some noise, and what a reference shares with them."""
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(n_items):
        reference = " ".join(rng.choice(WORDS, 6))
        for system in ("a", "b"):
            words = [*rng.choice(WORDS, int(rng.integers(1, 12))), f"x{seed}y{item}{system}"]
            judgment = int(np.clip(round(len(words) / 3 + rng.normal()), 0, 5))
            rows.append(
                {
                    "item": f"{seed}i{item}",
                    "system": system,
                    "text": " ".join(words),
                    "references": [reference],
                    "quality": float(rng.normal()),
                    "judgments": [{"annotator": "w", "criterion": "good", "value": judgment}],
                    **about,
                }
            )
    return Dataset.from_records(rows)


def values(dataset: Dataset, asked: str, **how: Any) -> np.ndarray[Any, Any]:
    return score(dataset, [asked], **how)[asked].values


@pytest.mark.parametrize("penalty", [0.0, 0.5, 30.0])
def test_it_is_the_ridge_regression_of_scikit_learn(penalty: float) -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    scaler = pytest.importorskip("sklearn.preprocessing").StandardScaler()
    names = ["chrf", "length", "column('quality')"]
    train, test = world(seed=1), world(seed=2)
    features, unseen = (np.column_stack([values(data, name) for name in names]) for data in (train, test))
    model = linear.Ridge(alpha=penalty) if penalty else linear.LinearRegression()
    model.fit(scaler.fit_transform(features), values(train, "human('good')"))
    expected = model.predict(scaler.transform(unseen))
    found = values(test, f"blend(({', '.join(names)}), 'good', penalty={penalty})", train=train)
    assert np.allclose(found, expected, rtol=1e-10, atol=1e-12)


@given(st.integers(0, 10_000), st.integers(1, 4), st.floats(0.01, 100))
def test_ridge_solves_its_normal_equations(seed: int, n_columns: int, penalty: float) -> None:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(20, n_columns)) * 10.0 ** rng.integers(-3, 4, n_columns) + rng.normal(size=n_columns)
    target = rng.normal(size=20)
    weights, intercept = ridge(features, target, penalty)
    deviation = features.std(axis=0)
    residual = target - features @ weights - intercept
    gradient = (features - features.mean(axis=0)).T @ residual / deviation - penalty * weights * deviation
    assert np.allclose(gradient, 0, atol=1e-9)
    assert abs(residual.mean()) < 1e-9


def test_a_constant_score_has_no_weight() -> None:
    features = np.column_stack([np.arange(6.0), np.full(6, 0.1)])
    weights, intercept = ridge(features, 2 * np.arange(6.0) + 1, 0.0)
    assert np.allclose(weights, [2, 0])
    assert intercept == pytest.approx(1)


def test_it_predicts_what_its_members_hold() -> None:
    dataset = world(100)
    judged = values(dataset, "human('good')")
    both, noise = (
        values(dataset, f"blend({members}, 'good')") for members in ("(length, chrf)", "(column('quality'),)")
    )
    assert np.corrcoef(both, judged)[0, 1] > 0.6
    assert np.corrcoef(noise, judged)[0, 1] < 0.2


def test_the_judgment_of_a_unit_does_not_reach_its_own_score() -> None:
    """Not by the weights, nor by a member that learns, nor by one that learns inside another."""
    member = "neighbors(criterion='good', tau=0.01, min_neighbors=1, max_fraction=1.0)"
    dataset = world(12)
    row = 5
    judgments = dataset.judgments
    changed = judgments.value.copy()
    changed[judgments.unit == row] += 3.0
    other = replace(dataset, judgments=replace(judgments, value=changed))
    for asked in ("blend((length,), 'good')", f"blend(({member}, length), 'good')"):
        before, after = values(dataset, asked), values(other, asked)
        assert before[row] == after[row] or (np.isnan(before[row]) and np.isnan(after[row]))
        assert not np.array_equal(before, after, equal_nan=True), "others learn from it"


def test_a_missing_or_infinite_member_is_a_gap_with_a_reason() -> None:
    dataset = world(10)
    rows = [
        {"item": f"{i}", "text": f"t {i}", "judgments": [{"annotator": "w", "criterion": "good", "value": i % 3}]}
        | ({"quality": float(i)} if i else {})
        for i in range(10)
    ]
    table = score(Dataset.from_records(rows), ["blend((length, column('quality')), 'good')"], train=dataset)
    column = next(iter(table.columns.values()))
    assert column.gaps.counts() == {"no quality": 1}
    assert np.isnan(column.values).tolist() == [True] + 9 * [False]


def test_too_little_to_learn_from_is_said() -> None:
    with pytest.raises(EvaluatorError, match="learns from judgments of 'god', and the data has none"):
        score(world(10), ["blend((length,), 'god')"])
    one = world(10).select(np.arange(20) < 1)
    with pytest.raises(EvaluatorError, match="the training data has 1"):
        score(world(10, seed=3), ["blend((length,), 'good')"], train=one)


def test_units_are_those_that_were_judged() -> None:
    assert score(world(10), ["blend((length,), 'good')"]).kind == "output"
    pooled = values(world(10), "blend((length,), 'good')", unit="system")
    outputs = values(world(10), "blend((length,), 'good')")
    assert np.allclose(pooled, [outputs[0::2].mean(), outputs[1::2].mean()])


def test_its_signature_holds_its_members() -> None:
    made = parse("blend((bleu(max_order=2), length), criterion='good')")
    assert parse(made.signature) == made
    assert "bleu(max_order=2" in made.signature
