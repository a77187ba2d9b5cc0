"""Probes find what was planted, at the size it was planted, and little else."""

import numpy as np
import pytest

from assay import Dataset
from assay.analyses.probe import probe
from assay.metaeval.probes.biases import answers_biases, preference_biases
from assay.metaeval.probes.slopes import cluster_slope

SEEDS = 100


def rated(rng, length=0.0, own=0.0, n_items=25, systems=("a", "b", "mine")):
    """Ratings of a judge and two people; the judge adds `length` per doubling of words and `own` for its own system."""
    rows = []
    for item in range(n_items):
        for system in systems:
            words = int(rng.integers(3, 40))
            quality = rng.normal(3, 1) + 0.2 * np.log2(words)  # people like longer texts too
            judged = quality + length * np.log2(words) + own * (system == "mine") + rng.normal(0, 0.5)
            answers = [{"annotator": "judge", "criterion": "c", "value": float(judged)}]
            answers += [{"annotator": p, "criterion": "c", "value": float(quality + rng.normal(0, 0.5))} for p in "xy"]
            text = " ".join(["word"] * words)
            rows.append({"item": f"i{item}", "system": system, "text": text, "judgments": answers})
    return Dataset.from_records(rows)


def compared(rng, position=0.0, own=0.0, length=0.0, n_items=60):
    """Preferences of a judge in both orders, and of people; biases are added to the chance of preferring a side."""
    rows = []
    for item in range(n_items):
        words = rng.integers(3, 40, 2)
        chance = 0.5 + 0.2 * (rng.random() - 0.5)
        ids = [f"{side}{item}" for side in ("mine", "other")]
        toward = own / 2 + length / 2 * np.log2(words[0] / words[1])

        def answer(name, unit, other, p):
            value = 1 if rng.random() < p else -1
            return {"annotator": name, "criterion": "better", "value": value, "other": other}

        judgments = [
            [answer("judge", *ids, chance + toward + position / 2), answer("person", *ids, chance)],
            [answer("judge", *ids[::-1], 1 - chance - toward + position / 2)],
        ]
        for side, own_id in enumerate(ids):
            row = {"id": own_id, "item": f"i{item}", "system": ("mine", "other")[side]}
            rows.append(row | {"text": " ".join(["word"] * int(words[side])), "judgments": judgments[side]})
    return Dataset.from_records(rows)


def held(make, find, name, truth):
    """In how many of the seeds the 95% interval of a probe holds the planted effect."""
    hits = 0
    for seed in range(SEEDS):
        bias = next(one for one in find(make(np.random.default_rng(seed))) if one.probe == name)
        low, high = bias.estimate.interval(0.95)
        hits += low <= truth <= high
    return hits


@pytest.mark.parametrize(
    ("name", "planted"), [("length", {"length": 0.4}), ("self-preference", {"own": 0.5}), ("length", {})]
)
def test_planted_biases_of_ratings_lie_in_their_intervals(name, planted):
    hits = held(
        lambda rng: rated(rng, **planted),
        lambda data: answers_biases(data, "judge", "c", own=["mine"]),
        name,
        next(iter(planted.values()), 0.0),
    )
    assert hits >= 93


@pytest.mark.parametrize(
    ("name", "planted"), [("position", {"position": 0.3}), ("self-preference", {"own": 0.3}), ("position", {})]
)
def test_planted_biases_of_preferences_lie_in_their_intervals(name, planted):
    hits = held(
        lambda rng: compared(rng, **planted),
        lambda data: preference_biases(data, "judge", "better", own=["mine"]),
        name,
        next(iter(planted.values()), 0.0),
    )
    assert hits >= 93


def test_of_its_own_systems_alone_there_is_no_self_preference() -> None:
    rng = np.random.default_rng(0)
    ratings = answers_biases(rated(rng), "judge", "c", own=["a", "b", "mine"])
    preferences = preference_biases(compared(rng), "judge", "better", own=["mine", "other"])
    assert [one.reason for one in (*ratings, *preferences) if one.probe == "self-preference"] == [
        "too few texts of its own systems beside those of others (0 < 20)",
        "too few pairs of its own systems and others (0 < 20)",
    ]


def test_false_alarms_are_rare():
    """Without any bias, one of the probes of a card speaks up in at most 7% of cases."""
    alarms = 0
    for seed in range(SEEDS):
        part = probe(rated(np.random.default_rng(1000 + seed)), ["judge"], "c", own=["mine"])
        alarms += any("bias" in line for line in part.answers["trust"])
    assert alarms <= 7


