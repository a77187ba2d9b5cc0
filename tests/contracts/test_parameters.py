"""Every parameter of every evaluator changes a score or is refused."""

import numpy as np
import pytest

import assay
from assay import registry
from assay.errors import AssayError
from assay.named import load_named
from assay.references import ReferenceFactory
from tests.contracts.parameters import REFUSED, Two, parameters, reference_parameters, telling, training

CASES = {(name, key): values for name, keys in parameters().items() for key, values in keys.items()}
REFERENCE_CASES = {(name, key): values for name, keys in reference_parameters().items() for key, values in keys.items()}
HOW = "tests/contracts/parameters.py must give two values with different scores"


def test_every_parameter_of_every_evaluator_has_two_values() -> None:
    for name in registry.BUILTIN:
        given = set(parameters().get(name, {}))
        missing = set(registry.factory(name).factory.parameters) - given
        assert name in parameters(), f"{name} is new: {HOW} for each of its parameters"
        assert not missing, f"{name} has parameters that nothing is known of: {sorted(missing)}; {HOW}"
        assert given <= set(registry.factory(name).factory.parameters), f"{name}: {sorted(given)}"
    assert set(parameters()) == set(registry.BUILTIN)


def test_every_parameter_of_every_source_of_references_has_two_values() -> None:
    for name, path in registry.REFERENCES.items():
        found = load_named(path)
        assert isinstance(found, ReferenceFactory)
        assert set(found.factory.parameters) == set(reference_parameters()[name]), f"{name}: {HOW}"


@pytest.mark.parametrize(("name", "parameter"), CASES, ids=str)
def test_two_values_give_different_scores(name: str, parameter: str) -> None:
    values = CASES[name, parameter]
    assert differ(*values.calls(name, parameter), unit=values.unit), f"{name}: {parameter} does nothing"


@pytest.mark.parametrize(("name", "parameter"), REFERENCE_CASES, ids=str)
def test_two_values_of_a_source_give_different_scores(name: str, parameter: str) -> None:
    values: Two = REFERENCE_CASES[name, parameter]
    one, two = (f"chrf(references={call})" for call in values.calls(name, parameter))
    assert differ(one, two, unit=None), f"{name}: {parameter} does nothing"


# Numbered, since some name a model in a temporary folder, and processes that run tests must agree on the names.
@pytest.mark.parametrize("asked", REFUSED, ids=(str(number) for number in range(len(REFUSED))))
def test_what_would_do_nothing_is_refused(asked: str) -> None:
    with pytest.raises(AssayError, match=REFUSED[asked]):
        registry.parse(asked)


def differ(one: str, two: str, unit: str | None) -> bool:
    """Score one small world with both; say whether a score or a gap differs and the signatures do."""
    table = assay.score(telling(), [one, two], unit=unit, train=training())
    first, second = table[one], table[two]
    for column in (first, second):
        failed = [reason for reason in column.gaps.reasons if reason.startswith("failed")]
        assert not failed, failed
        assert np.isfinite(column.values).any(), f"{column.name} scores nothing"
    assert first.signature != second.signature
    return not np.array_equal(first.values, second.values, equal_nan=True)
