"""Steps of a study. A family of evaluators adds one by a line in `STEPS`, or from another package by entry point."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, ClassVar, get_type_hints

from assay.records import Dataset
from assay.report.pieces import Part
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

    @classmethod
    def keys(cls) -> dict[str, tuple[Any, bool]]:
        """The type of each key, and whether it must be given."""
        hints = get_type_hints(cls, include_extras=True)
        return {
            field.name: (hints[field.name], field.default is MISSING and field.default_factory is MISSING)
            for field in fields(cls)
        }


@cache
def steps() -> Mapping[str, type[Step]]:
    """All steps by name, in the order of the report; those of other packages come last."""
    found: dict[str, type[Step]] = {}
    for name, path in STEPS.items():
        module, _, attribute = path.partition(":")
        found[name] = getattr(import_module(module), attribute)
    for point in entry_points(group=GROUP):
        found.setdefault(point.name, point.load())
    return found
