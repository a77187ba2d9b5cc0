import numpy as np
import pytest

from assay.errors import AssayError, DataError
from assay.metaeval.questions.question import Resampling
from assay.metaeval.votes.agreement import MOST_CRITERIA, AgreementOptions, agree_again, agreements
from assay.metaeval.votes.vote_draws import checked, resample
from assay.metaeval.votes.votes import votes_of
from assay.records import Dataset
from tests.metaeval import judged
from tests.oracles import agreement as plain

FEW = Resampling(resamples=130)


def numbered(votes):
    units, annotators = (sorted({vote[k] for vote in votes}) for k in (0, 1))
    values = sorted({value for _, _, value in votes})
    return [(units.index(u), annotators.index(a), values.index(v)) for u, a, v in votes], values


@pytest.mark.parametrize("seed", range(5))
def test_statistics_equal_the_definitions(seed):
    votes = judged.random_votes(np.random.default_rng(seed))
    result = agreements(judged.dataset(votes), options=AgreementOptions(votes="all", min_shared=3), resampling=FEW)[0]
    rows, values = numbered(votes)
    expected = {
        "fleiss_kappa": plain.fleiss_kappa(rows),
        "krippendorff_alpha": plain.krippendorff_alpha(rows, values, "ordinal"),
        "percent_agreement": plain.percent_agreement(rows),
        "cohen_kappa": plain.mean_pair_kappa(rows, lambda a, b: a != b, 3),
    }
    for name, value in expected.items():
        found = result.statistics[name]
        assert found.value == pytest.approx(value, abs=1e-12), name
        assert found.low < found.value < found.high
        assert found.reason == ""


def test_modal_votes_are_the_units_of_fleiss_kappa():
    votes = [(f"u{k}", f"a{j}", (k + j) % 2) for k in range(8) for j in range(3 if k < 6 else 5)]
    data = judged.dataset(votes)
    fleiss = agreements(data, resampling=FEW)[0].statistics["fleiss_kappa"]
    assert (fleiss.n, fleiss.about["votes"], fleiss.about["n_dropped"]) == (6, 3, 2)
    of_five = agreements(data, options=AgreementOptions(votes=5), resampling=FEW)[0].statistics["fleiss_kappa"]
    assert of_five.n == 2
    none = agreements(data, options=AgreementOptions(votes=4), resampling=FEW)[0].statistics["fleiss_kappa"]
    assert none.n == 0 and np.isnan(none.value) and none.reason == "no unit has that many votes"


def test_the_same_seed_gives_the_same_bits_and_more_resamples_continue_the_stream():
    data = judged.dataset(judged.random_votes(np.random.default_rng(1)))
    drawn = Resampling(resamples=130, interval="percentile")
    first, again = (agreements(data, resampling=drawn)[0].statistics for _ in range(2))
    assert first == again
    other = agreements(data, resampling=Resampling(resamples=130, interval="percentile", seed=1))[0].statistics
    assert other["fleiss_kappa"].low != first["fleiss_kappa"].low


@pytest.mark.parametrize("over", [("items",), ("annotators",), ("units", "annotators")])
def test_other_things_can_be_resampled(over):
    data = judged.dataset(judged.random_votes(np.random.default_rng(2), n_units=60, share=1.0))
    for method in ("t", "percentile"):
        result = agreements(data, resampling=Resampling(130, over, method))[0]
        for estimate in result.statistics.values():
            assert estimate.low < estimate.value < estimate.high


def test_right_or_wrong_against_human():
    votes = [("u0", "a", "real"), ("u0", "b", "fake"), ("u1", "a", "real"), ("u1", "b", "fake")]
    data = judged.dataset(votes, human=("people",), systems={"u0": "people", "u1": "machine"})
    recoded = votes_of(data, "quality", against="human")
    assert recoded.category_names == ("wrong", "right")
    assert recoded.category.tolist() == [1, 0, 0, 1]
    with pytest.raises(DataError, match="does not say whether a person wrote"):
        votes_of(judged.dataset([("u0", "a", "nice"), ("u0", "b", "bad")]), "quality", against="human")


def test_pairs_are_judged_too():
    """Two annotators rate how alike two outputs are; the pair is the unit."""
    records = [{"id": name, "item": "i", "text": name, "system": "s"} for name in "abc"]
    for first, second in ((0, 1), (0, 2), (1, 2)):
        records[first].setdefault("judgments", []).extend(
            {"annotator": who, "criterion": "alike", "value": first + second, "other": "abc"[second]} for who in "xy"
        )
    votes = votes_of(Dataset.from_records(records), "alike")
    assert list(votes.unit_names) == ["a|b", "a|c", "b|c"]
    result = agreements(Dataset.from_records(records), resampling=FEW)[0]
    assert result.statistics["krippendorff_alpha"].value == 1.0
    with pytest.raises(DataError, match="single outputs"):
        votes_of(Dataset.from_records(records), "alike", against="human")


