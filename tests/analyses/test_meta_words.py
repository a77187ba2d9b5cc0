"""Sentences on evaluators are backed by a test that allows for the number of evaluators looked at."""

import numpy as np

from assay.analyses.meta_words import gather, trust
from assay.metaeval.questions.question import Question
from tests.metaeval.score_tables import table_of


def said(columns, item, system):
    table = table_of(columns, [f"i{i}" for i in item], [f"s{s}" for s in system])
    names = tuple(name for name in columns if name != "human")
    return trust(gather(table, Question("human", names, ("spearman",))))


def world(n_systems, n_items, seed=0):
    rng = np.random.default_rng(seed)
    item, system = (code.ravel() for code in np.indices((n_items, n_systems)))
    return rng, item, system


def test_the_best_of_several_unrelated_evaluators_is_not_praised():
    for seed in range(5):
        rng, item, system = world(5, 30, seed)
        columns = {
            name: rng.normal(size=5)[system] + rng.normal(size=150) for name in ("human", *(f"e{n}" for n in range(8)))
        }
        assert said(columns, item, system) == [
            "No evaluator is shown to follow human well, output by output.",
            "No evaluator is shown to order the 5 systems like human.",
        ]


def test_a_leader_that_stands_alone_is_named_and_one_that_does_not_is_not_called_the_best():
    rng, item, system = world(12, 40)
    quality = rng.normal(size=12)[system] + rng.normal(size=480)
    human = quality + 0.2 * rng.normal(size=480)
    weak = rng.normal(size=480)
    alone = said({"human": human, "good": quality + 0.2 * rng.normal(size=480), "weak": weak}, item, system)
    assert alone[0].startswith("good follows human best, output by output (rho 0.9")
    assert "Not shown to be strong enough to decide human by: weak." in alone
    twins = {name: quality + 0.5 * rng.normal(size=480) for name in ("one", "other")}
    both = said({"human": human, **twins, "weak": weak}, item, system)
    assert "follow human, output by output, and cannot be told apart" in both[0]
    assert not any("best" in sentence or "most like" in sentence for sentence in both)


def test_agreement_between_systems_only_is_not_agreement_output_by_output():
    rng, item, system = world(20, 20)
    of_system = 1.5 * rng.normal(size=20)[system]
    columns = {name: of_system + rng.normal(size=400) for name in ("human", "metric")}
    columns["noise"] = rng.normal(size=400)
    sentences = said(columns, item, system)
    assert not any("best, output by output" in sentence for sentence in sentences)
    assert any("metric agrees most with human over all outputs" in sentence for sentence in sentences)
    assert any("it is not shown to tell outputs of one system apart" in sentence for sentence in sentences)
    assert any("metric orders the 20 systems most like human" in sentence for sentence in sentences)


def test_an_evaluator_that_is_constant_within_systems_is_not_said_to_follow_output_by_output():
    rng, item, system = world(12, 30)
    human = 100.0 * system + rng.normal(size=360)
    sentences = said({"human": human, "label": 1.0 * system, "noise": rng.normal(size=360)}, item, system)
    assert not any("label follows" in sentence for sentence in sentences)
    assert any(sentence.startswith("Within systems label has no rho") for sentence in sentences)


def test_there_is_no_best_of_one():
    rng, item, system = world(12, 40)
    human = rng.normal(size=12)[system] + rng.normal(size=480)
    sentences = said({"human": human, "good": human + 0.2 * rng.normal(size=480)}, item, system)
    assert sentences[0].startswith("good follows human, output by output (rho 0.9")
    assert any("good orders the 12 systems like human" in sentence for sentence in sentences)
    assert not any("best" in sentence or "most" in sentence for sentence in sentences)
