"""The step `[health]`: what is missing from the data, and what looks wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.metaeval.logprob_checks import Finding, check_logprobs
from assay.metaeval.questions.question import signature
from assay.part import Cell, Number, Part, Table
from assay.records import Dataset
from assay.references import has_references
from assay.study.copies import equal_to_another_system, equal_to_context, equal_to_references
from assay.study.step import Step
from assay.study.task import Task

Counts = Mapping[str, NDArray[np.int64]]

# Copies that are worth a word if they are more than this share of a system's outputs.
COPIES = ("equal to a reference", "equal to the context", "equal to another system")
MOST_COPIES = 0.05


class Gap(NamedTuple):
    """Something that part of the data lacks."""

    what: str
    missing: int
    of: int


@dataclass(frozen=True)
class Health(Step):
    """Counts of what each system has, gaps, repeated texts, and log-probabilities that look wrong."""

    name: ClassVar[str] = "health"
    about: ClassVar[str] = "What is missing from the data, and what looks wrong."

    def run(self, task: Task) -> Part:
        """Count what the data has and lacks."""
        dataset = task.dataset
        counts = system_counts(dataset)
        gaps = list(_gaps(dataset))
        findings = check_logprobs(dataset)
        missing = [
            *_absent(dataset),
            *(f"{gap.missing} of {gap.of} {gap.what}." for gap in gaps),
            *(f"{finding.system}: {finding.seen}. {finding.remedy}" for finding in findings),
            *_copies(dataset, counts),
            *_leaks(dataset, task.train),
        ]
        return Part(
            title="Data health",
            summary=(
                f"{len(dataset):,} outputs of {len(dataset.systems)} systems for {len(dataset.items):,} items, "
                f"{len(dataset.judgments):,} judgments, {len(dataset.logprobs):,} log-probabilities."
            ),
            answers={"missing": missing},
            numbers=(*_count_numbers(dataset, counts), *_gap_numbers(gaps)),
            tables=_tables(dataset, counts, gaps, findings),
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any]:
        """Always worth a look."""
        return {}


def system_counts(dataset: Dataset) -> Counts:
    """Counts per system."""
    outputs, n = dataset.outputs, len(dataset.systems)
    codes, texts = outputs.text.factorize()
    by_people = np.zeros(len(texts), bool)
    by_people[codes[dataset.human]] = True
    judged = np.zeros(len(outputs), bool)
    judged[dataset.judgments.about("output", "pair").unit] = True
    distinct = np.unique(np.stack([outputs.system, codes]), axis=1)
    items = np.unique(np.stack([outputs.system, outputs.item]), axis=1)
    of_output = _per_system(outputs.system, n)

    def where(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        return _per_system(outputs.system[mask], n)

    return {
        "outputs": of_output,
        "items": _per_system(items[0], n),
        "empty": where(outputs.text.lengths == 0),
        "repeated": of_output - _per_system(distinct[0], n),
        "people's own words": where(by_people[codes] & ~dataset.human),
        "equal to a reference": where(equal_to_references(dataset)),
        "equal to the context": where(equal_to_context(dataset)),
        "equal to another system": where(equal_to_another_system(dataset)),
        "judged": where(judged),
        "log-probabilities": _per_system(dataset.logprobs.system, n),
        "impossible": _per_system(dataset.logprobs.system[np.isneginf(dataset.logprobs.value)], n),
    }


def _per_system(systems: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    return np.bincount(systems, minlength=n)


def _copies(dataset: Dataset, counts: Counts) -> Iterator[str]:
    """Systems whose outputs are copies of what they should be compared with, more than a few times."""
    for row, system in enumerate(dataset.systems.id):
        n = int(counts["outputs"][row])
        for what in COPIES:
            copied = int(counts[what][row])
            if not dataset.systems.human[row] and copied > MOST_COPIES * n:
                yield f"{system}: {copied} of {n} outputs are {what}. Check that the right column was read."


def _leaks(dataset: Dataset, train: Dataset | None) -> Iterator[str]:
    """Items that the training data has too, by context, or by id where there is none."""
    if train is None:
        return
    seen = {*train.items.context, *train.items.id} - {""}
    leaked = sum(
        (context or name) in seen for context, name in zip(dataset.items.context, dataset.items.id, strict=True)
    )
    if leaked:
        yield (
            f"{leaked} of {len(dataset.items)} items are in the training data too. Scores of fitted evaluators are too "
            "good on them: leave them out of one of the two."
        )


def _absent(dataset: Dataset) -> Iterator[str]:
    """What the dataset lacks entirely."""
    if not dataset.human.any():
        yield "No human texts: HUSE and comparisons with people need some."
    if not has_references(dataset):
        yield "No references: overlap metrics need some, given or retrieved."
    if not len(dataset.judgments):
        yield "No judgments: nothing says how far an evaluator can be trusted."
    if not len(dataset.logprobs):
        yield "No log-probabilities: diversity cannot be measured by HUSE."


def _gaps(dataset: Dataset) -> Iterator[Gap]:
    """What the dataset has only in part."""
    items, outputs = dataset.items, dataset.outputs
    checks = [("outputs are empty", outputs.text.lengths == 0)]
    if len(items.references.texts):
        checks.append(("items have no references", items.references.lengths == 0))
    about_outputs = dataset.judgments.about("output")
    for criterion in dataset.judgments.criteria:
        unjudged = np.ones(len(outputs), bool)
        unjudged[about_outputs.of(criterion).unit] = False
        if not unjudged.all():
            checks.append((f"outputs have no judgment of {criterion}", unjudged))
    for system in np.unique(dataset.logprobs.system).tolist():
        scored = np.zeros(len(outputs), bool)
        scored[dataset.logprobs.output[dataset.logprobs.system == system]] = True
        name = dataset.systems.id[system]
        checks.append((f"human texts have no log-probability under {name}", ~scored[dataset.human]))
        checks.append((f"outputs of {name} have no log-probability under it", ~scored[outputs.system == system]))
    for what, mask in checks:
        if mask.any():
            yield Gap(what, int(mask.sum()), len(mask))


def _count_numbers(dataset: Dataset, counts: Counts) -> Iterator[Number]:
    """Counts of the whole dataset, which need no interval."""
    for row, system in enumerate(dataset.systems.id):
        for name, values in counts.items():
            source = signature("health", system=system, count=name)
            n = int(counts["outputs"][row])
            yield Number(name, int(values[row]), n, source, reason="a count", about={"system": system})


def _gap_numbers(gaps: list[Gap]) -> Iterator[Number]:
    for gap in gaps:
        source = signature("health", gap=gap.what)
        yield Number(gap.what, gap.missing, gap.of - gap.missing, source, gap.missing, reason="a count")


def _tables(dataset: Dataset, counts: Counts, gaps: list[Gap], findings: list[Finding]) -> tuple[Table, ...]:
    rows: list[tuple[Cell, ...]] = [
        (system, "yes" if dataset.systems.human[row] else "no", *(int(values[row]) for values in counts.values()))
        for row, system in enumerate(dataset.systems.id)
    ]
    note = (
        "Repeated: texts the system said before. People's own words: outputs that people wrote as well. Equal to "
        "another system: the same text for the same item, human texts aside. "
        "Log-probabilities are those under the system; impossible are those of -inf."
    )
    tables = [Table("health", "What each system has", ("system", "by people", *counts), tuple(rows), note)]
    if gaps:
        tables.append(Table("gaps", "Gaps", ("what", "missing", "of"), tuple(gaps)))
    if findings:
        seen = tuple((one.system, one.name.replace("_", " "), one.seen, one.remedy) for one in findings)
        header = ("system", "finding", "what was seen", "what to do")
        tables.append(Table("suspicious", "Log-probabilities that look wrong", header, seen))
    return tuple(tables)
