"""Evaluators made of evaluators: what is used is scored once, by the run, whatever its shape."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay import Dataset, ScoreCache, score
from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Scored, Shape, Use, additive, batched, evaluator, fitted
from assay.registry import factory, parse
from tests.contracts.worlds import records, training

CALLS: list[int] = []
OUTAGE: list[str] = []


@evaluator(scale="any")
def counted() -> Shape:
    """Bytes of a text; notes how many units it was asked for, and fails where a server is out."""

    def score(batch: Batch) -> np.ndarray[Any, Any]:
        CALLS.append(len(batch))
        if OUTAGE:
            raise ConnectionError(OUTAGE[0])
        return batch.texts.lengths[batch.candidates].astype(float)

    return batched(score)


@evaluator(units=("pair",), scale="any")
def learnt_similarity() -> Shape:
    """A similarity of pairs that learns: the mean length of the training pairs, less the difference of the two."""

    def fit(train: Batch, rng: np.random.Generator) -> float:
        return float(train.texts.lengths[train.members.values].mean())

    def score(mean: float, batch: Batch) -> np.ndarray[Any, Any]:
        left, right = batch.texts.lengths[batch.members.values].reshape(-1, 2).T
        return mean - np.abs(left - right)

    return fitted(fit, score)


@evaluator(units=("output", "set", "system"), scale="any")
def doubled(inner: Any) -> Shape:
    """Twice the score of another evaluator."""
    return batched(lambda batch: 2 * batch.used[0].values, uses=[Use(inner)])


@evaluator(units=("set", "system"), scale="any")
def longest(inner: Any) -> Shape:
    """The largest score of the outputs of a unit."""

    def score(batch: Batch) -> np.ndarray[Any, Any]:
        found = np.full(len(batch), -np.inf)
        np.maximum.at(found, batch.used[0].unit_of, batch.used[0].values)
        return found

    return batched(score, uses=[Use(inner, "output")])


@pytest.fixture(autouse=True)
def _clean() -> None:
    CALLS.clear()
    OUTAGE.clear()


def data(**about: Any) -> Dataset:
    return Dataset.from_records([{**record, **about} for record in records()])


def values(dataset: Dataset, asked: Any, **how: Any) -> np.ndarray[Any, Any]:
    (column,) = score(dataset, [asked], **how).columns.values()
    return column.values


class TestColumns:
    def test_a_unit_is_given_the_scores_of_its_outputs(self) -> None:
        dataset = data()
        lengths = dataset.outputs.text.lengths
        expected = [lengths[rows].max() for rows in (dataset.outputs_by_set[s] for s in range(len(dataset.sets)))]
        assert values(dataset, longest(counted()), unit="set").tolist() == expected

    def test_a_unit_is_given_its_own_score_pooled_where_it_must_be(self) -> None:
        dataset = data()
        for unit in ("output", "set", "system"):
            twice = values(dataset, doubled(parse("bleu")), unit=unit)
            assert np.array_equal(twice, 2 * values(dataset, "bleu", unit=unit))

    def test_uses_nest(self) -> None:
        dataset = data()
        nested = doubled(doubled(parse("reduce(chrf)")))
        assert np.array_equal(values(dataset, nested), 4 * values(dataset, "reduce(chrf)"))

    def test_what_is_used_twice_is_scored_once(self) -> None:
        asked = [counted(), doubled(counted()), longest(counted()), longest(doubled(counted()))]
        score(data(), asked, unit="set")
        assert sum(CALLS) == len(data().outputs)

    def test_chunks_change_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        dataset = data()
        asked = [parse("reduce(bleu)"), longest(counted()), parse("reduce(bleu, max_pairs=7)")]
        before = [values(dataset, one, unit="system") for one in asked]
        monkeypatch.setattr("assay.run.one_pass.CHUNK", 7)
        for one, expected in zip(asked, before, strict=True):
            assert np.array_equal(values(dataset, one, unit="system", workers=2), expected)


class TestFittedOnes:
    def test_a_reduction_of_one_that_learns_is_cross_fitted(self) -> None:
        dataset = training()
        pairs = values(dataset, learnt_similarity(), unit="pair")
        assert len(np.unique(pairs + np.abs(_differences(dataset)))) > 1, "one model per fold"
        reduced = factory("reduce")(learnt_similarity())
        assert np.array_equal(values(dataset, reduced), -pairs)  # sets of two have one pair each

    def test_a_reduction_of_one_that_learns_takes_a_training_set(self) -> None:
        reduced = factory("reduce")(learnt_similarity())
        scores = values(data(), reduced, train=training())
        rows = training().outputs_by_set.values
        mean = training().outputs.text.lengths[rows].mean()
        assert np.allclose(scores, np.abs(_differences(data())) - mean)

    def test_huse_with_a_quality_that_learns_is_that_of_its_cross_fitted_column(self) -> None:
        """The same as if the column had been scored, stored with the data and named."""
        dataset = training()
        asked = "neighbors(criterion='typicality', tau=0.01, min_neighbors=1, max_fraction=1.0)"
        scores = values(dataset, asked, seed=3)
        rows = [
            {**record, "text": dataset.outputs.text[row], "estimate": float(scores[row])}
            for row, record in enumerate(records())
        ]
        with_column = Dataset.from_records(rows)
        for name in ("huse", "huse_q", "huse_d"):
            direct = values(dataset, f"{name}(quality={asked}, beside=(length(),), k=3)", seed=3)
            stored = values(with_column, f"{name}(quality=column('estimate'), beside=(length(),), k=3)", seed=3)
            assert np.array_equal(direct, stored, equal_nan=True)
            assert not np.isnan(direct).all()


def _differences(dataset: Dataset) -> np.ndarray[Any, Any]:
    """How much the two texts of each set differ in length."""
    left, right = dataset.outputs.text.lengths[dataset.outputs_by_set.values].reshape(-1, 2).T
    return left - right


class TestWhatIsAskedOfTheData:
    def test_needs_are_those_of_the_used_ones_too(self) -> None:
        rows = [{key: value for key, value in record.items() if key != "references"} for record in records()]
        with pytest.raises(EvaluatorError, match="bleu needs references"):
            score(Dataset.from_records(rows), ["huse(quality=bleu)"])
        values(Dataset.from_records(rows), "reduce(bleu)")  # in a pair, one text is the reference

    def test_units_are_those_that_used_ones_can_give(self) -> None:
        table = score(data(), [doubled(parse("distinct"))])
        assert table.kind == "set"
        with pytest.raises(EvaluatorError, match=r"huse uses scores of outputs, and distinct.* offers set, system"):
            score(data(), ["huse(quality=distinct)"])


class TestTheCache:
    def test_used_scores_are_kept_under_their_own_keys(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        cache = ScoreCache(tmp_path)
        first = values(data(), "reduce(cider)", cache=cache)
        values(data(), "huse_q(quality=chrf)", cache=cache)
        monkeypatch.setattr("assay.run.work.guarded", lambda *_, **__: pytest.fail("scored again"))
        assert np.array_equal(values(data(), "reduce(cider)", cache=cache), first, equal_nan=True)
        values(data(), "chrf", cache=cache, unit="output")

    def test_a_seed_is_part_of_the_key_where_a_used_one_learns(self, tmp_path: Path) -> None:
        cache, reduced = ScoreCache(tmp_path), factory("reduce")(learnt_similarity())
        kept = [values(training(), reduced, cache=cache, seed=seed) for seed in (0, 1, 0)]
        assert np.array_equal(kept[0], kept[2])
        assert not np.array_equal(kept[0], kept[1])

    @pytest.mark.parametrize("unit", ["set", "system"])
    def test_a_failure_of_a_used_one_that_may_pass_is_never_kept(self, tmp_path: Path, unit: str) -> None:
        cache = ScoreCache(tmp_path)
        for asked in (longest(counted()), doubled(counted()), doubled(doubled(counted()))):
            OUTAGE.append("no answer")
            table = score(data(), [asked], unit=unit, cache=cache)
            column = table[repr(asked)]
            assert column.gaps.for_now == {"failed for now: ConnectionError: no answer": len(column)}
            assert any("outside the data" in note for note in table.notes)
            OUTAGE.clear()
            assert not np.isnan(values(data(), asked, unit=unit, cache=cache)).any()


def test_a_failure_that_may_pass_is_not_left_out_of_a_reduction() -> None:
    """A reduction leaves out pairs without a score; one that only failed for now is not left out but makes a gap."""

    @evaluator(units=("pair",), scale="any")
    def shaky() -> Shape:
        """Fails for now on the first pair alone."""

        def score(batch: Batch) -> np.ndarray[Any, Any]:
            if 0 in batch.rows:
                raise ConnectionError("no answer")
            return np.ones(len(batch))

        return batched(score)

    reduced = factory("reduce")(shaky())
    column = score(data(), [reduced], unit="system")[repr(reduced)]
    assert list(column.gaps.for_now.values()) == [1]
    assert np.count_nonzero(np.isnan(column.values)) == 1


def test_a_failure_on_training_data_that_may_pass_is_never_kept(tmp_path: Path) -> None:
    """What is learnt without some of the training units would be another model, so the column is not kept."""
    seen = training().outputs.text[0]

    @evaluator(scale="any")
    def shaky() -> Shape:
        """Fails for now where the training data is scored."""

        def score(batch: Batch) -> np.ndarray[Any, Any]:
            if OUTAGE and seen in batch.texts.to_list():
                raise ConnectionError(OUTAGE[0])
            return batch.texts.lengths[batch.candidates].astype(float)

        return batched(score)

    cache = ScoreCache(tmp_path)
    asked = factory("blend")((shaky(),), "typicality")
    OUTAGE.append("no answer")
    column = score(data(), [asked], train=training(), cache=cache)[repr(asked)]
    assert len(column.gaps.for_now) == 1
    assert np.isnan(column.values).all()
    OUTAGE.clear()
    assert not np.isnan(values(data(), asked, train=training(), cache=cache)).any()


@pytest.mark.parametrize("how", ["train", "folds"])
def test_nothing_built_on_a_failure_for_one_training_unit_is_kept(tmp_path: Path, how: str) -> None:
    unlucky, scored = training().outputs.text[0], data() if how == "train" else training()

    @evaluator(scale="any")
    def shaky() -> Shape:
        """Fails for now on one text alone."""

        def score(batch: Batch) -> np.ndarray[Any, Any]:
            lengths = batch.texts.lengths[batch.candidates].astype(float)
            if OUTAGE and unlucky in batch.texts.take(batch.candidates).to_list():
                raise ConnectionError(OUTAGE[0])
            return lengths

        return batched(score)

    cache, learning = ScoreCache(tmp_path), {"train": training()} if how == "train" else {"folds": 3}
    inner = factory("blend")((shaky(),), "typicality")
    for asked in (inner, doubled(inner), factory("blend")((inner,), "typicality")):
        OUTAGE.append("no answer")
        column = score(scored, [asked], cache=cache, **learning)[repr(asked)]
        OUTAGE.clear()
        again = values(scored, asked, cache=cache, **learning)
        assert np.array_equal(again, values(scored, asked, **learning))
        # By a model that learnt from all it should have, or not at all.
        missing = np.isnan(column.values)
        assert missing.all() if how == "train" else np.count_nonzero(missing) > len(again) / 2
        assert sum(column.gaps.for_now.values()) == np.count_nonzero(missing)
        assert np.array_equal(column.values[~missing], again[~missing]) and not np.isnan(again).any()


def test_statistics_may_come_from_used_scores() -> None:
    @evaluator(scale="any")
    def share(inner: Any) -> Shape:
        """Mean of another's scores, added up."""

        def statistics(batch: Batch) -> Scored:
            used = batch.used[0]
            return Scored(np.column_stack([used.values, np.ones(len(batch))]), used.gaps)

        return additive(statistics, lambda rows: rows[:, 0] / rows[:, 1], uses=[Use(inner)])

    dataset = data()
    pooled = values(dataset, share(counted()), unit="system")
    assert np.allclose(pooled, values(dataset, counted(), unit="system"))


