"""What evaluators need and whether the data has it, asked before anything is computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.errors import EvaluatorError, did_you_mean
from assay.evaluator import Evaluator
from assay.records import Dataset
from assay.scores import PAIRED, UNITS

# What can be needed: whether the data has any, and what to do where it has not.
NEEDS: dict[str, tuple[Callable[[Dataset], bool], str]] = {
    "references": (
        lambda data: len(data.items.references.texts) > 0,
        'Add "references": ["..."] to its lines, or choose references=... of another kind.',
    ),
    "judgments": (lambda data: len(data.judgments) > 0, 'Add "judgments": [{...}] to its lines.'),
    "logprobs": (lambda data: len(data.logprobs) > 0, 'Add "logprobs": {"<system>": ...} to its lines.'),
    "context": (lambda data: len(data.items.context.packed) > 0, 'Add "context" to its lines.'),
    "choices": (lambda data: len(data.items.choices.texts) > 0, 'Add "choices" and "target" to its lines.'),
    "columns": (
        lambda data: bool(data.outputs.columns or data.sets.columns),
        "Add a column of numbers to its lines.",
    ),
    "human": (lambda data: bool(data.human.any()), 'Mark the texts of people with "human": true.'),
}


def check_needs(dataset: Dataset, evaluators: Sequence[Evaluator], *, of_pairs: bool = False) -> None:
    """Raise with every need that the data cannot meet at all; in a pair, one text is the other's reference."""
    problems = []
    for evaluator in evaluators:
        for need in evaluator.about.needs:
            has, remedy = NEEDS[need]
            referred_elsewhere = of_pairs or getattr(evaluator.references, "name", "given") != "given"
            if not (need == "references" and referred_elsewhere) and not has(dataset):
                what = "texts of people" if need == "human" else need
                problems.append(f"{evaluator.name} needs {what}, and the data has none. {remedy}")
    if problems:
        raise EvaluatorError("\n".join(problems))
    for use in (use for evaluator in evaluators for use in evaluator.uses(dataset)):
        check_needs(dataset, [use.evaluator], of_pairs=use.unit == "pair" or (use.unit is None and of_pairs))


def choose_unit(dataset: Dataset, evaluators: Sequence[Evaluator], asked: str | None) -> str:
    """The unit of a table: the one asked for, or the coarsest that any of the evaluators needs."""
    if asked is not None and asked not in UNITS:
        raise EvaluatorError(f"no unit or level {asked!r}.{did_you_mean(asked, UNITS)}")
    finest = {evaluator: _finest(dataset, evaluator) for evaluator in evaluators}
    unit = asked or max(finest.values(), key=UNITS.index)
    unable = [evaluator for evaluator, kind in finest.items() if _native(dataset, evaluator, unit) is None]
    if unable:
        offers = "; ".join(f"{e!r} offers {', '.join(reachable(dataset, e))}" for e in evaluators)
        raise EvaluatorError(
            f"not every evaluator gives scores of the unit {unit!r}: {offers}. Choose a unit that all offer, "
            "or ask for them in separate runs."
        )
    return unit


def native_unit(dataset: Dataset, evaluator: Evaluator, unit: str) -> str:
    """The unit an evaluator computes in order to give scores of `unit`: that one, or one to pool from."""
    kind = _native(dataset, evaluator, unit)
    assert kind is not None
    return kind


def reachable(dataset: Dataset, evaluator: Evaluator) -> list[str]:
    """The units of which an evaluator can give scores on this data, by itself or by pooling."""
    return [unit for unit in UNITS if _native(dataset, evaluator, unit) is not None]


def _finest(dataset: Dataset, evaluator: Evaluator) -> str:
    return min(_offered(dataset, evaluator), key=UNITS.index)


def _native(dataset: Dataset, evaluator: Evaluator, unit: str) -> str | None:
    offered = _offered(dataset, evaluator)
    if unit in offered:
        return unit
    if unit in PAIRED:
        # One text of a pair stands as the reference of the other: a similarity.
        return unit if evaluator.references is not None and "output" in offered else None
    finer = [kind for kind in offered if UNITS.index(kind) < UNITS.index(unit) and kind != "matchup"]
    return max(finer, key=UNITS.index) if finer else None


def _offered(dataset: Dataset, evaluator: Evaluator) -> list[str]:
    """The units an evaluator scores by itself, those of which all that it uses has scores."""
    offered = list(evaluator.offered(dataset))
    for use in evaluator.uses(dataset):
        able = [kind for kind in offered if _native(dataset, use.evaluator, use.unit or kind) is not None]
        if not able:
            wanted = f"{use.unit}s" if use.unit else " or ".join(f"{kind}s" for kind in offered)
            raise EvaluatorError(
                f"{evaluator.name} uses scores of {wanted}, and {use.evaluator!r} has none on this data: "
                f"it offers {', '.join(reachable(dataset, use.evaluator))}."
            )
        offered = able
    return offered
