"""Systems with the same ratings tie at every level: rounding decides nothing."""

import numpy as np
import pytest

from assay.metaeval.questions.correlation import correlate
from assay.metaeval.questions.inquiry import Inquiry
from assay.metaeval.questions.levels import Cases
from assay.metaeval.questions.question import Question, Resampling
from assay.metaeval.questions.sample import Draw, Sample
from assay.metaeval.systems.comparison import rank_systems
from assay.metaeval.votes.annotators import Ratings
from tests.metaeval.score_tables import table_of

# Forty units of three votes each: the same votes, cut into units in three ways.
SAME_VOTES = np.random.default_rng(5).integers(1, 6, 120)


def same_votes_thrice():
    """Three systems with the same votes, two that differ, and a metric that puts the three apart."""
    rng = np.random.default_rng(0)
    scores, items, systems, metric = [], [], [], []
    for number in range(5):
        votes = rng.permutation(SAME_VOTES) if number < 3 else np.clip(SAME_VOTES + number - 3.5, 1, 5).round()
        scores.append(votes.reshape(40, 3).sum(axis=1) / 3)
        items += [f"i{item}" for item in range(40)]
        systems += [f"s{number}"] * 40
        metric.append(np.full(40, number) + rng.normal(size=40) * 0.1)
    return table_of({"human": np.concatenate(scores), "m": np.concatenate(metric)}, items, systems)


def test_systems_with_the_same_votes_tie_at_every_level_and_in_every_draw():
    table = same_votes_thrice()
    means = table.by_system()["human"].values
    assert means[0] == means[1] == means[2] == SAME_VOTES.mean()
    ranked = {row.system: row.rank for row in rank_systems(table, ["human"])}
    assert ranked["s0"] == ranked["s1"] == ranked["s2"]
    sample = Sample.of(table)
    cases = Cases(sample, np.arange(200), [table["m"]], table["human"], "system", "pooled")
    _, target = cases.system_scores(Draw(1), cases.y[None])
    assert (target[0] == means).all()
    twice = Draw(1, units=np.full((1, 200), 2, np.int32))
    assert (cases.system_scores(twice, cases.y[None])[1] == target).all()


def test_kendall_over_systems_knows_exact_ties():
    table = same_votes_thrice()
    study = Inquiry(table, Question("human", ("m",), ("kendall",), ("system",), ("pooled",), Resampling(0)))
    value = correlate(study)[0].value
    target = table.by_system()["human"].values
    metric = table.by_system()["m"].values
    kept = [(a, b) for a in range(5) for b in range(a) if target[a] != target[b]]
    assert len(kept) == 7
    agree = sum(np.sign(target[a] - target[b]) * np.sign(metric[a] - metric[b]) for a, b in kept)
    assert value == pytest.approx(agree / np.sqrt(70))


def test_systems_tie_in_every_draw_of_annotators_too():
    """Every annotator gives each system the same votes, on other items."""
    rng = np.random.default_rng(3)
    votes = [rng.permutation(answers) for answers in rng.integers(1, 6, (7, 30)) for _ in range(3)]
    answers = np.array(votes).reshape(7, 3, 30)  # annotator, system, item
    annotator, system, item = (code.ravel() for code in np.indices(answers.shape))
    unit = system * 30 + item
    table = table_of(
        {"human": answers.mean(axis=0).ravel(), "m": rng.normal(size=90)},
        [f"i{number}" for number in range(30)] * 3,
        np.repeat(["s0", "s1", "s2"], 30).tolist(),
    )
    sample = Sample.of(table, Ratings(unit, annotator, answers.ravel().astype(float), 7))
    cases = Cases(sample, np.arange(90), [table["m"]], table["human"], "system", "pooled")
    drawn = rng.multinomial(7, np.full(7, 1 / 7), size=50).astype(np.int32)
    assert sample.ratings is not None
    _, means = cases.system_scores(Draw(50, annotators=drawn), sample.ratings.means(drawn, 90))
    assert (means == means[:, :1]).all()
