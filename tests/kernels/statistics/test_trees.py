import numpy as np
import pytest

from assay.kernels.statistics.trees import LEAF, sum_of_trees


def test_rows_go_left_at_or_below_the_threshold_and_leaves_add_up():
    trees = {
        "roots": np.array([0, 3]),
        "feature": np.array([1, LEAF, LEAF, LEAF]),
        "threshold": np.array([0.5, 0.0, 0.0, 0.0]),
        "left": np.array([1, 0, 0, 0]),
        "right": np.array([2, 0, 0, 0]),
        "value": np.array([9.0, 1.0, 2.0, 0.25]),
        "baseline": 10.0,
    }
    features = np.array([[9.0, 0.5], [9.0, 0.500001], [0.0, -3.0]])
    assert sum_of_trees(features, **trees).tolist() == [11.25, 12.25, 11.25]


def test_boosted_trees_say_what_scikit_learn_says_to_the_last_bit():
    ensemble = pytest.importorskip("sklearn.ensemble")
    from assay.evaluators.diversity.trained_content_diversity import plain_trees

    rng = np.random.default_rng(0)
    features = np.round(rng.normal(size=(600, 9)), 2)
    labels = features[:, 0] * features[:, 1] + rng.normal(size=600) > 0
    trees = ensemble.HistGradientBoostingClassifier(max_iter=60, max_leaf_nodes=8, early_stopping=False)
    trees.fit(features[:400], labels[:400])
    assert np.array_equal(sum_of_trees(features, **plain_trees(trees)), trees.decision_function(features))
