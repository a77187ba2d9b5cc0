"""The step `[annotate]`: the study of annotators whose store is the data, as it stands while `assay run` reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from assay.annotate.standing import standing
from assay.annotate.store import store_of
from assay.errors import AssayError
from assay.io.special.judgment_stores import is_store
from assay.part import Part
from assay.records import Dataset
from assay.study.step import Step
from assay.study.task import Task

UNITS = "units"


@dataclass(frozen=True)
class Annotate(Step):
    """How far the annotators are, how they work, whether they agree, and the systems so far."""

    name: ClassVar[str] = "annotate"
    about: ClassVar[str] = "How far the annotators are, how they work, and whether they agree. Its store is the data."

    protocol: str = ""
    store: str = ""

    def __post_init__(self) -> None:
        if not self.protocol and not self.store:
            raise AssayError('name the study of annotators: protocol = "protocol.toml", or store = "protocol.sqlite".')
        if self.store and not is_store(self.store):
            raise AssayError(f'store is {self.store!r}. Name an SQLite file, "NAME.sqlite", or "postgresql://...".')
        if self.protocol and Path(self.protocol).suffix != ".toml":
            raise AssayError(f"protocol is {self.protocol!r}. Name the TOML file that `assay annotate serve` serves.")

    def data(self) -> str:
        """The store: the one named, or the one beside the protocol."""
        return self.store or store_of(Path(self.protocol))

    def run(self, task: Task) -> Part:
        """Report how the study of annotators stands now."""
        (where,) = task.sources
        part = standing(where)
        # A row per unit is for whoever runs the study, not for its report; other steps have tables of these names.
        tables = [replace(one, name=f"collected {one.name}") for one in part.tables if one.name != UNITS]
        return replace(part, title="Human judgment", tables=tuple(tables))

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """Data alone does not say where it is collected; `assay init` proposes the step for a store."""
        return None
