"""The gate lets pass what is better, and nothing that could not be tested."""

from dataclasses import replace

import numpy as np
import pytest

from assay import AssayError, Dataset, ScoreTable, gate, score
from assay.part import Part


def rated(gain: float, items: int = 30, *, lost: int = 0, seed: int = 0) -> Dataset:
    """Two systems rated on the same items, the new one better by `gain`; `lost` of its outputs are missing."""
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(items):
        level = rng.normal()
        for system, shift in (("old", 0.0), ("new", gain)):
            if system == "new" and item < lost:
                continue
            quality = level + shift + 0.3 * rng.normal()
            rows.append({"item": f"i{item}", "system": system, "text": "x", "quality": quality})
    return Dataset.from_records(rows)


def passed(part: Part) -> bool:
    return bool(part.headline["passed"])


QUALITY = "column('quality')"


def errors(data: Dataset) -> ScoreTable:
    """The same scores with the opposite sign and direction."""
    table = score(data, [QUALITY])
    column = replace(table[QUALITY], name="error", values=-table[QUALITY].values, higher_is_better=False)
    return replace(table, columns={QUALITY: table[QUALITY], "error": column})


@pytest.mark.parametrize("evaluator", [QUALITY, "error"])
def test_better_passes_and_worse_fails_in_either_direction(evaluator: str) -> None:
    assert passed(gate(errors(rated(1.0)), "old", [evaluator]))
    assert not passed(gate(errors(rated(-1.0)), "old", [evaluator]))
    assert not passed(gate(errors(rated(0.0)), "old", [evaluator]))


def test_not_worse_allows_for_the_margin() -> None:
    data = rated(-0.3)
    assert not passed(gate(data, "old", [QUALITY]))
    assert passed(gate(data, "old", [QUALITY], margin=1.0))
    assert not passed(gate(data, "old", [QUALITY], margin=0.2))


def test_alpha_decides_how_sure_it_must_be() -> None:
    data = rated(0.15, seed=3)
    (number,) = gate(data, "old", [QUALITY]).numbers
    one_sided = number.about["p_value"] / 2
    assert 1e-6 < one_sided < 0.4
    assert passed(gate(data, "old", [QUALITY], alpha=one_sided * 1.01))
    assert not passed(gate(data, "old", [QUALITY], alpha=one_sided * 0.99))


def test_every_system_must_pass_by_every_evaluator() -> None:
    table = errors(rated(1.0))
    contrary = replace(table["error"], higher_is_better=True)
    assert passed(gate(table, "old", [QUALITY, "error"]))
    assert not passed(gate(replace(table, columns={**table.columns, "error": contrary}), "old", [QUALITY, "error"]))


def test_missing_outputs_fail_unless_allowed() -> None:
    part = gate(rated(1.0, lost=3), "old", [QUALITY])
    assert not passed(part) and "3 items without a score" in part.render()
    assert passed(gate(rated(1.0, lost=3), "old", [QUALITY], missing=True))


def test_too_few_items_fail_with_the_reason() -> None:
    part = gate(rated(5.0, items=2), "old", [QUALITY])
    assert not passed(part) and "failed: " in part.render()


@pytest.mark.parametrize(
    ("baseline", "options", "message"),
    [
        ("odl", {}, "no system 'odl'.*Did you mean 'old'"),
        ("old", {"alpha": 5.0}, "between 0 and 0.5"),
        ("old", {"margin": -1.0}, "margin must be above 0"),
        ("old", {"evaluators": ["length"]}, "no direction"),
        ("old", {"evaluators": []}, "needs an evaluator"),
    ],
)
def test_what_cannot_be_decided_is_an_error(baseline: str, options: dict, message: str) -> None:
    with pytest.raises(AssayError, match=message):
        gate(rated(1.0), baseline, **{"evaluators": [QUALITY], **options})


def test_a_system_that_equals_the_baseline_is_not_worse_and_not_better() -> None:
    data = Dataset.from_records(
        {"item": f"i{item}", "system": system, "text": "x", "quality": float(item)}
        for item in range(5)
        for system in ("old", "new")
    )
    assert passed(gate(data, "old", [QUALITY], margin=0.1))
    assert not passed(gate(data, "old", [QUALITY]))
