import numpy as np
import pytest
from scipy.stats import spearmanr

from assay.kernels.votes.dawid_skene import dawid_skene
from assay.metaeval.questions.question import Resampling
from assay.metaeval.votes.agreement import AgreementOptions, agreements
from assay.metaeval.votes.consensus import consensus
from assay.metaeval.votes.vote_draws import checked
from assay.metaeval.votes.votes import votes_of
from assay.records import Dataset
from tests.metaeval import judged

FEW = Resampling(resamples=64)


def test_each_annotator_equals_the_definition():
    votes = judged.random_votes(np.random.default_rng(0))
    result = agreements(judged.dataset(votes), resampling=FEW)[0]
    by_unit = {}
    for unit, annotator, value in votes:
        by_unit.setdefault(unit, {})[annotator] = value
    for row in result.annotators.annotators:
        units = [u for u, said in by_unit.items() if row.annotator in said]
        own = np.array([by_unit[u][row.annotator] for u in units])
        means = np.array([np.mean(list(by_unit[u].values())) for u in units])
        others = np.array(
            [np.mean([v for a, v in by_unit[u].items() if a != row.annotator] or [np.nan]) for u in units]
        )
        agreement = [
            np.mean([v == by_unit[u][row.annotator] for a, v in by_unit[u].items() if a != row.annotator])
            for u in units
            if len(by_unit[u]) > 1
        ]
        known = ~np.isnan(others)
        found = {name: estimate.value for name, estimate in row.measures.items()}
        assert row.n == len(units)
        assert found["agreement"] == pytest.approx(np.mean(agreement))
        assert found["mse"] == pytest.approx(np.mean(((own - means) / 3) ** 2))
        assert found["mse_left_out"] == pytest.approx(np.mean(((own - others)[known] / 3) ** 2))
        assert found["rho"] == pytest.approx(spearmanr(own, means)[0], abs=1e-9)
        assert found["rho_left_out"] == pytest.approx(spearmanr(own[known], others[known])[0], abs=1e-9)


def test_best_and_average_annotator_of_the_headlines(data):
    """Ethayarajh & Sadigh (2020), table 1: best .0200/.921, average .0802/.405, by floats.

    With exact ties the rho are .9233 and .4061; leaving the own vote out is fairer and gives the second half.
    """
    result = agreements(judged.huse(data), options=AgreementOptions(constant_rho=0.0), resampling=FEW)[0]
    best, average = result.annotators.summary["best"], result.annotators.summary["average"]
    assert best["mse"].value == pytest.approx(0.0200, abs=5e-5)
    assert best["rho"].value == pytest.approx(0.9233, abs=5e-5)
    assert average["mse"].value == pytest.approx(0.08025, abs=5e-6)
    assert average["rho"].value == pytest.approx(0.4061, abs=5e-5)
    assert best["mse_left_out"].value == pytest.approx(0.0222, abs=5e-5)
    assert average["mse_left_out"].value == pytest.approx(0.0889, abs=5e-5)
    assert result.annotators.summary["best_held_out"]["rho_left_out"].value == pytest.approx(0.7473, abs=5e-5)
    # By floats .9055 and .3255: rounding noise breaks ties of the means of the others.
    assert best["rho_left_out"].value == pytest.approx(0.9031, abs=5e-5)
    assert average["rho_left_out"].value == pytest.approx(0.3276, abs=5e-5)


def test_the_best_of_equal_annotators_is_not_said_to_be_better_than_they_are():
    """20 annotators, all alike: the best by these votes is lucky; held out, it is as good as the rest."""
    rng = np.random.default_rng(8)
    published, held_out, average = [], [], []
    for _ in range(5):
        truth = rng.normal(size=30)
        votes = [(f"u{k}", f"a{j}", round(truth[k] + rng.normal(), 3)) for k in range(30) for j in range(20)]
        found = agreements(judged.dataset(votes), resampling=FEW)[0].annotators.summary
        for row, kept in (("best", published), ("best_held_out", held_out), ("average", average)):
            kept.append(found[row]["rho_left_out"].value)
        assert "best_held_out" in found["best"]["rho_left_out"].reason and np.isnan(found["best"]["rho_left_out"].low)
    assert np.mean(published) > np.mean(average) + 0.1
    assert np.mean(held_out) == pytest.approx(np.mean(average), abs=0.08)


