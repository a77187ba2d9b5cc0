"""The steps of the study that are about testers; the others are those of any study."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import nan
from typing import Any, ClassVar

from assay.analyses.meta import meta
from assay.analyses.originality import originality
from assay.analyses.words import counted, listed
from assay.io import load
from assay.part import Cell, Part, Table
from assay.records import Dataset
from assay.study.step import Step
from assay.study.task import Task
from assay.tester_study.findings import READERS, findings_part, generators_of, system_table
from assay.tester_study.testers import Tester


@dataclass(frozen=True)
class OwnStep(Step):
    """A step that no study file names."""

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """Only a testbed has it."""
        return None


@dataclass(frozen=True)
class Testers(OwnStep):
    """Which testers there are, how well they learnt, and why others are missing."""

    name: ClassVar[str] = "testers"
    about: ClassVar[str] = "The generators of the testbed."

    testers: tuple[Tester, ...]

    def run(self, task: Task) -> Part:
        """Tell of each tester."""
        return testers_part(self.testers, task.dataset)


@dataclass(frozen=True)
class Findings(OwnStep):
    """What can be said of the paper's findings without people."""

    name: ClassVar[str] = "findings"
    about: ClassVar[str] = "The findings of the study of reviews, asked of these generators."

    def run(self, task: Task) -> Part:
        """Ask them."""
        return findings_part(system_table(task), task.dataset, task.seed)


@dataclass(frozen=True)
class Matrix(OwnStep):
    """Every two evaluators over the generators."""

    name: ClassVar[str] = "matrix"
    about: ClassVar[str] = "How evaluators agree with each other over the generators."

    def run(self, task: Task) -> Part:
        """Correlate every two columns of the systems."""
        generators = generators_of(system_table(task), task.dataset)
        part = meta(
            generators, target=READERS, levels=("system",), statistics=("kendall",), test="none", seed=task.seed
        )
        note = "The target is a simulated panel: agreement with it is not agreement with people."
        # What may be said of trust stands in the findings.
        return replace(part, title="Matrix of evaluators", summary=note, answers={})


@dataclass(frozen=True)
class Originality(OwnStep):
    """What testers copied from the texts they learnt from."""

    name: ClassVar[str] = "originality"
    about: ClassVar[str] = "What generators copied, and how much they repeat themselves."

    train: str
    fingerprint: str

    def run(self, task: Task) -> Part:
        """Compare texts with those that the testers learnt from."""
        return originality(task.dataset, load(self.train), seed=task.seed)


def testers_part(testers: tuple[Tester, ...], dataset: Dataset) -> Part:
    """A row for each tester."""
    rows: list[tuple[Cell, ...]] = []
    for one in testers:
        learnt = one.training
        perplexities = [learnt.get(name, nan) for name in ("perplexity", "perplexity_of_trigrams")]
        rows.append((one.name, one.about, ", ".join(one.systems), learnt.get("texts"), *perplexities, one.reason))
    missing = [one.name for one in testers if one.reason]
    n_human = int(dataset.human.sum())
    header = ("tester", "what it is", "systems", "texts", "perplexity", "of trigrams", "why not")
    return Part(
        title="Testers",
        summary=(
            f"{counted(len(testers) - len(missing), 'generator')} learnt from one half of the human texts; the judges "
            f"see the other half, {counted(n_human, 'text')}. Perplexity is per word, on a tenth of the texts that was "
            "held out; beside it that of word trigrams with the same vocabulary."
        ),
        answers={"missing": [f"Not trained, for the reasons in the table: {listed(missing)}."] if missing else []},
        tables=(Table("testers", "The generators", header, tuple(rows)),),
        methods=tuple(f"{one.name}: {json.dumps(one.training, sort_keys=True)}" for one in testers if one.training),
    )
