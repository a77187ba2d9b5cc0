"""Steps of a study. A family of evaluators adds one by a line in `STEPS`, or from another package by entry point."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from importlib.metadata import entry_points
from typing import Any, ClassVar, NamedTuple, get_type_hints

from assay.named import load_named
from assay.part import Part
from assay.records import Dataset
from assay.study.keys import wants_evaluators
from assay.study.task import Task

GROUP = "assay.studies"

# One line per step, in the order of the report: where its class is.
STEPS = {
    "generators": "assay.study.steps.generators:Generators",
    "huse": "assay.study.steps.huse:Huse",
    "scores": "assay.study.steps.scores:Scores",
    "diversity": "assay.study.steps.diversity:Diversity",
    "meta": "assay.study.steps.meta:Meta",
    "neighbors": "assay.study.steps.neighbors:Neighbors",
    "agreement": "assay.study.steps.agreement:Agreement",
    "contest": "assay.study.steps.contest:ConTest",
    "dectest": "assay.study.steps.contest:DecTest",
    "health": "assay.study.steps.health:Health",
}


class Key(NamedTuple):
    """A key of a step: the type of its value, and its default, MISSING where it must be given."""

    kind: Any
    default: Any

    @property
    def required(self) -> bool:
        """Whether the key must be given."""
        return self.default is MISSING

    @property
    def may_be_empty(self) -> bool:
        """Whether an empty list is a value: where it is the default, it means something."""
        return isinstance(self.default, tuple) and not self.default


@dataclass(frozen=True)
class Step(ABC):
    """A table of the study file, `[name]`: its fields are the keys, and `run` makes a part of the report.

    A subclass is a frozen dataclass whose fields all have defaults or are required keys. `proposal` looks at data and
    says which keys a new study file should have, or None where the step has nothing to work on.
    """

    name: ClassVar[str]
    about: ClassVar[str]

    @abstractmethod
    def run(self, task: Task) -> Part:
        """Compute the part. It must depend only on the data, the keys, the seed and the resamples."""

    @classmethod
    @abstractmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """The keys to propose for this data."""

    def evaluator_calls(self) -> list[str]:
        """The evaluators that the keys name."""
        named = [getattr(self, name) for name, key in self.keys().items() if wants_evaluators(key.kind)]
        return [call for value in named if value for call in ([value] if isinstance(value, str) else value)]

    @classmethod
    def keys(cls) -> dict[str, Key]:
        """What each key wants."""
        hints = get_type_hints(cls, include_extras=True)
        made = {field.name: field.default_factory() for field in fields(cls) if field.default_factory is not MISSING}
        return {field.name: Key(hints[field.name], made.get(field.name, field.default)) for field in fields(cls)}


def steps() -> Mapping[str, type[Step]]:
    """All steps by name, in the order of the report; those of other packages come last."""
    return _found().steps


def broken_steps() -> Mapping[str, str]:
    """The steps of other packages that cannot be loaded, each with the reason."""
    return _found().broken


class _Found(NamedTuple):
    steps: Mapping[str, type[Step]]
    broken: Mapping[str, str]


@cache
def _found() -> _Found:
    found: dict[str, type[Step]] = {}
    broken: dict[str, str] = {}
    found.update({name: load_named(path) for name, path in STEPS.items()})
    for point in entry_points(group=GROUP):
        if point.name in found:
            continue
        owner = f"the package {point.dist.name}" if point.dist else point.value
        try:
            kind = point.load()
        except Exception as error:  # whatever another package does wrong, studies without its step go on
            broken[point.name] = f"{owner} cannot be loaded ({type(error).__name__}: {error}). Repair or remove it."
            continue
        if isinstance(kind, type) and issubclass(kind, Step):
            found[point.name] = kind
        else:
            broken[point.name] = f"{owner} registers {point.value}, which is not a Step. Repair or remove it."
    return _Found(found, broken)
