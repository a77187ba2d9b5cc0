"""Steps of a study, registered in `STEPS` or, by other packages, as entry points."""

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

# Step classes, in the order of the report.
STEPS = {
    "annotate": "assay.annotate.step:Annotate",
    "generators": "assay.study.steps.generators:Generators",
    "scores": "assay.study.steps.scores:Scores",
    "examples": "assay.study.steps.examples:Examples",
    "huse": "assay.study.steps.huse:Huse",
    "diversity": "assay.study.steps.diversity:Diversity",
    "communication": "assay.study.steps.communication:Communication",
    "meta": "assay.study.steps.meta:Meta",
    "neighbors": "assay.study.steps.neighbors:Neighbors",
    "discriminators": "assay.study.steps.discriminators:Discriminators",
    "agreement": "assay.study.steps.agreement:Agreement",
    "judge": "assay.study.steps.judge:Judge",
    "replace": "assay.study.steps.replace:Replace",
    "correct": "assay.study.steps.correct:Correct",
    "probe": "assay.study.steps.probe:Probe",
    "contest": "assay.study.steps.contest:ConTest",
    "dectest": "assay.study.steps.contest:DecTest",
    "health": "assay.study.steps.health:Health",
}


class Key(NamedTuple):
    """A key of a step: its type and default (MISSING if required)."""

    kind: Any
    default: Any

    @property
    def required(self) -> bool:
        """Whether the key must be given."""
        return self.default is MISSING

    @property
    def may_be_empty(self) -> bool:
        """Whether an empty list is allowed, which it is if it is the default."""
        return isinstance(self.default, tuple) and not self.default


@dataclass(frozen=True)
class Step(ABC):
    """A table `[name]` of the study file: its fields are the keys, and `run` returns a section of the report.

    Subclasses are frozen dataclasses; a field without a default is a required key.
    """

    name: ClassVar[str]
    about: ClassVar[str]

    def data(self) -> str:
        """The data of the study, where the keys of the step say it instead of `data`."""
        return ""

    @abstractmethod
    def run(self, task: Task) -> Part:
        """Compute the part, from nothing but the data, the keys, the seed and the resamples."""

    @classmethod
    @abstractmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """The keys for a new study file; None if the step does not apply to the data."""

    def evaluator_calls(self) -> list[str]:
        """The evaluators that the keys name."""
        named = [getattr(self, name) for name, key in self.keys().items() if wants_evaluators(key.kind)]
        return [call for value in named if value for call in ([value] if isinstance(value, str) else value)]

    @classmethod
    def keys(cls) -> dict[str, Key]:
        """The keys of the step."""
        hints = get_type_hints(cls, include_extras=True)
        computed = {one.name: one.default_factory() for one in fields(cls) if one.default_factory is not MISSING}
        return {one.name: Key(hints[one.name], computed.get(one.name, one.default)) for one in fields(cls)}


def steps() -> Mapping[str, type[Step]]:
    """All steps by name, in the order of the report; those of other packages come last."""
    return _registered().steps


def broken_steps() -> Mapping[str, str]:
    """The steps of other packages that cannot be loaded, each with the reason."""
    return _registered().broken


class _RegisteredSteps(NamedTuple):
    steps: Mapping[str, type[Step]]
    broken: Mapping[str, str]


@cache
def _registered() -> _RegisteredSteps:
    registered: dict[str, type[Step]] = {name: load_named(path) for name, path in STEPS.items()}
    broken: dict[str, str] = {}
    for point in entry_points(group=GROUP):
        if point.name in registered:
            continue
        owner = f"the package {point.dist.name}" if point.dist else point.value
        try:
            kind = point.load()
        except Exception as error:  # a broken package must not stop studies without its step
            broken[point.name] = f"{owner} cannot be loaded ({type(error).__name__}: {error}). Repair or remove it."
            continue
        if isinstance(kind, type) and issubclass(kind, Step):
            registered[point.name] = kind
        else:
            broken[point.name] = f"{owner} registers {point.value}, which is not a Step. Repair or remove it."
    return _RegisteredSteps(registered, broken)
