"""The training data of a run, checked before anything is computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from assay.errors import EvaluatorError, did_you_mean
from assay.evaluator import Evaluator, Fitted
from assay.grammar import Call, print_call
from assay.needs import NEEDS
from assay.records import Dataset
from assay.records.columns import numbers_of
from assay.records.tables import Values
from assay.run.folds import Folds

# (data, name, what to call the data) -> what it lacks, in words; empty if nothing.
Lesson = Callable[[Dataset, str, str], str]


@dataclass(frozen=True, eq=False)
class Learning:
    """What fitted evaluators are trained on: a training set, or the other folds; and the seed."""

    train: Dataset | None = None
    folds: Folds = field(default_factory=Folds)
    seed: int = 0

    def __post_init__(self) -> None:
        if self.train is not None and self.folds not in (Folds(), Folds("system")):
            raise EvaluatorError(
                "with a training set there are no folds: texts that are also scored are left out of it. "
                "Leave out system to leave out each scored system too, or drop the training set."
            )

    @property
    def signature(self) -> str:
        """How a column was fitted: the suffix of its signature."""
        parts = {"leave_out": self.folds.leave_out, "n": self.folds.n, "seed": self.seed}
        if self.train is None:
            return print_call(Call("folds", (), parts))
        del parts["n"]
        return print_call(Call("train", (self.train.fingerprint[:16],), parts))

    def check(self, dataset: Dataset, evaluators: Sequence[Evaluator]) -> None:
        """Raise with everything the training data lacks."""
        source = dataset if self.train is None else self.train
        where = "the data" if self.train is None else "the training data"
        remedy = " Or give other data to learn from with --train." if self.train is None else ""
        problems = [
            f"{evaluator.name} learns from {problem}{remedy}"
            for evaluator in dict.fromkeys(part for one in evaluators for part in one.parts(dataset))
            if isinstance(evaluator.shape, Fitted)
            for lesson in evaluator.shape.learns_from
            if (problem := _problem(source, lesson, where))
        ]
        if problems:
            raise EvaluatorError("\n".join(problems))


def _problem(dataset: Dataset, lesson: str, where: str) -> str:
    """What the data lacks of a lesson, in words; empty if nothing."""
    kind, _, name = lesson.partition(":")
    if kind in LESSONS:
        return LESSONS[kind](dataset, name, where)
    has, remedy = NEEDS[kind]
    what = "human texts" if kind == "human" else kind
    return "" if has(dataset) else f"{what}, and {where} has none. {remedy}"


def _judgments(dataset: Dataset, criterion: str, where: str) -> str:
    known = dataset.judgments.about("output").criteria
    if criterion and criterion not in known:
        return f"judgments of {criterion!r}, and {where} has none.{did_you_mean(criterion, known)}"
    if not known:
        return f"judgments, and {where} has none. {NEEDS['judgments'][1]}"
    if not criterion and len(known) > 1:
        return f"judgments of one criterion, and {where} has several: {', '.join(known)}. Choose one with criterion=..."
    return ""


def _criterion(dataset: Dataset, criterion: str, where: str) -> str:
    known = dataset.judgments.criteria.to_list()
    missing = criterion not in known
    return f"judgments of {criterion!r}, and {where} has none.{did_you_mean(criterion, known)}" if missing else ""


def _generated(dataset: Dataset, _: str, where: str) -> str:
    lacking = f'generated texts, and {where} has none. Add texts of a generator, which are not marked "human": true.'
    return lacking if dataset.human.all() else ""


def _column(columns_of: Callable[[Dataset], dict[str, Values]], what: str) -> Lesson:
    def problem(dataset: Dataset, name: str, where: str) -> str:
        columns = columns_of(dataset)
        if name not in columns:
            return f"the column {name!r} of {what}, and {where} has none.{did_you_mean(name, columns)}"
        numbers = numbers_of(columns[name])
        has_numbers = numbers is not None and not np.isnan(numbers).all()
        return "" if has_numbers else f"numbers in the column {name!r} of {what}, and {where} has none there."

    return problem


LESSONS: dict[str, Lesson] = {
    "judgments": _judgments,
    "criterion": _criterion,
    "generated": _generated,
    "column": _column(lambda dataset: dict(dataset.outputs.columns), "outputs"),
    "set_column": _column(lambda dataset: dict(dataset.sets.columns), "sets"),
}
"""What evaluators learn from besides NEEDS: `kind` or `kind:name`."""
