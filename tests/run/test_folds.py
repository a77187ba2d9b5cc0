"""Folds: no model scores what it met, whatever is left out; the same seed gives the same bits; every option counts."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import Dataset, Folds, score
from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Shape, Use, evaluator, fitted
from tests.run.probe import Meeting, probe

KINDS = (Folds(), Folds(n=3), Folds("system"), Folds("system", 2), Folds("annotator", 2), Folds("column:topic"))


def records(rng: np.random.Generator, n_items: int = 8, repeated: float = 0.2) -> list[dict[str, Any]]:
    """Items answered by people and three systems; some texts and contexts come again elsewhere."""
    rows = []
    for item in range(n_items):
        for system in ("people", "a", "b", "c"):
            text = f"text {rng.integers(4)}" if rng.random() < repeated else f"{system} says {item}"
            rows.append(
                {
                    "item": f"i{item}",
                    "context": f"context {item % 6}",
                    "system": system,
                    "human": system == "people",
                    "text": text,
                    "topic": f"t{item % 3}",
                    "logprobs": {"a": -1.0, "b": -2.0, "c": -3.0},
                    "judgments": [
                        {"annotator": f"w{item % 4}", "criterion": "quality", "value": float(rng.integers(5))},
                        {"annotator": f"w{item % 4}", "criterion": "quality", "unit": "set", "value": 1.0},
                    ],
                }
            )
    return rows


def data(seed: int = 0, **how: Any) -> Dataset:
    return Dataset.from_records(records(np.random.default_rng(seed), **how))


def outputs(batch: Any) -> list[Any]:
    return [output for group in batch.iter_outputs() for output in group]


def check(meeting: Meeting, folds: Folds) -> None:
    """Nothing that is left out was in the data the model was fitted on, not only in its batch."""
    met, scored = list(meeting.train.dataset.iter_outputs()), outputs(meeting.scored)
    assert not {o.text for o in met} & {o.text for o in scored}
    train = meeting.train
    assert [o.text for o in outputs(train)] == train.texts.take(train.members.values).to_list()  # rows and texts agree
    if folds.leave_out == "system":
        generators = {o.system for o in scored if not o.human}
        assert not {o.system for o in met} & generators
        probabilities = meeting.train.dataset.logprobs.system
        assert not set(meeting.train.dataset.systems.id.take(np.unique(probabilities))) & generators
        assert not {o.item.id for o in met if o.human} & {o.item.id for o in scored if o.human}
        return
    assert not {o.item.id for o in met} & {o.item.id for o in scored}
    if folds.column is not None:
        assert not {o.columns[folds.column] for o in met} & {o.columns[folds.column] for o in scored}
    if folds.leave_out == "annotator":
        teachers = meeting.train.dataset.judgments
        assert not set(teachers.annotators.take(np.unique(teachers.annotator))) & {
            judgment.annotator for o in scored for judgment in o.judgments
        }


@pytest.mark.parametrize("folds", KINDS, ids=str)
@pytest.mark.parametrize("kind", ["output", "set", "pair", "matchup"])
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), repeated=st.sampled_from([0.0, 0.1, 0.2]))
def test_no_model_scores_what_it_met(folds: Folds, kind: str, seed: int, repeated: float) -> None:
    rng = np.random.default_rng(seed)
    rows = records(rng, repeated=repeated)
    if kind != "output":  # three outputs in every set
        rows += [{**row, "text": f"{row['text']} {word}"} for row in rows for word in ("again", "and again")]
    probing, meetings = probe(kind)
    try:
        column = score(Dataset.from_records(rows), [probing()], unit=kind, folds=folds, seed=seed)["probing()"]
    except EvaluatorError as error:  # repeated texts may tie everything together
        assert (
            "folds need at least" in str(error)
            or "nothing is left" in str(error)
            or "no judgment is left" in str(error)
        )
        return
    assert column.n_missing == 0
    assert sum(len(meeting.scored) for meeting in meetings) == len(column)
    for meeting in meetings:
        assert len(meeting.train)
        check(meeting, folds)


@pytest.mark.parametrize("folds", KINDS, ids=str)
def test_ordinary_data_can_be_folded_in_every_way(folds: Folds) -> None:
    """So that the property above does not hold by refusing everything."""
    probing, meetings = probe()
    score(data(repeated=0.0), [probing()], folds=folds)
    assert len(meetings) >= 2
    for meeting in meetings:
        check(meeting, folds)


def test_identical_texts_of_other_systems_are_dropped_when_a_system_is_left_out() -> None:
    rows = [{"item": f"i{i}", "system": system, "text": f"{system} {i}"} for i in range(4) for system in "abc"]
    rows[0]["text"] = rows[1]["text"] = "the same"
    probing, meetings = probe()
    score(Dataset.from_records(rows), [probing()], folds="system")
    assert sorted(len(meeting.train) for meeting in meetings) == [7, 7, 8]


@pytest.mark.parametrize("folds", KINDS, ids=str)
def test_the_same_seed_gives_the_same_bits_and_the_fold_of_an_output_is_no_mystery(folds: Folds) -> None:
    world = data(repeated=0.0)
    probing, meetings = probe()
    one, two = (score(world, [probing()], folds=folds, seed=3)["probing()"].values for _ in range(2))
    assert np.array_equal(one, two)
    fold = folds.assign(world, seed=3)
    for meeting in meetings:
        assert len(set(fold[meeting.scored.rows].tolist())) == 1
    assert len(meetings) == 2 * len(set(fold.tolist()))


def test_every_option_changes_scores_and_the_signature() -> None:
    world = data(repeated=0.0)
    probing, _ = probe()
    columns = {folds: score(world, [probing()], folds=folds)["probing()"] for folds in KINDS}
    assert len({column.values.tobytes() for column in columns.values()}) == len(KINDS)
    assert len({column.signature for column in columns.values()}) == len(KINDS)
    assert columns[Folds("system", 2)].signature.endswith("|local|folds(leave_out='system', n=2, seed=0)")


def test_matchups_of_other_systems_are_left_when_two_are_left_out() -> None:
    probing, meetings = probe("matchup")
    score(data(repeated=0.0), [probing()], unit="matchup", folds="system")
    for meeting in meetings:
        check(meeting, Folds("system"))
    assert {len({o.system for o in outputs(meeting.train)}) for meeting in meetings} == {2, 3}


def test_units_across_folds_have_a_model_that_met_neither_side() -> None:
    """A set of outputs of two systems is scored by a model that knows neither of them."""
    rows = [
        {"item": f"i{i}", "system": system, "set": f"s{i}-{system in 'ab'}", "text": f"{system} {i}"}
        for i in range(3)
        for system in "abcd"
    ]
    probing, meetings = probe("set")
    score(Dataset.from_records(rows), [probing()], folds="system")
    assert len(meetings) == 2
    for meeting in meetings:
        assert len({o.system for o in outputs(meeting.scored)}) == 2
        check(meeting, Folds("system"))


def test_a_system_cannot_be_cross_fitted_by_item() -> None:
    probing, _ = probe("system")
    with pytest.raises(EvaluatorError, match="nothing is left to learn from"):
        score(data(repeated=0.0), [probing()])
    assert score(data(repeated=0.0), [probing()], folds="system")["probing()"].n == 4


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        ("sistem", "Did you mean 'system'"),
        ("column:", "cannot leave out 'column:'"),
        ("column:topik", "Did you mean 'topic'"),
        ("column:gappy", "need a value for every output, and 31 have none"),
        (Folds("column:topic", 4), "4 folds need at least 4 values of topic, and this data has 3"),
        (Folds("system", 4), "at least 4 values of system, and this data has 3"),
        (9, "independent parts, and this data has 8"),
    ],
)
def test_folds_that_cannot_be_are_refused(folds: Any, message: str) -> None:
    rows = records(np.random.default_rng(0), repeated=0.0)
    rows[0]["gappy"] = "x"
    probing, _ = probe()
    with pytest.raises(EvaluatorError, match=message):
        score(Dataset.from_records(rows), [probing()], folds=folds)


def test_annotators_who_judged_everything_cannot_be_left_out() -> None:
    rows = records(np.random.default_rng(0), repeated=0.0)
    for row in rows:
        row["judgments"] = [{"annotator": who, "criterion": "quality", "value": 1.0} for who in ("w0", "w1")]
    probing, _ = probe()
    with pytest.raises(EvaluatorError, match=r"groups of outputs that different annotators judged|no judgment is left"):
        score(Dataset.from_records(rows), [probing()], folds="annotator")


def test_one_generator_cannot_be_left_out() -> None:
    probing, _ = probe()
    rows = [{"item": f"i{i}", "text": f"text {i}"} for i in range(9)]
    with pytest.raises(EvaluatorError, match="at least two generators, and this data has 1"):
        score(Dataset.from_records(rows), [probing()], folds="system")


def test_what_a_fitted_evaluator_uses_and_learns_is_fitted_without_the_scored_units_too() -> None:
    """Otherwise the scores it learns from would come of models that met what it is about to score."""
    inner, meetings = probe()

    @evaluator(scale="any", stored=False)
    def outer() -> Shape:
        """Learns from the scores of another that learns."""

        def fit(train: Batch, rng: np.random.Generator) -> Batch:
            taught.append({output.item.id for output in train.dataset.iter_outputs()})
            return train

        return fitted(fit, lambda state, batch: batch.used[0].values, uses=[Use(inner())])

    taught: list[set[str]] = []
    score(data(repeated=0.0, n_items=6), [outer()], folds=3)  # too few items for five folds inside
    items = [{o.item.id for m in meeting for o in m.dataset.iter_outputs()} for meeting in meetings]
    assert len(taught) == 3
    for fold in taught:
        assert sum(met == fold for met in items) == 3, "as many folds, of the training items alone"
