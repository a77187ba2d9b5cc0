"""The step `[health]`: what is missing from the data, and what looks wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.meta.logprob_checks import check_logprobs
from assay.meta.question import signature
from assay.records import JUDGED, Dataset
from assay.report.pieces import Number, Part, Table
from assay.study.step import Step
from assay.study.task import Task


@dataclass(frozen=True)
class Health(Step):
    """Counts of what each system has, and duplicated, empty and unjudged texts."""

    name: ClassVar[str] = "health"
    about: ClassVar[str] = "What is missing from the data, and what looks wrong."

    def run(self, task: Task) -> Part:
        """Count per system what the data has and lacks."""
        dataset = task.dataset
        rows = [self._system(dataset, system) for system in range(len(dataset.systems))]
        header = (
            "system",
            "by people",
            "outputs",
            "items",
            "empty",
            "repeated",
            "judgments",
            "log-probabilities",
            "-inf",
        )
        missing = []
        if not dataset.human.any():
            missing.append("No texts of people: HUSE and comparisons with people need some.")
        if not len(dataset.items.references.texts):
            missing.append("No references: overlap metrics need some, given or retrieved.")
        if not len(dataset.judgments):
            missing.append("No judgments: nothing says how far an evaluator can be trusted.")
        if not len(dataset.logprobs):
            missing.append("No log-probabilities: diversity cannot be measured by HUSE.")
        for row in rows:
            if row[4]:
                missing.append(f"{row[0]} has {row[4]} empty texts.")
            if 0 < row[6] < row[2]:
                missing.append(f"{row[0]} has judgments for only some of its outputs.")
        missing += [f"{found.system}: {found.seen}. {found.remedy}" for found in check_logprobs(dataset)]
        numbers = tuple(number for row in rows for number in _numbers(header, row))
        summary = (
            f"{len(dataset)} outputs of {len(dataset.systems)} systems for {len(dataset.items)} items, "
            f"{len(dataset.judgments)} judgments, {len(dataset.logprobs)} log-probabilities."
        )
        table = Table("health", "What each system has", header, tuple(rows), "Repeated: texts the system said before.")
        return Part("Data health", summary, {"missing": missing}, numbers, tables=(table,))

    @staticmethod
    def _system(dataset: Dataset, system: int) -> tuple[Any, ...]:
        mine = dataset.outputs_by_system[system]
        texts = dataset.outputs.text.take(mine)
        distinct = len(texts.factorize()[1]) if len(texts) else 0
        judged = (dataset.judgments.kind == JUDGED.index("output")) & np.isin(dataset.judgments.unit, mine)
        under = dataset.logprobs.system == system
        return (
            dataset.systems.id[system],
            "yes" if dataset.systems.human[system] else "no",
            len(mine),
            len(np.unique(dataset.outputs.item[mine])),
            int((texts.lengths == 0).sum()),
            len(mine) - distinct,
            int(judged.sum()),
            int(under.sum()),
            int(np.isneginf(dataset.logprobs.value[under]).sum()),
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any]:
        """Always worth a look."""
        return {}


def _numbers(header: Sequence[str], row: Sequence[Any]) -> Iterator[Number]:
    """The counts of one system, which need no interval: they are of all there is."""
    for name, value in zip(header[2:], row[2:], strict=True):
        made = signature("health", system=row[0], count=name)
        yield Number(name, value, row[2], made, reason="a count", about={"system": row[0]})
