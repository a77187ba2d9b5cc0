import numpy as np
import pytest

from assay.errors import DataError, EvaluatorError
from assay.evaluators.neighbors.regressor import NeighborRegressor
from assay.records import Dataset
from assay.registry import parse
from assay.run import score
from tests.evaluators.neighbors.texts import made_up, records

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
    with pytest.raises(DataError, match="have no judgments"):
        score(Dataset.from_records([{"text": "a"}]), ["neighbors"], train=Dataset.from_records([{"text": "b"}] * 3))
