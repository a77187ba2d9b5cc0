"""Intervals, curves, plans, failures and figures of HUSE, each by itself."""

import numpy as np
import pytest

from assay.analyses.huse.failures import failures
from assay.analyses.huse.figures import decision_figure, frequency_figure, plane_figure
from assay.analyses.huse.stability import annotator_curve, item_curve, study_size
from assay.analyses.huse.ties import tie_ranges
from assay.analyses.huse.uncertainty import JudgmentPanel, annotator_intervals, item_intervals, judged_by
from assay.evaluators.huse.measure import MEASURES, Rules, measure
from assay.evaluators.huse.problem import Problem, problem_from_arrays
from assay.metaeval.estimate import Estimate
from tests.analyses.huse.worlds import WORLDS

RULES = Rules()


def panel(problem: Problem, n_raters: int = 8) -> JudgmentPanel:
    rng = np.random.default_rng(9)
    values = np.clip(np.rint(problem.quality + rng.normal(size=(len(problem), n_raters))), 0, 5)
    places = np.repeat(np.arange(len(problem)), n_raters)
    return JudgmentPanel(places, np.tile(np.arange(n_raters), len(problem)), values.ravel())


@pytest.fixture(scope="module")
def shifted() -> Problem:
    return WORLDS["shifted"].problem(np.random.default_rng(0), 100)


def test_intervals_hold_the_value_and_the_seed_fixes_them(shifted: Problem) -> None:
    measured = measure(shifted, RULES)
    for intervals in (item_intervals, lambda *args: annotator_intervals(args[0], panel(shifted), args[1])):
        one, same, other = (intervals(measured, seed) for seed in (1, 1, 2))
        assert one == same and one != other
        assert all(one[name].low < measured.values[name] == one[name].value < one[name].high for name in MEASURES)


def test_an_interval_of_no_error_at_all_still_leaves_doubt() -> None:
    human = np.arange(200) < 100
    apart = problem_from_arrays(np.where(human, -50.0, -1.0), np.arange(200) % 7.0, human)
    interval = item_intervals(measure(apart, RULES), 0)["huse"]
    assert interval.low == 0 and 0.02 < interval.high < 0.05  # three errors in 200 are .03


def test_halves_keep_items_together(shifted: Problem) -> None:
    one_item = Problem(**{**vars(shifted), "group": np.zeros(len(shifted), np.int64)})
    assert item_intervals(measure(one_item, RULES), 0)["huse"].reason == "too few items (1 < 10)"


def test_too_few_annotators(shifted: Problem) -> None:
    found = annotator_intervals(measure(shifted, RULES), panel(shifted, 3), 0)
    assert found["huse"].reason == "too few annotators (3 < 4)"


def test_outputs_that_lose_all_their_judgments_are_left_out(shifted: Problem) -> None:
    judged = panel(shifted)
    kept = judged.position >= 5
    assert len(judged_by(shifted, judged, kept)) == len(shifted) - 5


def test_curves_end_at_the_whole_data(shifted: Problem) -> None:
    curve = item_curve(shifted, RULES, 0)
    assert curve.sizes[-1] == len(shifted) and curve.mean["huse"][-1] == measure(shifted, RULES).values["huse"]
    by_annotators = annotator_curve(shifted, panel(shifted), RULES, 0)
    assert by_annotators.sizes[0] == 1 and by_annotators.sizes[-1] == 8
    assert by_annotators.mean["huse"][0] > by_annotators.mean["huse"][-1]  # one noisy rater tells less


def test_a_plan_is_arithmetic(shifted: Problem) -> None:
    wide = {name: Estimate(0.6, 0.4, 0.8, 200) for name in MEASURES}
    size = study_size(shifted, RULES, wide, None, half_width=0.1, price=0.5)
    assert (size.n_items, size.n_outputs, size.n_judgments, size.cost) == (800, 800, 800, 400.0)
    narrow = {name: Estimate(0.5, 0.5, 0.5, 200) for name in MEASURES}
    tiny = study_size(shifted, RULES, narrow, None, half_width=0.1, price=0.5)
    assert tiny.n_items == 34  # two halves of k + 1 outputs


def test_failures_are_what_they_are_called() -> None:
    """40 good texts of people; 20 bad ones and 20 overly probable good ones of the system."""
    rng = np.random.default_rng(0)
    human = np.arange(80) < 40
    quality = np.where(np.arange(80) < 60, 4.0, 1.0) + rng.normal(size=80) / 10
    logprob = np.where((np.arange(80) >= 40) & (np.arange(80) < 60), -1.0, -5.0) + rng.normal(size=80) / 10
    found = failures(measure(problem_from_arrays(logprob, quality, human), RULES))
    assert set(found.quality.tolist()) == set(range(60, 80))
    assert {position for position in found.diversity.tolist() if position >= 40} == set(range(40, 60))
    assert len(found.indistinguishable) == 0
    assert found.human_share[0] > 0.9 and found.human_share_by_quality[65] < 0.1


@pytest.mark.parametrize("name", WORLDS)
def test_tie_ranges_hold_the_value(name: str) -> None:
    problem = WORLDS[name].problem(np.random.default_rng(1), 100, n_raters=3)
    for vote_tie in ("human", "model", "half"):
        measured = measure(problem, Rules(vote_tie=vote_tie))
        for measure_name, (low, high) in tie_ranges(measured).items():
            assert low - 1e-12 <= measured.values[measure_name] <= high + 1e-12


def test_figures_draw_every_output(shifted: Problem) -> None:
    ids = [f"o{row}" for row in range(len(shifted))]
    svg = decision_figure(shifted, RULES, "m <1>", ids, ids).svg()
    assert svg.count("data-output=") == len(shifted) and "m &lt;1&gt;" in svg
    plane = plane_figure(["a", "b"], [0.9, 0.3], [0.2, 1.0]).svg()
    assert "HUSE 0.6" in plane and "dominated by another system" in plane
    frequency = frequency_figure(shifted.quality[:, 0], np.full(len(shifted), np.nan), shifted.human, "f").svg()
    assert "100 not drawn (no number)" in frequency
