import numpy as np
import pytest

from assay.errors import DataError, EvaluatorError
from assay.evaluators.neighbors.regressor import NeighborRegressor
from tests.evaluators.neighbors.texts import made_up
from tests.oracles.bleu_pairs import bleu_star

TEXTS, QUALITY = made_up(60)
NEW, NEW_QUALITY = made_up(30, seed=1)


def plain_prediction(candidates, texts, quality, tau, a=5, b=0.66, skip_own=False):
    predicted = []
    for place, candidate in enumerate(candidates):
        near = [
            q
            for other, (text, q) in enumerate(zip(texts, quality, strict=True))
            if bleu_star(candidate, text) >= tau and not (skip_own and other == place)
        ]
        n = len(texts) - skip_own
        predicted.append(np.mean(near) if a <= len(near) <= b * n else np.nan)
    return np.array(predicted)


def test_predictions_follow_the_definition():
    found = NeighborRegressor(tau=0.55).fit(TEXTS, QUALITY).predict(NEW)
    expected = plain_prediction(NEW, TEXTS, QUALITY, 0.55)
    assert np.isnan(expected).any() and not np.isnan(expected).all()
    assert found == pytest.approx(expected, nan_ok=True)


def test_leave_one_out_follows_the_definition():
    found = NeighborRegressor(tau=0.3).fit(TEXTS, QUALITY).leave_one_out()
    expected = plain_prediction(TEXTS, TEXTS, QUALITY, 0.3, skip_own=True)
    assert found.values == pytest.approx(expected, nan_ok=True)
    assert set(found.n_train) == {59}


def test_words_and_other_orders():
    words = NeighborRegressor(tau=0.2, tokenizer="whitespace", orders=(1, 2), min_neighbors=1, max_fraction=1)
    found = words.fit(TEXTS, QUALITY).predict(NEW)
    expected = [
        np.mean([q for t, q in zip(TEXTS, QUALITY, strict=True) if bleu_star(x.split(), t.split(), (1, 2)) >= 0.2])
        for x in NEW
    ]
    assert found == pytest.approx(np.array(expected))


def test_it_learns_and_score_is_rho_on_covered_texts():
    fitted = NeighborRegressor(tau=0.3).fit(TEXTS, QUALITY)
    predicted = fitted.predict(NEW)
    covered = ~np.isnan(predicted)
    from scipy.stats import spearmanr

    assert fitted.score(NEW, NEW_QUALITY) == pytest.approx(spearmanr(predicted[covered], NEW_QUALITY[covered])[0])
    assert fitted.score(NEW, NEW_QUALITY) > 0.7


def test_kneighbors_by_falling_similarity_as_rows_of_the_training_texts():
    quality = QUALITY.copy()
    quality[:10] = np.nan  # not judged: never a neighbor
    found = NeighborRegressor(tau=0.3).fit(TEXTS, quality).kneighbors(NEW)
    for text, neighbors in zip(NEW, found, strict=True):
        assert all(row >= 10 for row in neighbors.rows)
        assert np.all(np.diff(neighbors.similarities) <= 0)
        for row, similarity in zip(neighbors.rows, neighbors.similarities, strict=True):
            assert bleu_star(text, TEXTS[row]) == pytest.approx(similarity)
    first = NeighborRegressor(tau=0.3).fit(TEXTS, quality).kneighbors(NEW, 3)
    assert all(np.array_equal(a.rows, b.rows[:3]) for a, b in zip(first, found, strict=True))


def test_scikit_learn_can_clone_and_search():
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV

    search = GridSearchCV(NeighborRegressor(min_neighbors=2), {"tau": [0.2, 0.4]}, cv=3)
    search.fit(TEXTS, QUALITY)
    assert search.best_params_["tau"] in (0.2, 0.4)
    assert clone(NeighborRegressor("rouge_l", tau=0.5)).get_params()["kernel"] == "rouge_l"


def test_parameters():
    regressor = NeighborRegressor().set_params(tau=0.2, min_neighbors=3)
    assert regressor.get_params()["tau"] == 0.2
    assert repr(regressor) == "NeighborRegressor(tau=0.2, min_neighbors=3)"
    with pytest.raises(EvaluatorError, match=r"no parameter 'taw'\. Did you mean 'tau'"):
        regressor.set_params(taw=1)


def test_subsample_takes_a_share_and_the_seed_decides_which():
    one = NeighborRegressor(subsample=0.5, seed=1).fit(TEXTS, QUALITY)
    assert len(one.texts_) == 30
    again = NeighborRegressor(subsample=0.5, seed=1).fit(TEXTS, QUALITY)
    other = NeighborRegressor(subsample=0.5, seed=2).fit(TEXTS, QUALITY)
    assert np.array_equal(one.rows_, again.rows_) and not np.array_equal(one.rows_, other.rows_)


def test_empty_texts_abstain_with_the_reason():
    found = NeighborRegressor(tau=0.0, max_fraction=1).fit(TEXTS, QUALITY).estimate(["", NEW[0]])
    assert np.isnan(found.values[0]) and found.gaps[0] == "empty text"
    assert found.values[1] == pytest.approx(QUALITY.mean())  # at tau 0 every text is a neighbor
    assert len(NeighborRegressor().fit(TEXTS, QUALITY).predict([])) == 0


@pytest.mark.parametrize(
    ("texts", "quality", "options", "words"),
    [
        (["a"], [1.0], {}, "1 of 1 training texts have a quality; neighbors need at least 2"),
        (["a", "b"], [np.nan, np.nan], {}, "0 of 2 training texts have a quality"),
        (["a", "b"], [1.0], {}, "2 training texts but 1 quality values"),
        (["a", "b"], [1.0, np.inf], {}, "infinite quality"),
        ("ab", [1.0, 1.0], {}, "a list of texts, not one text"),
        (["a", "b"], [1.0, 1.0], {"tau": 2}, "tau must be between 0 and 1"),
        (["a", "b"], [1.0, 1.0], {"subsample": 0}, "subsample must be above 0"),
        (["a", "b"], [1.0, 1.0], {"kernel": "blue"}, "no kernel 'blue'"),
        (["a", "b"], [1.0, 1.0], {"kernel": "length"}, "no similarity of two texts"),
        (["a", "b"], [1.0, 1.0], {"kernel": "ter"}, "no similarity of two texts"),
        (["a", "b"], [1.0, 1.0], {"kernel": "bleu(max_order=2)"}, "no default threshold: give tau"),
        (["a", "b"], [1.0, 1.0], {"tokenizer": "chras"}, "Did you mean 'chars'"),
        (["a", "b"], [1.0, 1.0], {"orders": (0, 2)}, "orders must be n-gram lengths from 1 up"),
    ],
)
def test_bad_input(texts, quality, options, words):
    with pytest.raises((DataError, EvaluatorError), match=words):
        NeighborRegressor(**options).fit(texts, quality)


def test_predicting_before_fitting():
    with pytest.raises(EvaluatorError, match="call fit"):
        NeighborRegressor().predict(["a"])


def test_workers_change_no_bit():
    one = NeighborRegressor(tau=0.3).fit(TEXTS, QUALITY).predict(NEW)
    two = NeighborRegressor(tau=0.3, workers=2).fit(TEXTS, QUALITY).predict(NEW)
    assert np.array_equal(one, two, equal_nan=True)
