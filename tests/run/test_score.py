"""Scoring: alignment by id, gaps with reasons, pooling, fitting, the cache."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay import Dataset, ScoreCache, score
from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import (
    Answer,
    EvaluatorFactory,
    Scored,
    Shape,
    additive,
    batched,
    evaluator,
    fitted,
    per_unit,
)
from assay.records import Output
from assay.references import References, given
from tests.contracts.worlds import records


@evaluator(scale="1 or more")
def words() -> Shape:
    """Words of a text, one at a time."""

    def count(output: Output) -> float:
        if output.text == "broken":
            raise ValueError("no words here")
        return float(len(output.text.split()))

    return per_unit(count)


@evaluator(scale="any")
def fragile(*, bad: str = "broken") -> Shape:
    """Length in bytes of a whole batch; one bad text breaks the batch it is in."""

    def lengths(batch: Batch) -> np.ndarray[Any, Any]:
        texts = [batch.texts[int(row)] for row in batch.candidates]
        if bad in texts:
            raise ValueError("broken text")
        return np.array([len(text) for text in texts], float)

    return batched(lengths)


def interrupt(_: object) -> float:
    """What compiled code makes of Ctrl-C."""
    raise SystemError("<kernel> returned a result with an exception set") from KeyboardInterrupt()


@evaluator(scale="any")
def interrupted_on_each() -> Shape:
    """One unit at a time, stopped by the user."""
    return per_unit(interrupt)


@evaluator(scale="any")
def interrupted_on_all() -> Shape:
    """A whole batch, stopped by the user."""
    return batched(interrupt)  # type: ignore[arg-type]


@evaluator(scale="0 to 1")
def vowel_rate() -> Shape:
    """Share of vowels: vowels and letters add up over texts."""

    def statistics(batch: Batch) -> np.ndarray[Any, Any]:
        texts = [batch.texts[int(row)] for row in batch.candidates]
        return np.array([[sum(c in "aeiou" for c in text), len(text)] for text in texts], float)

    return additive(statistics, lambda rows: rows[:, 0] / rows[:, 1])


SEEN: list[tuple[set[str], set[str]]] = []


@evaluator(scale="any")
def mean_of_others() -> Shape:
    """Predicts the mean length of the texts it was fitted on, and notes what it saw."""

    def fit(train: Batch, rng: np.random.Generator) -> list[Output]:
        return [output for group in train.iter_outputs() for output in group]

    def predict(outputs: list[Output], batch: Batch) -> np.ndarray[Any, Any]:
        scored = [output for group in batch.iter_outputs() for output in group]
        SEEN.append(
            (
                {o.item.id for o in outputs} | {o.text for o in outputs},
                {o.item.id for o in scored} | {o.text for o in scored},
            )
        )
        return np.full(len(batch), float(np.mean([len(output.text) for output in outputs])))

    return fitted(fit, predict)


def dataset(*texts: str, **about: Any) -> Dataset:
    return Dataset.from_records([{"text": text, **about} for text in texts])


def test_a_function_that_fails_on_some_units_leaves_gaps_with_reasons() -> None:
    column = score(dataset("one two", "broken", "three"), [words()])["words()"]
    assert column.values.tolist()[::2] == [2.0, 1.0]
    assert math.isnan(column.values[1])
    assert column.gaps.counts() == {"failed: ValueError: no words here": 1}


def test_a_batch_that_fails_is_halved_until_the_bad_units_stand_alone() -> None:
    column = score(dataset("aa", "broken", "b", "broken", "cccc"), [fragile()])[repr(fragile())]
    assert np.array_equal(column.values, [2, np.nan, 1, np.nan, 4], equal_nan=True)
    assert column.gaps.counts() == {"failed: ValueError: broken text": 2}


@pytest.mark.parametrize("stopped", [interrupted_on_each, interrupted_on_all])
def test_an_interrupt_is_not_taken_for_a_gap(stopped: EvaluatorFactory) -> None:
    with pytest.raises(KeyboardInterrupt):
        score(dataset("a", "b"), [stopped()])


def test_when_everything_fails_it_is_given_up_soon() -> None:
    column = score(dataset(*["broken"] * 5000), [fragile()])[repr(fragile())]
    assert column.n_missing == 5000


def test_an_additive_evaluator_is_pooled_from_its_statistics() -> None:
    data = dataset("aaaa", "bb")
    table = score(data, [vowel_rate()])
    assert table["vowel_rate()"].values.tolist() == [1.0, 0.0]
    assert table.by_system()["vowel_rate()"].values.tolist() == [4 / 6]


def test_other_evaluators_are_pooled_by_their_mean_over_scored_units() -> None:
    table = score(dataset("one two", "broken", "x y z v"), [words()])
    assert table.by_system()["words()"].values.tolist() == [3.0]


def test_what_is_fitted_never_scores_what_it_saw() -> None:
    SEEN.clear()
    rows = [{"text": f"text {i} {'x' * i}", "item": f"item {i // 2}"} for i in range(20)]
    column = score(Dataset.from_records(rows), [mean_of_others()], folds=5)["mean_of_others()"]
    assert column.n == 20
    assert len(SEEN) == 5
    for learnt, scored in SEEN:
        assert not learnt & scored


@pytest.mark.parametrize(("n_folds", "remedy"), [(1, "at least 2 folds"), (10**9, "independent parts")])
def test_folds_that_cannot_be_are_refused(n_folds, remedy):
    data = Dataset.from_records([{"item": f"i{n}", "text": f"text {n}"} for n in range(10)])
    with pytest.raises(EvaluatorError, match=remedy):
        score(data, [mean_of_others()], folds=n_folds)


def test_too_few_independent_parts_is_a_plain_error() -> None:
    with pytest.raises(EvaluatorError, match="5 independent parts, and this data has 1"):
        score(dataset("same", "same", "same"), [mean_of_others()])


def test_a_training_set_is_used_without_the_texts_that_are_scored() -> None:
    column = score(dataset("a", "bb"), [mean_of_others()], train=dataset("a", "cccc", "dddddd"))["mean_of_others()"]
    assert column.values.tolist() == [5.0, 5.0]


def test_the_cache_is_used_only_for_the_same_data_and_signature(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = ScoreCache(tmp_path)
    data = Dataset.from_records(records())
    first = score(data, ["bleu"], cache=cache)
    monkeypatch.setattr("assay.run.work.guarded", lambda *args: pytest.fail("computed again"))
    again = score(data, ["bleu"], cache=cache)
    assert np.array_equal(first["bleu"].values, again["bleu"].values)
    assert np.array_equal(first.by_system()["bleu"].values, again.by_system()["bleu"].values)
    monkeypatch.undo()
    other = score(data, ["bleu(max_order=2)"], cache=cache)
    assert not np.array_equal(first["bleu"].values, other["bleu(max_order=2)"].values)


def test_a_broken_cache_file_is_computed_again(tmp_path: Path) -> None:
    cache = ScoreCache(tmp_path)
    data = Dataset.from_records(records())
    first = score(data, ["bleu"], cache=cache)
    (path,) = tmp_path.rglob("*.npz")
    path.write_bytes(path.read_bytes()[:100])
    assert np.array_equal(first["bleu"].values, score(data, ["bleu"], cache=cache)["bleu"].values)


def test_units_without_references_are_gaps_and_data_without_any_is_an_error() -> None:
    mixed = Dataset.from_records([{"text": "a b", "references": ["a b"]}, {"text": "c"}])
    assert score(mixed, ["bleu"])["bleu"].gaps.counts() == {"no references": 1}
    with pytest.raises(EvaluatorError, match="bleu needs references, and the data has none"):
        score(dataset("a b"), ["bleu"])


def test_a_unit_that_nobody_offers_is_refused_with_what_each_offers() -> None:
    with pytest.raises(EvaluatorError, match=r"length.* offers output, set, system"):
        score(dataset("a"), ["length"], unit="pair")


def test_the_names_asked_for_are_the_columns() -> None:
    data = Dataset.from_records(records())
    asked = ["bleu", "bleu(max_order=2)", "human(criterion='typicality')", "length"]
    assert list(score(data, asked).columns) == asked


def test_sets_and_systems_are_reached_by_pooling() -> None:
    data = Dataset.from_records(records())
    by_output, by_set, by_system = (score(data, ["length"], unit=unit) for unit in ("output", "set", "system"))
    assert (len(by_output), len(by_set), len(by_system)) == (36, 18, 3)
    assert by_system["length"].values == pytest.approx(by_output.by_system()["length"].values)


@evaluator(scale="any")
def rank_of_length(*, bad: str = "broken") -> Shape:
    """Rank among all texts: half of them would give other ranks."""

    def ranks(batch: Batch) -> np.ndarray[Any, Any]:
        texts = [batch.texts[int(row)] for row in batch.candidates]
        if bad in texts:
            raise ValueError("broken text")
        return np.argsort(np.argsort([len(text) for text in texts])).astype(float)

    return batched(ranks, whole=True)


def test_what_needs_all_units_fails_as_a_whole() -> None:
    column = score(dataset("aa", "broken", "b"), [rank_of_length()])[repr(rank_of_length())]
    assert column.gaps.counts() == {"failed: ValueError: broken text": 3}


@evaluator(scale="any")
def unfittable() -> Shape:
    """Cannot learn."""

    def fit(train: Batch, rng: np.random.Generator) -> None:
        raise ArithmeticError("did not converge")

    return fitted(fit, lambda state, batch: np.zeros(len(batch)))


def test_a_fit_that_fails_leaves_gaps_with_its_reason() -> None:
    column = score(dataset(*"abcdefgh"), [unfittable()])["unfittable()"]
    assert column.gaps.counts() == {"failed: ArithmeticError: did not converge": 8}


@pytest.mark.parametrize("name", ["bleu", "chrf", "rouge", "ter", "meteor", "cider"])
def test_an_evaluator_that_scores_nothing_gives_gaps_of_systems_too(name: str) -> None:
    """Equal texts have no other nearest texts, so there are no references for any of them."""
    rows = [{"text": "the same", "system": system, "human": system == "p"} for system in "pq" for _ in range(3)]
    table = score(Dataset.from_records(rows), [f"{name}(references=nearest())"])
    for part in (table, table.by_system()):
        column = next(iter(part.columns.values()))
        assert column.n == 0
        assert column.gaps.counts() == {"no references": len(part)}


def test_a_unit_that_is_none() -> None:
    with pytest.raises(EvaluatorError, match="no unit or level 'segment'"):
        score(Dataset.from_records([{"text": "a"}]), ["length"], unit="segment")


@evaluator(scale="any")
def learned_verdict() -> Shape:
    """A fitted evaluator that says in words what it was fitted on."""

    def said(train: Batch, batch: Batch) -> Scored:
        return Scored.of_answers([Answer(1.0, f"{o.text} of {len(train)}") for [o] in batch.iter_outputs()])

    return fitted(lambda train, rng: train, said)


def test_texts_of_a_fitted_evaluator_stand_beside_their_own_units() -> None:
    data = Dataset.from_records([{"text": f"t{k}", "item": f"i{k}"} for k in range(9)])
    texts = score(data, [learned_verdict()], folds=3)["learned_verdict()"].texts
    assert texts is not None and texts.to_list() == [f"t{k} of 6" for k in range(9)]


def test_units_without_references_have_no_text_and_the_others_keep_theirs() -> None:
    @evaluator(scale="any")
    def verdict(*, references: References = given()) -> Shape:  # noqa: B008
        """Says the text."""
        return per_unit(lambda output: Answer(1.0, output.text))

    rows = [{"text": f"t{k}", "item": f"i{k}", "references": ["r"] if k % 2 else []} for k in range(4)]
    column = score(Dataset.from_records(rows), [verdict()])["verdict(references=given())"]
    assert column.texts is not None and column.texts.to_list() == ["", "t1", "", "t3"]
    assert column.gaps.counts() == {"no references": 2}