def test_the_first_answer_of_an_annotator_counts():
    data = judged.dataset([("u0", "a", 1), ("u0", "a", 2), ("u0", "b", 1)])
    votes = votes_of(data, "quality")
    assert (len(votes), votes.n_repeated) == (2, 1)
    assert agreements(data, resampling=FEW)[0].statistics["percent_agreement"].value == 1.0


@pytest.mark.parametrize(
    ("votes", "reason"),
    [
        ([("u0", "a", 1), ("u1", "a", 2)], "one annotator"),
        ([("u0", "a", 1), ("u1", "b", 2)], "no unit has two votes"),
        ([("u0", "a", 1), ("u0", "b", 1), ("u1", "a", 1), ("u1", "b", 1)], "only one answer was given"),
    ],
)
def test_undefined_is_a_gap_with_a_reason(votes, reason):
    result = agreements(judged.dataset(votes), resampling=FEW)[0]
    for name in ("fleiss_kappa", "krippendorff_alpha", "cohen_kappa"):
        found = result.statistics[name]
        assert np.isnan([found.value, found.low]).all() and found.reason == reason
    assert result.consensus.reason == reason


def test_labels_have_no_order():
    data = judged.dataset([(f"u{k}", f"a{j}", "xyz"[(k * j) % 3]) for k in range(9) for j in range(3)])
    result = agreements(data, resampling=FEW)[0]
    assert result.statistics["krippendorff_alpha"].about["scale"] == "nominal"
    assert result.ceiling["ceiling"].reason == "answers are labels, not numbers"
    assert result.annotators.summary["best"]["rho"].reason == "answers are labels, not numbers"
    with pytest.raises(AssayError, match="no ordinal scale"):
        agreements(data, options=AgreementOptions(scale="ordinal"), resampling=FEW)


def test_wrong_questions_are_answered_plainly():
    data = judged.dataset([("u0", "a", 1), ("u0", "b", 1)])
    with pytest.raises(DataError, match="Did you mean 'quality'"):
        agreements(data, ["qualty"])
    with pytest.raises(AssayError, match="two or more votes"):
        AgreementOptions(votes=1)
    with pytest.raises(AssayError, match="not both"):
        agreements(data, resampling=Resampling(factors=("units", "items")))
    with pytest.raises(AssayError, match="cannot resample 'systems'"):
        agreements(data, resampling=Resampling(factors=("systems",)))


@pytest.mark.slow
def test_intervals_cover_the_kappa_of_a_large_population():
    """95% intervals over units at 150 units and 4 votes: coverage in a simulation with known truth."""
    rng = np.random.default_rng(3)

    def votes(n):
        real = rng.random(n) < 0.4
        said = np.where(rng.random((n, 4)) < 0.8, real[:, None], rng.random((n, 4)) < 0.5)
        return [(f"u{k}", f"a{j}", int(said[k, j])) for k in range(n) for j in range(4)]

    truth, _ = numbered_counts(votes(200_000))
    covered = 0
    for _ in range(300):
        kappa = agree_fleiss(votes(150))
        covered += kappa.low <= truth <= kappa.high
    assert 0.925 <= covered / 300 <= 0.98


def numbered_counts(votes):
    from assay.kernels.votes.agreement import fleiss_kappa

    said = np.array([value for _, _, value in votes]).reshape(-1, 4).sum(axis=1)
    counts = np.stack([4 - said, said], axis=1)
    return fleiss_kappa(counts, counts.sum(axis=1), np.ones((1, len(counts)), np.int64))[0], counts


def agree_fleiss(votes):
    from assay.kernels.votes.agreement import fleiss_kappa

    _, counts = numbered_counts(votes)
    numbered_votes = votes_of(judged.dataset(votes), "quality")

    def kappa(draws):
        return fleiss_kappa(counts, counts.sum(axis=1), draws.units)[:, None]

    return resample(numbered_votes, checked(Resampling(resamples=400)), kappa).estimate((0,), 150, "", corrected=True)


@pytest.mark.parametrize("factors", [("units",), ("items",), ("annotators",)])
def test_bca_intervals_and_none(factors):
    data = judged.dataset(judged.random_votes(np.random.default_rng(4)))
    for resampling in (Resampling(200, factors, "bca"), Resampling(0, factors)):
        found = agreements(data, resampling=resampling)[0].statistics
        for name in ("fleiss_kappa", "krippendorff_alpha", "percent_agreement", "cohen_kappa"):
            if resampling.resamples:
                assert found[name].low < found[name].value < found[name].high
            else:
                assert np.isnan(found[name].low) and not np.isnan(found[name].value)


