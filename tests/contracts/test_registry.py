"""What holds for every evaluator in the registry, found by itself."""

import ast
import inspect
import math
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import assay
from assay import Dataset, registry
from assay.errors import EvaluatorError
from assay.evaluator import EvaluatorFactory, Fitted
from assay.needs import NEEDS, choose_unit
from assay.scores import UNITS
from tests.contracts.worlds import WORLDS, example, records, training

EVALUATORS = Path(assay.__file__).parent / "evaluators"


@pytest.mark.parametrize("name", registry.BUILTIN)
class TestEveryEvaluator:
    def test_it_is_described(self, name: str) -> None:
        factory = registry.factory(name)
        assert factory.description.endswith("."), "the first line of its docstring is a sentence"
        assert set(factory.about.units) <= set(UNITS)
        assert set(factory.about.needs) <= set(NEEDS)
        assert factory.about.scale, "state the range of its scores"

    def test_its_parameters_are_annotated(self, name: str) -> None:
        for parameter in registry.factory(name).factory.parameters.values():
            assert parameter.annotation is not inspect.Parameter.empty

    def test_its_signature_parses_back(self, name: str) -> None:
        evaluator = registry.parse(example(name))
        assert registry.parse(evaluator.signature) == evaluator
        assert evaluator.signature.endswith(f"|assay:{assay.__version__}")

    def test_an_unknown_parameter_is_refused(self, name: str) -> None:
        with pytest.raises(EvaluatorError, match="no parameter 'color'"):
            registry.parse(f"{name}(color=1)")

    @pytest.mark.parametrize("world", WORLDS)
    def test_scores_are_numbers_or_gaps_with_reasons(self, name: str, world: str) -> None:
        """On ordinary, empty, one-word, repeated and Unicode texts: never a crash, never a gap without a reason."""
        data = WORLDS[world]()
        table = assay.score(data, [example(name)], train=training())
        column = table[example(name)]
        assert column.values.dtype == np.float64
        assert len(column) == len(table)
        for row, value in enumerate(column.values):
            assert math.isnan(value) == bool(column.gaps[row])
            assert not column.gaps[row].startswith("failed"), column.gaps[row]

    def test_no_unit_has_references(self, name: str) -> None:
        """Then every unit is a gap for that reason, and nothing fails on the way."""
        if "references" not in registry.factory(name).factory.parameters:
            return
        nobody = registry.parse("bleu(references=others(among=('alone',)))").references
        asked = registry.parse(example(name))
        alone = registry.factory(name)(**{**asked.params, "references": nobody})
        rows = [*records(), {"id": "x", "item": "elsewhere", "system": "alone", "text": "Nobody else."}]
        column = assay.score(Dataset.from_records(rows), [alone])[repr(alone)]
        assert column.gaps.counts() == {"no references": len(rows)}
        assert not any(reason.startswith("failed") for reason in column.gaps.reasons)

    @pytest.mark.parametrize("unit", ["pair", "matchup"])
    def test_references_make_it_a_similarity_of_pairs(self, name: str, unit: str) -> None:
        """The right text stands as the reference of the left, and no reference of the data plays a part."""
        evaluator = registry.parse(example(name))
        if evaluator.references is None or "output" not in evaluator.about.units:
            return
        rows = [{**row, "references": []} for row in records()]
        with_references, without = (
            assay.score(Dataset.from_records(some), [evaluator], unit=unit) for some in (records(), rows)
        )
        column = without[repr(evaluator)]
        assert column.values.tobytes() == with_references[repr(evaluator)].values.tobytes()
        assert column.n and not any(reason.startswith("failed") for reason in column.gaps.counts())

    def test_rows_in_another_order_get_the_same_scores(self, name: str) -> None:
        data, shuffled = WORLDS["ordinary"](), WORLDS["shuffled"]()
        one, two = (assay.score(world, [example(name)], train=training()) for world in (data, shuffled))
        scores = dict(zip(two.unit, two[example(name)].values, strict=True))
        for unit, value in zip(one.unit, one[example(name)].values, strict=True):
            assert value == pytest.approx(scores[unit], rel=1e-9, abs=1e-9, nan_ok=True)

    def test_what_learns_says_from_what_and_is_the_same_saved_and_loaded(self, name: str, tmp_path: Path) -> None:
        """Fitted, saved, loaded and applied by name: to the last bit what it scores when it is fitted on the way."""
        fitted = registry.parse(example(name))
        if not isinstance(fitted.shape, Fitted):
            return
        assert fitted.shape.learns_from, "state what the training data must have"
        data = WORLDS["ordinary"]()
        direct = assay.score(data, [fitted], train=training())[repr(fitted)]
        applied = assay.fit(fitted, training(), tmp_path / "model")
        assert registry.parse(f"{name}(model={str(tmp_path / 'model')!r})") == applied
        assert registry.parse(applied.signature) == applied
        loaded = assay.score(data, [applied.signature])[applied.signature]
        assert np.isfinite(direct.values).any()
        assert np.array_equal(direct.values, loaded.values, equal_nan=True)
        assert [direct.gaps[row] for row in range(len(direct))] == [loaded.gaps[row] for row in range(len(direct))]

    def test_two_threads_give_the_same_bits(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("assay.run.one_pass.CHUNK", 7)
        data, train = WORLDS["ordinary"](), training()
        one, two = (assay.score(data, [example(name)], train=train, workers=n)[example(name)] for n in (1, 2))
        assert np.array_equal(one.values, two.values, equal_nan=True)


@pytest.mark.slow
def test_processes_give_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """All evaluators at once, those of one kind of unit together: new processes take their time to start."""
    monkeypatch.setattr("assay.run.one_pass.CHUNK", 7)
    data, train = WORLDS["ordinary"](), training()
    by_unit: dict[str, list[str]] = {}
    for evaluator in map(registry.parse, map(example, registry.BUILTIN)):
        if not evaluator.shape.whole:  # what needs all units at once never leaves this process
            by_unit.setdefault(choose_unit(data, [evaluator], None), []).append(repr(evaluator))
    for unit, names in by_unit.items():
        one, two = (assay.score(data, names, unit=unit, train=train, executor=n) for n in ("serial", "processes:2"))
        for name in names:
            assert np.array_equal(one[name].values, two[name].values, equal_nan=True), name
            assert one[name].gaps.counts() == two[name].gaps.counts()


def test_every_decorated_factory_is_registered() -> None:
    """An evaluator that nobody can ask for by name is lost: add a line to `assay.registry.BUILTIN`."""
    found = set()
    for path in EVALUATORS.rglob("*.py"):
        module = ".".join(("assay", *path.relative_to(EVALUATORS.parent).with_suffix("").parts))
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and isinstance(
                getattr(import_module(module), node.name, None), EvaluatorFactory
            ):
                found.add(f"{module}:{node.name}")
    assert found == set(registry.BUILTIN.values())


def test_names_are_those_of_the_factories() -> None:
    for name in registry.BUILTIN:
        assert registry.factory(name).factory.name == name
