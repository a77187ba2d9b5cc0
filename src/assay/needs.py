"""What evaluators need, checked before anything is computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.errors import EvaluatorError, did_you_mean
from assay.evaluator import Evaluator
from assay.records import Dataset
from assay.references import has_references
from assay.registry import parse
from assay.scores import PAIRED, UNITS

# Need -> (whether the data has it, the remedy).
NEEDS: dict[str, tuple[Callable[[Dataset], bool], str]] = {
    "references": (
        has_references,
        'Add "references": ["..."] to its lines, or take the other outputs of an item: references=others().',
    ),
    "judgments": (lambda data: len(data.judgments) > 0, 'Add "judgments": [{...}] to its lines.'),
    "logprobs": (lambda data: len(data.logprobs) > 0, 'Add "logprobs": {"<system>": ...} to its lines.'),
    "context": (lambda data: len(data.items.context.packed) > 0, 'Add "context" to its lines.'),
    "choices": (lambda data: len(data.items.choices.texts) > 0, 'Add "choices" and "target" to its lines.'),
    "columns": (
        lambda data: bool(data.outputs.columns or data.sets.columns),
        "Add a column of numbers to its lines.",
    ),
    "human": (lambda data: bool(data.human.any()), 'Mark human texts with "human": true.'),
}


def parse_for(dataset: Dataset, text: str) -> Evaluator:
    """Make an evaluator from a name or a signature; the error knows the criteria and columns of the data."""
    try:
        return parse(text)
    except EvaluatorError as error:
        if text in dataset.judgments.criteria.to_list():
            remedy = f"judgments of it: write human(criterion={text!r})."
        elif text in dataset.outputs.columns or text in dataset.sets.columns:
            remedy = f"a column of that name: write column({text!r})."
        else:
            raise
        raise EvaluatorError(f"no evaluator {text!r}, but the data has {remedy}") from error


# Evaluators with one of these needs read answers or numbers, not texts.
OF_ANSWERS = {"judgments", "columns", "logprobs"}


def _only_rated(dataset: Dataset) -> bool:
    """Whether the data is a table of ratings: judgments, and no text at all, of outputs or of items."""
    texts = dataset.outputs.text, dataset.items.context, dataset.items.references.texts
    return len(dataset.judgments) > 0 and not any(len(column.packed) for column in texts)


def _takes_texts(evaluator: Evaluator) -> bool:
    reads = evaluator.shape.reads
    return not OF_ANSWERS & set(evaluator.about.needs) if reads is None else "text" in reads


def check_needs(dataset: Dataset, evaluators: Sequence[Evaluator], *, of_pairs: bool = False) -> None:
    """Raise with every unmet need; in a pair, one text is the other's reference."""
    problems = []
    for evaluator in evaluators:
        if _takes_texts(evaluator) and _only_rated(dataset):
            problems.append(f"{evaluator.name} needs texts, and the data has none: it is a table of ratings.")
        for need in evaluator.about.needs:
            has, remedy = NEEDS[need]
            referred_elsewhere = of_pairs or getattr(evaluator.references, "name", "given") != "given"
            if not (need == "references" and referred_elsewhere) and not has(dataset):
                what = "human texts" if need == "human" else need
                problems.append(f"{evaluator.name} needs {what}, and the data has none. {remedy}")
    if problems:
        raise EvaluatorError("\n".join(problems))
    for check in filter(None, (evaluator.shape.check for evaluator in evaluators)):
        check(dataset)
    for use in (use for evaluator in evaluators for use in evaluator.uses(dataset)):
        check_needs(dataset, [use.evaluator], of_pairs=use.unit == "pair" or (use.unit is None and of_pairs))


def choose_unit(dataset: Dataset, evaluators: Sequence[Evaluator], requested: str | None) -> str:
    """The unit of a table: the requested one, or the coarsest that any evaluator needs."""
    if requested is not None and requested not in UNITS:
        raise EvaluatorError(f"no unit or level {requested!r}.{did_you_mean(requested, UNITS)}")
    finest = [min(_offered(dataset, evaluator), key=UNITS.index) for evaluator in evaluators]
    unit = requested or max(finest, key=UNITS.index)
    if any(_native(dataset, evaluator, unit) is None for evaluator in evaluators):
        offers = "; ".join(f"{e!r} offers {', '.join(reachable(dataset, e))}" for e in evaluators)
        raise EvaluatorError(
            f"not every evaluator scores the unit {unit!r}: {offers}. Choose a unit that all offer, or use separate "
            "runs."
        )
    return unit


def native_unit(dataset: Dataset, evaluator: Evaluator, unit: str) -> str:
    """The unit that an evaluator scores by itself to give scores of `unit`: that one, or a finer one to pool."""
    kind = _native(dataset, evaluator, unit)
    assert kind is not None
    return kind


def reachable(dataset: Dataset, evaluator: Evaluator) -> list[str]:
    """The units an evaluator can score on this data, by itself or by pooling."""
    return [unit for unit in UNITS if _native(dataset, evaluator, unit) is not None]


def _native(dataset: Dataset, evaluator: Evaluator, unit: str) -> str | None:
    offered = _offered(dataset, evaluator)
    if unit in offered:
        return unit
    if unit in PAIRED:
        # One text is the reference of the other: a similarity.
        return unit if evaluator.references is not None and "output" in offered else None
    finer = [kind for kind in offered if UNITS.index(kind) < UNITS.index(unit) and kind != "matchup"]
    return max(finer, key=UNITS.index) if finer else None


def _offered(dataset: Dataset, evaluator: Evaluator) -> list[str]:
    """The units an evaluator scores by itself, if the evaluators it uses score them too."""
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