def test_repeated_questions_and_the_use_of_the_scale():
    data = rated(np.random.default_rng(0))
    records = [
        {
            "item": f"i{row // 3}",
            "text": "a b",
            "judgments": [{"annotator": "judge", "criterion": "c", "value": value} for value in (3, 3 + (row % 2))],
        }
        for row in range(60)
    ]
    found = {one.probe: one for one in answers_biases(Dataset.from_records(records), "judge", "c")}
    assert found["test-retest"].estimate.value == 0.5 and "50% are equal" in found["test-retest"].about
    assert found["scale use"].estimate.value == 0.75
    assert found["length"].reason == "too few items, or nothing varies"
    assert "beyond people" in answers_biases(data, "judge", "c")[0].about


def asked_twice(answers, **declared):
    """Two answers of a judge to each of some questions."""
    rows = [
        {"id": f"{at}", "item": f"i{at}", "text": "a b", "judgments": []}
        | ({"criteria": {"c": declared}} if declared else {})
        for at in range(len(answers))
    ]
    for row, pair in zip(rows, answers, strict=True):
        row["judgments"] = [{"annotator": "judge", "criterion": "c", "value": value} for value in pair]
    found = answers_biases(Dataset.from_records(rows), "judge", "c")
    return {one.probe: one for one in found}


def test_noise_that_was_not_seen_may_still_be_there():
    same = asked_twice([(3, 3)] * 40, low=1, high=5)["test-retest"].estimate
    assert same.value == 0 and same.interval(0.95) == pytest.approx((0, 4 * (1 - 0.025 ** (1 / 40))), abs=1e-5)
    # Without a declared scale the answers that were given are its ends.
    found = asked_twice([(2, 2)] * 20 + [(5, 5)] * 20)["test-retest"]
    assert found.estimate.high == 3 and found.estimate.interval(0.95)[1] > 0
    assert found.about.endswith("(100% are equal); the scale, 3 wide, is that of the answers seen")
    alike = asked_twice([(3, 3)] * 40)["test-retest"]
    assert np.isnan(alike.estimate.interval(0.95)).all() and "declares no scale" in alike.reason


def test_names_are_the_same_or_not():
    found = asked_twice([("red", "red")] * 15 + [("red", "blue")] * 3 + [("red", "green")] * 2)
    assert found["test-retest"].estimate.value == 0.25 and found["test-retest"].estimate.high == 1
    assert found["scale use"].estimate.value == 35 / 40 and "3 different answers" in found["scale use"].about
    coded = asked_twice([(1, 3)] * 5 + [(1, 1)] * 15, scale="nominal", low=1, high=3)["test-retest"]
    assert coded.estimate.value == 0.25 and coded.about.startswith("share of the questions")


def test_names_are_not_taken_for_numbers():
    found = asked_twice([(0, "unsure"), (1, "unsure"), (0, 0), (1, 1)] * 10)
    assert found["test-retest"].estimate.value == 0.5
    assert found["scale use"].estimate.value == 30 / 80 and "3 different answers" in found["scale use"].about


def test_a_judge_that_always_takes_the_first_text_is_found():
    data = compared(np.random.default_rng(0), position=2.0)
    found = {one.probe: one for one in preference_biases(data, "judge", "better")}
    assert found["position"].estimate.value == found["flip rate"].estimate.value == 1
    assert found["position"].estimate.interval(0.95)[0] > 0.85 and found["position"].p_value < 1e-9
    assert np.isnan(found["flip rate"].p_value)
    (said,) = (line for line in probe(data, ["judge"], "better").answers["trust"] if "position" in line)
    assert said == "judge has a bias of position: +1.00 preference for the text that is shown first."


def test_one_order_says_nothing_about_position():
    data = compared(np.random.default_rng(0))
    found = preference_biases(data, "person", "better")
    assert found[0].probe == "position" and found[0].reason == "too few pairs in both orders (0 < 20)"


def test_slopes_equal_the_textbook():
    rng = np.random.default_rng(1)
    x, noise = rng.normal(size=200), rng.normal(size=200)
    slope = cluster_slope(x, 2 * x + noise, np.arange(200))
    assert slope.value == pytest.approx(np.polyfit(x, 2 * x + noise, 1)[0])
    assert slope.freedom == pytest.approx(freedom_by_matrices(x, np.arange(200)))
    skewed, cluster = rng.normal(size=60) ** 2, rng.integers(0, 20, 60)
    few = cluster_slope(skewed, noise[:60], cluster).freedom
    assert few == pytest.approx(freedom_by_matrices(skewed, cluster)) and few < 10


