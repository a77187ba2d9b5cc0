"""Examples of every generator beside the others' answers, and where each is behind."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from assay.analyses.examples.chosen import DISPUTED, Chosen, chosen_of, disagreement, rank_distance
from assay.analyses.examples.wrong import behind_numbers, behind_the_others, wrong_sentences
from assay.analyses.sources import Data, source_of
from assay.analyses.words import criteria_of
from assay.errors import AssayError
from assay.metaeval.questions.oriented import oriented
from assay.part import Cell, Part, Table
from assay.part.examples import Example, Reply
from assay.records import Dataset
from assay.registry import parse
from assay.run.scoring import ScoringOptions
from assay.scores import ScoreTable

MOST_SYSTEMS = 24  # with examples, and as replies beside one
MOST_REFERENCES = 3
MOST_LETTERS = 1_500  # of a text


def examples(
    data: Data,
    evaluators: Sequence[str],
    *,
    each: int = 1,
    seed: int = 0,
    workers: int = 1,
    **scoring: Unpack[ScoringOptions],
) -> Part:
    """Show the best, worst and most disputed outputs of each system, and say where each generator is behind.

    Args:
        data: a data set.
        evaluators: that score outputs; the first decides what is best and worst.
        each: outputs to show of each kind.
        seed: of everything random.
        workers: threads; the result does not depend on it.
        scoring: how evaluators are scored: `train`, `folds`, `executor`, `cache` and `requests` of `assay.score`.
    """
    source = source_of(data, seed, workers, **scoring)
    dataset = source.dataset
    if dataset is None:
        raise AssayError("examples need texts, and this is a table of scores.")
    if not evaluators:
        raise AssayError("examples need an evaluator to choose by.")
    table = source.score(tuple(dict.fromkeys(evaluators)), "output")
    names = tuple(table.columns)
    score = oriented(table[names[0]])
    dispute, about = _dispute(dataset, table, names)
    shown = np.unique(dataset.outputs.system).tolist()[:MOST_SYSTEMS]
    groups = dataset.outputs_by_system
    chosen = [one for system in shown for one in chosen_of(groups[system], score, dispute, each)]
    tested = behind_the_others(dataset, table)
    with_texts = len(np.unique(dataset.outputs.system))
    cut = f"Examples of {len(shown)} of {with_texts} systems are shown, with answers of these systems beside them."
    return Part(
        title="Examples",
        summary=(
            f"The best and the worst output of each system by {names[0]}, and the one that {about} most about. Each "
            "opens beside the other systems' answers to the same item."
        ),
        answers={"wrong": list(wrong_sentences(dataset, tested))},
        numbers=tuple(behind_numbers(dataset, tested)),
        tables=(_table(dataset, chosen, table[names[0]].values, dispute),),
        examples=tuple(_example(dataset, table, one, shown) for one in chosen),
        methods=tuple(column.signature for column in table.columns.values()),
        notes=(cut,) if len(shown) < with_texts else (),
        seed=seed,
    )


def _dispute(dataset: Dataset, table: ScoreTable, names: Sequence[str]) -> tuple[NDArray[np.float64], str]:
    """How much opinions about each output differ: those of annotators, else of the first two evaluators."""
    criteria = criteria_of([parse(names[0])])
    if criteria:
        apart = disagreement(dataset, criteria[0])
        if (apart > 0).any():
            return apart, "annotators differ"
    if len(names) > 1:
        return rank_distance(oriented(table[names[0]]), oriented(table[names[1]])), f"{names[0]} and {names[1]} differ"
    return np.full(len(dataset), np.nan), "opinions differ"


def _table(
    dataset: Dataset, chosen: Sequence[Chosen], score: NDArray[np.float64], dispute: NDArray[np.float64]
) -> Table:
    outputs = dataset.outputs
    rows: list[tuple[Cell, ...]] = [
        (
            dataset.systems.id[int(outputs.system[one.output])],
            one.why,
            dataset.items.id[int(outputs.item[one.output])],
            float(score[one.output]),
            float(dispute[one.output]),
            _cut(outputs.text[one.output]),
        )
        for one in chosen
    ]
    header = ("system", "example", "item", "score", "disagreement", "text")
    return Table("examples", "Best, worst and disputed outputs", header, tuple(rows))


def _example(dataset: Dataset, table: ScoreTable, one: Chosen, systems: Sequence[int]) -> Example:
    output = dataset.output(one.output)
    item = int(dataset.outputs.item[one.output])
    own = int(dataset.outputs.system[one.output])
    replies = [one.output]
    rows = dataset.outputs_by_item[item]
    for system in systems:
        theirs = rows[dataset.outputs.system[rows] == system]
        if system != own and len(theirs):
            replies.append(int(theirs[0]))
    return Example(
        system=output.system,
        why="most disputed" if one.why == DISPUTED else one.why,
        item=output.item.id,
        context=_cut(output.item.context),
        references=tuple(map(_cut, output.item.references[:MOST_REFERENCES])),
        evaluators=tuple(table.columns),
        replies=tuple(_reply(dataset, table, row) for row in replies),
    )


def _reply(dataset: Dataset, table: ScoreTable, row: int) -> Reply:
    output = dataset.output(row)
    answers: dict[str, list[str]] = {}
    for judgment in output.judgments:
        value = judgment.value
        answers.setdefault(judgment.criterion, []).append(value if isinstance(value, str) else f"{value:g}")
    values = [float(column.values[row]) for column in table.columns.values()]
    return Reply(
        output.system,
        _cut(output.text),
        tuple(None if isnan(value) else value for value in values),
        tuple(f"{criterion}: {', '.join(given)}" for criterion, given in answers.items()),
    )


def _cut(text: str) -> str:
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]} ..."