def test_a_constant_annotator_is_told_and_its_rho_is_a_gap_or_what_was_asked():
    votes = [(f"u{k}", "steady", 3) for k in range(6)]
    votes += [(f"u{k}", name, k % 4) for k in range(6) for name in ("b", "c")]
    data = judged.dataset(votes)
    rows = {row.annotator: row for row in agreements(data, resampling=FEW)[0].annotators.annotators}
    assert rows["steady"].constant and rows["steady"].top_share == 1.0
    assert rows["steady"].measures["rho"].reason == "constant answers"
    counted = agreements(data, options=AgreementOptions(constant_rho=0.0), resampling=FEW)[0]
    assert counted.annotators.summary["average"]["rho"].n == 3
    assert {row.annotator: row.measures["rho"].value for row in counted.annotators.annotators}["steady"] == 0.0


def test_an_annotator_with_one_judgment():
    votes = [("u0", "once", 1)] + [(f"u{k}", name, k % 3) for k in range(5) for name in ("b", "c")]
    rows = {row.annotator: row for row in agreements(judged.dataset(votes), resampling=FEW)[0].annotators.annotators}
    assert rows["once"].n == 1 and not rows["once"].constant
    assert rows["once"].measures["rho"].reason == "one judgment"
    alone = judged.dataset([*votes, ("u9", "lonely", 1), ("u8", "lonely", 2)])
    rows = {row.annotator: row for row in agreements(alone, resampling=FEW)[0].annotators.annotators}
    assert rows["lonely"].measures["agreement"].reason == "nobody else judged these units"


@pytest.mark.parametrize(("column", "expected"), [("seconds", 5.0), ("page_seconds", 5.0 / 3)])
def test_time_per_judgment_is_read_from_the_data(column, expected):
    timed = [{"annotator": "a", "criterion": "q", "value": k, column: 5} for k in range(3)]
    untimed = {"annotator": "b", "criterion": "q"}
    records = [
        {"id": str(k), "text": "x", "item": str(k), "judgments": [timed[k], {**untimed, "value": k}]} for k in range(3)
    ]
    found = agreements(Dataset.from_records(records), resampling=FEW)[0].annotators.annotators
    seconds = {row.annotator: row.seconds_per_judgment for row in found}
    assert seconds["a"] == pytest.approx(expected)
    assert np.isnan(seconds["b"])


def test_the_ceiling_of_known_noise():
    """Truth and noise of variance 1, 8 votes: reliability 8 / 9, ceiling its root."""
    rng = np.random.default_rng(5)
    truth = rng.normal(size=600)
    votes = [(f"u{k}", f"a{j}", round(truth[k] + rng.normal(), 6)) for k in range(600) for j in range(8)]
    ceiling = agreements(judged.dataset(votes), resampling=FEW)[0].ceiling
    assert ceiling["spearman_brown"].value == pytest.approx(8 / 9, abs=0.02)
    assert ceiling["ceiling"].value == pytest.approx(np.sqrt(8 / 9), abs=0.01)
    assert ceiling["ceiling"].low < ceiling["ceiling"].value < ceiling["ceiling"].high


def test_units_with_the_same_votes_weigh_as_much_as_they_are():
    votes = judged.random_votes(np.random.default_rng(4), n_units=60, n_annotators=3, n_categories=2)
    found = votes_of(judged.dataset(votes), "quality")
    fitted = dawid_skene(found.unit, found.annotator, found.category, (found.n_units, 3, 2))
    result = consensus(found, checked(Resampling(resamples=0)))
    np.testing.assert_allclose(result.probability, fitted.posterior.max(axis=1), atol=1e-9)
    assert [int(label) for label in result.labels] == fitted.posterior.argmax(axis=1).tolist()
    np.testing.assert_allclose([share.value for share in result.prevalence.values()], fitted.prior, atol=1e-9)


def test_consensus_finds_the_annotator_who_lies():
    rng = np.random.default_rng(6)
    votes = []
    for k in range(80):
        truth = int(rng.random() < 0.5)
        for j in range(5):
            right = rng.random() < (0.1 if j == 0 else 0.85)
            votes.append((f"u{k}", f"a{j}", truth if right else 1 - truth))
    result = agreements(judged.dataset(votes), resampling=FEW)[0]
    accuracy = {row.annotator: row.accuracy for row in result.annotators.annotators}
    assert accuracy["a0"] < 0.3 < 0.7 < min(accuracy[f"a{j}"] for j in range(1, 5))
    assert len(result.consensus.rows()) == 80
    shares = result.consensus.prevalence.values()
    assert sum(share.value for share in shares) == pytest.approx(1.0)
    assert all(share.low <= share.value <= share.high for share in shares)