@pytest.mark.parametrize(("one", "other"), [(10, 10), (6, 40), (25, 7)])
def test_a_slope_between_two_groups_is_their_difference_with_welchs_degrees_of_freedom(one, other):
    """By hand: the jackknife of a group of m has its variance over m - 1, with m - 1 degrees of freedom."""
    rng = np.random.default_rng(one)
    y, n = rng.normal(size=one + other) * np.repeat([3, 1], [one, other]), one + other
    found = cluster_slope(np.repeat([1.0, 0.0], [one, other]), y, np.arange(n))
    a, b = 1 / (one - 1), 1 / (other - 1)
    assert found.value == pytest.approx(y[:one].mean() - y[one:].mean())
    assert found.error**2 == pytest.approx(n / (n - 1) * (a * y[:one].var(ddof=1) + b * y[one:].var(ddof=1)))
    assert found.freedom == pytest.approx((a + b) ** 2 / (a**3 + b**3))


def test_a_slope_that_one_item_makes_has_no_interval_or_a_wide_one():
    rng = np.random.default_rng(9)
    cluster, held = np.arange(40) // 4, 0
    for _ in range(100):
        x = rng.normal(size=40) + 10 * (cluster == 0)
        low, high = cluster_slope(x, rng.normal(size=40), cluster).interval(0.95)
        held += low <= 0 <= high
    assert held >= 93
    alone = cluster_slope(np.where(cluster == 0, 5.0, 3.0), rng.normal(size=40), cluster)
    assert alone.value == alone.value and not alone.has_interval and np.isnan(alone.p_value)


@pytest.mark.parametrize("words", [3, 6, 7, 13])
def test_texts_of_one_length_have_no_slope(words):
    for n in (21, 37, 41, 99):
        found = cluster_slope(np.log2(np.full(n, words)), np.random.default_rng(0).random(n), np.arange(n))
        assert np.isnan(found.value) and not found.has_interval


@pytest.mark.parametrize("size", [1e-14, 1 / 3, 1e6 / 3, 1e13 / 3])
def test_rounding_is_no_bias_of_length(size):
    """Answers of any size: equal ones, ones on a line, and ones that texts of an item have in common."""
    rng = np.random.default_rng(0)
    x, cluster = np.log2(rng.integers(3, 40, 60)), np.arange(60)
    noise = rng.integers(0, 5, 60) * 1.0
    for y in (np.full(60, size), size * x):
        assert not cluster_slope(x, y, cluster).has_interval
    in_items = cluster_slope(np.tile([3.0, 4.0], 30), np.repeat(rng.random(30), 2) * size, cluster // 2)
    assert not in_items.has_interval
    slope, plain = cluster_slope(x, noise * size, cluster), cluster_slope(x, noise, cluster)
    assert slope.error == pytest.approx(plain.error * size) and slope.p_value == pytest.approx(plain.p_value)


def test_a_judge_that_says_what_people_say_has_no_bias_by_rounding():
    rows = []
    for at in range(60):
        said = {"x": 0.1 * (at % 3), "y": 0.2, "z": 0.3}
        said["judge"] = float(np.mean([value for name, value in said.items()][::-1]))
        answers = [{"annotator": name, "criterion": "c", "value": value} for name, value in said.items()]
        text, system = " ".join(["word"] * (1 + at % 7)), "own" if at % 2 else "other"
        rows.append({"item": f"i{at}", "system": system, "text": text, "judgments": answers})
    found = answers_biases(Dataset.from_records(rows), "judge", "c", own=["own"])[:2]
    assert [one.reason for one in found] == ["too few items, or nothing varies"] * 2


def freedom_by_matrices(x, cluster):
    """Bell and McCaffrey's degrees of freedom of the jackknife over clusters, from the residuals of every row."""
    x = x - x.mean()
    rest = np.eye(len(x)) - 1 / len(x) - np.outer(x, x) / (x @ x)
    sums = []
    for rows in (np.flatnonzero(cluster == one) for one in np.unique(cluster)):
        sums.append(rest[:, rows] @ np.linalg.solve(rest[np.ix_(rows, rows)], x[rows]))
    values = np.linalg.eigvalsh(np.array(sums) @ np.array(sums).T)
    return values.sum() ** 2 / (values**2).sum()