@pytest.mark.parametrize("rule", ["item", "system", "column:topic"])
def test_used_ones_that_learn_are_cross_fitted_by_the_same_rule(rule: str) -> None:
    """Where a model is trained, too, the scores it uses are by models that met neither item, system nor topic."""

    def group_of(batch: Batch) -> list[Any]:
        outputs = [batch.dataset.output(int(row)) for row in batch.outputs.values]
        of_rule = {"item": lambda one: one.item.id, "system": lambda one: one.system}
        return [of_rule.get(rule, lambda one: one.columns["topic"])(one) for one in outputs]

    @evaluator(scale="0 or 1")
    def met() -> Shape:
        """Whether the model was trained on the group of a unit."""

        def score(known: set[str], batch: Batch) -> np.ndarray[Any, Any]:
            return np.array([float(group in known) for group in group_of(batch)])

        return fitted(lambda train, rng: set(group_of(train)), score)

    @evaluator(scale="0 or 1")
    def any_met(inner: Any) -> Shape:
        """Whether any model was trained on the group of what it scored, in training or after."""

        def score(in_training: float, batch: Batch) -> np.ndarray[Any, Any]:
            return np.maximum(batch.used[0].values, in_training)

        return fitted(lambda train, rng: float(train.used[0].values.max()), score, uses=[Use(inner)])

    rows = [
        {"item": f"i{i}", "system": f"s{i % 4}", "topic": f"t{i % 3}", "text": f"text {i} {copy}"}
        for i in range(24)
        for copy in range(2)
    ]
    assert values(Dataset.from_records(rows), any_met(met()), folds=rule).max() == 0


def test_two_systems_are_too_few_to_leave_out_one_within_the_others() -> None:
    inner = factory("blend")((parse("length"),), "typicality")
    generators = np.flatnonzero(~training().systems.human)[:2]
    two = training().select(np.isin(training().outputs.system, generators))
    with pytest.raises(EvaluatorError, match=r"blend, fitting what it uses within .*: leaving one system"):
        score(two, [factory("blend")((inner,), "typicality")], folds="system")
