"""Every analysis that scores takes the scoring options of `assay.score`, and uses them or refuses them."""

import inspect
from typing import Any, Unpack

import pytest

import assay
from assay.errors import AssayError
from assay.run.scoring import ScoringOptions
from tests.contracts.worlds import training

LEARNS = "neighbors(criterion='typicality', tau=0.01, min_neighbors=1, max_fraction=1.0)"
SCORING = (
    "adversaries",
    "certify",
    "communicate",
    "compare",
    "contest",
    "correct",
    "dectest",
    "gate",
    "giveaways",
    "huse",
    "meta",
    "nuggets",
    "power",
    "prefer",
    "probe",
    "replace",
)


@pytest.mark.parametrize("name", SCORING)
def test_all_take_the_same(name: str) -> None:
    scoring = inspect.signature(getattr(assay, name)).parameters["scoring"]
    assert scoring.annotation in (Unpack[ScoringOptions], "Unpack[ScoringOptions]")
    assert set(ScoringOptions.__annotations__) <= set(inspect.signature(assay.score).parameters)


@pytest.mark.parametrize(
    ("analysis", "settings"),
    [
        (
            assay.meta,
            {"target": "human('typicality')", "resamples": 0, "levels": ["output"]},
        ),
        (assay.compare, {}),
    ],
)
def test_folds_are_those_of_the_scores(analysis: Any, settings: dict[str, Any]) -> None:
    part = analysis(training(), [LEARNS], folds=assay.Folds("system"), **settings)
    assert any("|folds(leave_out='system', n=None, seed=0)" in number.signature for number in part.numbers)


def test_scores_that_are_given_are_not_fitted() -> None:
    table = assay.score(training(), ["length", "human('typicality')"])
    with pytest.raises(AssayError, match=r"the scores are given, so nothing is scored. Leave out folds."):
        assay.meta(table, target="human('typicality')", folds=3)
    with pytest.raises(AssayError, match=r"judgments are compared, so nothing is scored. Leave out train."):
        assay.prefer(training(), "better", train=training())
    with pytest.raises(AssayError, match=r"the features are given, so nothing is scored. Leave out cache."):
        assay.huse([[0.0, 1.0]], [True], cache=assay.ScoreCache())
