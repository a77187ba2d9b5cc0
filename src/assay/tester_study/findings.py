"""Three findings of Garbacea et al. (2019) asked again of other generators, without people.

They found that discriminators rank generators against people, that overlap with human texts agrees with people, and
that generators of low diversity fool people. All three need people's votes. What stands here in their place is said
beside every number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isnan
from typing import NamedTuple

import numpy as np

from assay.analyses.words import counted
from assay.metaeval.questions.correlation import Correlation
from assay.metaeval.questions.question import Question
from assay.metaeval.questions.study import ask
from assay.part import Bounded, Cell, Number, Part, Table
from assay.records import Dataset
from assay.run import score
from assay.scores import Column, ScoreTable
from assay.study.task import Task
from assay.tester_study.readers import CRITERION
from assay.text.strings import Strings

CITE = "Garbacea et al. 2019, Judge the Judges: A Large-Scale Evaluation Study of Neural Language Models"
NEAREST = "references=nearest(k=10, among='human', tokenizer='lower+whitespace')"
OVERLAP = {"BLEU": f"bleu(tokenizer='whitespace', {NEAREST})", "ROUGE-L": f"rouge(variant='coco', {NEAREST})"}
DISCRIMINATORS = {"naive Bayes": "nb", "SVM": "svm"}
OF_SETS = {"Self-BLEU": "self_bleu(tokenizer='whitespace')", "type-token ratio": "type_token_ratio"}
QUALITY = f"human(criterion={CRITERION!r})"
HUSE = {"HUSE by naive Bayes": "huse(quality=nb)"}
READERS = "simulated readers"


class Finding(NamedTuple):
    """A claim of the paper: which evaluator goes with people, in which direction, and how far on its public votes."""

    claim: str
    evaluator: str
    sign: int
    with_people: float


# Kendall's tau-b with single votes over the twelve generators of data:judges/reviews, from `assay reproduce judges`.
FINDINGS = (
    Finding("discriminators rank generators against people", "naive Bayes", -1, -0.68),
    Finding("overlap with human texts agrees with people", "BLEU", 1, 0.67),
    Finding("generators of low diversity fool people", "Self-BLEU", 1, 0.73),
)


def system_table(task: Task) -> ScoreTable:
    """A row per system, people too: what simulated readers, overlap, diversity and discriminators say of it."""
    dataset, names, groups = task.dataset, task.dataset.systems.id, task.dataset.outputs_by_system
    of_texts = task.score([QUALITY, *OVERLAP.values(), *DISCRIMINATORS.values()], "output")
    columns = [replace(of_texts[QUALITY].pooled(groups), name=READERS)]
    columns += [replace(of_texts[call].pooled(groups), name=name) for name, call in OVERLAP.items()]
    for name, call in DISCRIMINATORS.items():
        passed = np.where(np.isnan(of_texts[call].values), np.nan, of_texts[call].values >= 0.5)
        shares = [float(np.nanmean(passed[groups[row]])) for row in range(len(names))]
        columns.append(Column.of(name, shares))
    columns += _of_equal_sets(dataset)
    of_systems = task.score(list(HUSE.values()), "system")
    at = [of_systems.unit.to_list().index(system) for system in names]
    columns += [replace(of_systems[call].take(np.array(at)), name=name) for name, call in HUSE.items()]
    # Every column as it is, none turned round, so that signs are those of the paper.
    turned = {column.name: replace(column, higher_is_better=True, signature="") for column in columns}
    return ScoreTable("system", names, Strings.empty(len(names)), names, turned)


def _of_equal_sets(dataset: Dataset) -> list[Column]:
    """Diversity of as many texts of every system, since it depends on their number."""
    groups = dataset.outputs_by_system
    size = int(np.diff(groups.offsets).min())
    keep = np.zeros(len(dataset), bool)
    keep[np.concatenate([groups[row][:size] for row in range(len(groups))])] = True
    table = score(dataset.select(keep), list(OF_SETS.values()), unit="system")
    rows = np.array([table.unit.to_list().index(system) for system in dataset.systems.id])
    return [replace(table[call].take(rows), name=name) for name, call in OF_SETS.items()]


def generators_of(table: ScoreTable, dataset: Dataset) -> ScoreTable:
    """The table without people."""
    people = {name for name, human in zip(dataset.systems.id, dataset.systems.human, strict=True) if human}
    rows = np.array([row for row, system in enumerate(table.unit) if system not in people])
    columns = {name: column.take(rows) for name, column in table.columns.items()}
    unit, item, system = (column.take(rows) for column in (table.unit, table.item, table.system))
    return replace(table, unit=unit, item=item, system=system, columns=columns)


def findings_part(table: ScoreTable, dataset: Dataset, seed: int) -> Part:
    """Ask the three findings of generators, with simulated readers and with a discriminator in the place of people."""
    generators = generators_of(table, dataset)
    by_readers = _against(generators, READERS)
    by_discriminator = _against(generators, "naive Bayes")
    rows: list[tuple[Cell, ...]] = []
    numbers: list[Number] = []
    sentences: list[str] = []
    for finding in FINDINGS:
        own, other = by_readers[finding.evaluator], by_discriminator.get(finding.evaluator)
        rows.append(
            (
                finding.claim,
                finding.evaluator,
                finding.with_people,
                Bounded(own.value, own.low, own.high),
                _verdict(own, finding),
                Bounded(other.value, other.low, other.high) if other is not None else None,
            )
        )
        numbers.append(Number.of("tau-b with simulated readers", own, "value"))
        sentences.append(_sentence(finding, own))
    n = len(generators.unit)
    return Part(
        title="Findings without people",
        summary=(
            f"{counted(n, 'generator')}. No person was asked about these texts. The simulated readers know which words "
            "follow each other in human texts and nothing else, and what they say of generators comes from that: where "
            "they agree with an evaluator, it rewards the same thing; whether people do is not known. What needs no "
            "people: what is copied or repeated, how diverse the texts are, whether a classifier tells them from "
            "human ones, and how the evaluators agree with each other."
        ),
        answers={
            "trust": sentences,
            "missing": ["Votes of people on these texts: which evaluator to trust cannot be said without them."],
            "next": ["Ask people whether the texts are real, 5 votes a text, and run assay meta with their judgments."],
        },
        numbers=tuple(numbers),
        tables=(
            _systems(table),
            Table(
                "findings",
                "Findings of Garbacea et al. (2019), asked of these generators",
                (
                    *("finding", "evaluator", "with people, on their reviews"),
                    *("with simulated readers", "verdict", "with naive Bayes"),
                ),
                tuple(rows),
                "Kendall's tau-b over generators. The verdict is that of simulated readers, not of people.",
            ),
        ),
        methods=(*dict.fromkeys(own.signature for own in by_readers.values()), CITE),
        seed=seed,
    )


def _against(table: ScoreTable, target: str) -> Mapping[str, Correlation]:
    candidates = tuple(name for name in table.columns if name != target)
    question = Question(target, candidates, ("kendall",), ("system",))
    return {row.candidate: row for row in ask(table, question, None).correlations}


def _verdict(own: Correlation, finding: Finding) -> str:
    if isnan(own.value):
        return own.reason or "not known"
    if isnan(own.low):
        return f"not decided: {counted(own.n, 'generator')}"
    low, high = sorted((finding.sign * own.low, finding.sign * own.high))
    return "as with people" if low > 0 else "the other way" if high < 0 else "not decided"


def _sentence(finding: Finding, own: Correlation) -> str:
    said = {
        "as with people": "the simulated readers agree",
        "the other way": "the simulated readers say the opposite",
    }.get(_verdict(own, finding), "these generators do not decide it for simulated readers")
    return (
        f"“{finding.claim[0].upper()}{finding.claim[1:]}”: {said} (tau-b {own.value:.2f}); of people nothing is known."
    )


def _systems(table: ScoreTable) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (system, *(float(column.values[row]) for column in table.columns.values()))
        for row, system in enumerate(table.unit)
    )
    note = (
        "Simulated readers rate from 0 to 5. Discriminators: the share of texts taken for human. People's own texts "
        "are compared with those of other people. HUSE has the discriminator in the place of judgments."
    )
    return Table("testbed_systems", "What each evaluator says of each system", ("system", *table.columns), rows, note)
