import numpy as np
import pytest

from assay.errors import DataError, EvaluatorError
from assay.evaluator import Shape, evaluator, per_request
from assay.evaluators.neighbors import similarity
from assay.evaluators.neighbors.regressor import NeighborRegressor
from assay.records import Dataset
from assay.references import References, given
from assay.registry import parse
from assay.run import score
from tests.evaluators.neighbors.texts import made_up, records

GIVEN = given()
TRAIN = Dataset.from_records(records(60))


def test_estimates_from_a_training_set_equal_the_regressor():
    new, _ = made_up(20, seed=9)
    dataset = Dataset.from_records({"text": text} for text in new)
    column = score(dataset, ["neighbors(tau=0.55)"], train=TRAIN)["neighbors(tau=0.55)"]
    votes = [[vote["value"] for vote in row["judgments"]] for row in records(60)]
    apart = [i for i in range(60) if TRAIN.outputs.text[i] not in set(new)]
    largest = max(max(votes[i]) for i in apart)
    fitted = NeighborRegressor(tau=0.55).fit(
        [TRAIN.outputs.text[i] for i in apart], [np.mean(votes[i]) / largest for i in apart]
    )
    expected = fitted.estimate(new)
    assert column.values == pytest.approx(expected.values, nan_ok=True)
    assert np.isnan(column.values).any()
    reasons = [column.gaps[row] for row in range(20)]
    assert reasons == [expected.gaps[row] for row in range(20)]


def test_without_a_training_set_it_is_cross_fitted():
    table = score(TRAIN, ["neighbors(tau=0.3)", "human(criterion='quality')"], seed=1)
    estimates, human = (column.values for column in table.columns.values())
    covered = ~np.isnan(estimates)
    assert covered.mean() > 0.5
    assert np.corrcoef(estimates[covered], human[covered])[0, 1] > 0.5


def test_its_signature_parses_back():
    evaluator = parse("neighbors(kernel='rouge_l', tau=0.2)")
    assert parse(evaluator.signature) == evaluator


def test_bad_parameters_are_named_before_anything_is_read():
    with pytest.raises(EvaluatorError, match="tau must be between 0 and 1"):
        parse("neighbors(tau=2.0)")


def test_training_texts_without_judgments():
    with pytest.raises(EvaluatorError, match="learns from judgments, and the training data has none"):
        score(Dataset.from_records([{"text": "a"}]), ["neighbors"], train=Dataset.from_records([{"text": "b"}] * 3))


def test_similarity_weights_count_in_the_evaluator_and_the_regressor():
    """Two neighbors at unequal distance: by hand, and different from the plain mean."""
    bank, quality = ["the red cat sat", "the red cat sat on mats"], [1.0, 0.0]
    rows = list(
        NeighborRegressor(tau=0.05, min_neighbors=1, max_fraction=1.0).fit(bank, quality).kneighbors(["the red cat"])
    )
    similarity = dict(zip(rows[0].rows.tolist(), rows[0].similarities.tolist(), strict=True))
    how = {"tau": 0.05, "min_neighbors": 1, "max_fraction": 1.0}
    weighted = NeighborRegressor(weights="similarity", **how).fit(bank, quality).predict(["the red cat"])
    assert weighted[0] == pytest.approx(similarity[0] / (similarity[0] + similarity[1]))
    assert weighted[0] != pytest.approx(0.5)
    uniform, by_similarity = (f"neighbors(tau=0.3, weights='{weights}')" for weights in ("uniform", "similarity"))
    table = score(TRAIN, [uniform, by_similarity], seed=1)
    assert not np.allclose(table[uniform].values, table[by_similarity].values, equal_nan=True)


def test_the_signature_says_what_was_left_open():
    assert "tau=0.08" in parse("neighbors").signature
    assert "tokenizer='chars', orders=(2, 3, 4), encoder=None" in parse("neighbors").signature
    assert "kernel='chrf(char_order=" in parse("neighbors(kernel='chrf')").signature
    assert parse("neighbors(kernel='chrf')") == parse(parse("neighbors(kernel='chrf')").signature)


def test_a_model_is_named_by_its_content(tmp_path):
    for name, content in (("one", "{}"), ("two", "{ }")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(content)
    one, two = (parse(f"neighbors(kernel='cosine', encoder={str(tmp_path / name)!r})") for name in ("one", "two"))
    assert one.params["encoder"].startswith("one@")
    assert one.params["encoder"].partition("@")[2] != two.params["encoder"].partition("@")[2]
    assert parse(one.signature) == one


@pytest.mark.parametrize(
    "asked",
    [
        "neighbors(kernel='cosine', tokenizer='13a')",
        "neighbors(kernel='rouge_l', orders=(1, 2))",
        "neighbors(encoder='minilm')",
        "neighbors(kernel='chrf', tokenizer='13a')",
    ],
)
def test_what_the_kernel_does_not_use_is_refused(asked):
    with pytest.raises(EvaluatorError, match="Leave it out"):
        parse(asked)


def test_a_kernel_compares_texts_by_itself():
    @evaluator(scale="0 to 1", needs=("references",))
    def distant(*, references: References = GIVEN) -> Shape:
        """A similarity that a service knows."""
        return per_request("far", request=lambda unit: {}, send=lambda request: 0, read=lambda reply, unit: 0.0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(similarity, "parse", lambda name: distant())
        with pytest.raises(EvaluatorError, match="compares all pairs of texts by itself"):
            parse("neighbors(kernel='distant', tau=0.5)")


def test_quality_is_asked_for_once():
    with pytest.raises(DataError, match="quality from both judgments"):
        parse("neighbors(criterion='quality', column='grade')")
