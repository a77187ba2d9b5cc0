"""Whatever takes an evaluator takes one that learns."""

import numpy as np
import pytest

import assay
from assay import registry
from assay.errors import EvaluatorError
from tests.contracts.parameters import parameters, telling, training

# One that learns about outputs and one that learns about pairs: a parameter wants the scores of one or the other.
LEARNING = (
    "neighbors(criterion='typicality', tau=0.01, min_neighbors=1, max_fraction=1.0)",
    "blend((chrf(),), 'similarity')",
)
LISTENING = ("listener(epochs=1)",)  # what a parameter `listener` or `listeners` wants
TAKES_EVALUATORS = [
    (name, key)
    for name in registry.BUILTIN
    for key, parameter in registry.factory(name).factory.parameters.items()
    if "Evaluator" in str(parameter.annotation)
]


def test_there_are_some() -> None:
    assert ("huse", "quality") in TAKES_EVALUATORS
    assert ("reduce", "similarity") in TAKES_EVALUATORS


@pytest.mark.parametrize("cross_fitted", [True, False], ids=["cross-fitted", "with a training set"])
@pytest.mark.parametrize(("name", "key"), TAKES_EVALUATORS)
def test_an_evaluator_that_learns_is_taken(name: str, key: str, cross_fitted: bool) -> None:
    is_tuple = "tuple" in str(registry.factory(name).factory.parameters[key].annotation)
    beside = parameters()[name][key].beside
    scored = []
    for learning in LISTENING if key in ("listener", "listeners") else LEARNING:
        call = f"{name}({key}={f'({learning},)' if is_tuple else learning}{', ' * bool(beside)}{beside})"
        # Texts that differ, so that the data falls into folds.
        data, train = (training(), None) if cross_fitted else (telling(), training())
        try:
            column = next(iter(assay.score(data, [call], train=train).columns.values()))
        except EvaluatorError as error:
            assert "uses scores of" in str(error) or "does not compare two texts" in str(error), error
            continue
        assert not any(reason.startswith("failed") for reason in column.gaps.reasons), column.gaps.reasons
        scored.append(int(np.isfinite(column.values).sum()))
    assert max(scored, default=0) > 0