def test_a_signature_gives_the_same_bits_again():
    data = judged.dataset(judged.random_votes(np.random.default_rng(5)))
    options = AgreementOptions(votes=5, scale="interval", weighting="linear", constant_rho=0.0)
    found = agreements(data, options=options, resampling=Resampling(80, ("items",), seed=7))[0]
    assert agree_again(found.signature, data).statistics == found.statistics


def test_more_criteria_than_can_be_answered_are_refused():
    judgments = [{"annotator": who, "criterion": f"c{k}", "value": 1} for k in range(MOST_CRITERIA + 1) for who in "ab"]
    data = Dataset.from_records([{"id": "u", "text": "x", "item": "i", "judgments": judgments}])
    with pytest.raises(AssayError, match=r"1,001 criteria .* --criterion"):
        agreements(data)
    assert len(agreements(data, ["c7", "c1000"], resampling=FEW)) == 2


def test_many_annotators_with_few_votes_each():
    """6,000 people gave three votes each: no interval for any of them, no model of them, and an answer in seconds."""
    said = np.random.default_rng(0).integers(0, 3, (6000, 3))
    votes = [(f"u{k}", f"a{(k + 2000 * j) % 6000}", int(said[k, j])) for k in range(6000) for j in range(3)]
    result = agreements(judged.dataset(votes))[0]
    assert len(result.annotators.annotators) == 6000
    assert "parameters" in result.consensus.reason
    assert result.annotators.annotators[0].measures["agreement"].reason.startswith("3 items:")
    assert result.statistics["krippendorff_alpha"].low < result.statistics["krippendorff_alpha"].high


def test_items_are_drawn_by_default_and_bring_all_their_outputs():
    """Ten outputs of an item that say the same again make no interval narrower than one output does."""
    rng = np.random.default_rng(6)
    once = judged.random_votes(rng, n_units=40, share=1.0)
    again = [(f"{unit}-{copy}", annotator, value) for unit, annotator, value in once for copy in range(10)]
    items = {unit: unit.split("-")[0] for unit, _, _ in again}
    single = agreements(judged.dataset(once), resampling=FEW)[0]
    copied = agreements(judged.dataset(again, items=items), resampling=FEW)[0]
    assert copied.resampling.factors == ("items",)
    for name, estimate in single.statistics.items():
        found = copied.statistics[name]
        assert found.high - found.low > 0.95 * (estimate.high - estimate.low), name


@pytest.mark.parametrize(
    ("votes", "over", "reason"),
    [
        (
            judged.random_votes(np.random.default_rng(0), n_units=19, share=1.0),
            "items",
            "19 items: an interval needs 20",
        ),
        (
            judged.random_votes(np.random.default_rng(0), 40, 2, share=1.0),
            "annotators",
            "2 annotators: an interval needs 5",
        ),
        (
            [(f"u{k}", f"a{j}", int(k == 0)) for k in range(40) for j in range(3)],
            "items",
            "too few answers other than '0'",
        ),
        (
            [(f"u{k}", f"a{j}", (k + (k == j == 0)) % 2) for k in range(40) for j in range(3)],
            "items",
            "annotators disagree about 1 items only",
        ),
    ],
)
def test_no_interval_but_a_reason_where_none_holds(votes, over, reason):
    found = agreements(judged.dataset(votes), resampling=Resampling(130, (over,)))[0].statistics["krippendorff_alpha"]
    assert not np.isnan(found.value) and np.isnan(found.low) and np.isnan(found.high)
    assert found.reason.startswith(reason)


@pytest.mark.parametrize("method", ["t", "percentile", "bca"])
@pytest.mark.parametrize("over", [("items",), ("annotators",), ("items", "annotators")])
def test_no_interval_has_the_width_0(method, over):
    """What does not depend on what is drawn has no interval, and says so."""
    votes = judged.random_votes(np.random.default_rng(3), n_units=30, n_annotators=2, share=1.0)
    result = agreements(judged.dataset(votes), resampling=Resampling(130, over, method))[0]
    estimates = [
        *result.statistics.values(),
        *result.ceiling.values(),
        *result.consensus.prevalence.values(),
        *(one for row in result.annotators.summary.values() for one in row.values()),
        *(one for row in result.annotators.annotators for one in row.measures.values()),
    ]
    for estimate in estimates:
        assert estimate.low < estimate.high or (np.isnan(estimate.low) and estimate.reason)
