"""Table 1 of Newman et al. (2020): correlation of metrics with the intended quality of color descriptions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from assay.errors import MissingExtra
from assay.io import load
from assay.kernels.ragged import Ragged
from assay.kernels.statistics.correlation import kendall_b, pearson, spearman
from assay.records import Dataset
from assay.reproduce.cells import Cell
from assay.run import score

PAPER = "Communication (Newman et al. 2020)"
TABLE = "Table 1"
ORIGINAL_GAME = 10
"""Utterances of the original game have this `contextNum` or a higher one; they had one listener, the others three."""

STATISTICS = {"Pearson": pearson, "Spearman": spearman, "Kendall": kendall_b}
OTHERS = "references=others(among=('1.0', '1.1'), alone='itself')"
ROWS = {
    "BLEU-1": (f"bleu(max_order=1, variant='coco', {OTHERS})", ("0.363", "0.350", "0.290")),
    "ROUGE-L": (f"rouge(variant='coco', {OTHERS})", ("0.441", "0.439", "0.378")),
    "METEOR": (f"meteor(variant='1.5', {OTHERS})", ("0.482", "0.479", "0.404")),
    "CIDEr": (f"cider(documents='system', {OTHERS})", ("0.401", "0.417", "0.340")),
}
HUMAN = ("0.701", "0.701", "0.661")
NOTEBOOK = "the notebook that the authors publish prints .349, as we do"


@dataclass(frozen=True)
class Utterance:
    """A description of a target, whether each of its listeners clicked the target, and its row in the data."""

    text: str
    clicks: tuple[float, ...]
    original: bool
    row: int


Grouped = Mapping[str, list[Utterance]]


def cells() -> Iterator[Cell]:
    """Absolute correlations of scores with grades: 1 descriptive, 2 ambiguous, 3 misleading."""
    groups = candidates(load("data:colors/utterances"))
    dataset, grades = graded(groups)
    clicks, grade_of_click = click_grades(groups)
    yield from _row("human listener, per click", HUMAN, clicks, grade_of_click)
    for row, (evaluator, published) in ROWS.items():
        try:
            scores = score(dataset, [evaluator])[evaluator].values
        except MissingExtra as error:
            yield from (Cell(PAPER, TABLE, row, column, "", nan, str(error)) for column in STATISTICS)
            continue
        yield from _row(row, published, scores, grades)


def _row(
    row: str, published: tuple[str, ...], scores: NDArray[np.float64], grades: NDArray[np.float64]
) -> Iterator[Cell]:
    for (column, statistic), printed in zip(STATISTICS.items(), published, strict=True):
        note = NOTEBOOK if (row, column) == ("BLEU-1", "Spearman") else ""
        yield Cell(PAPER, TABLE, row, column, printed, abs(statistic(scores, grades)), note, "measured" if note else "")


def candidates(dataset: Dataset) -> tuple[Grouped, Grouped, Grouped]:
    """The descriptive, ambiguous and misleading utterances of each context after the paper's filters."""
    clicks: dict[int, list[float]] = defaultdict(list)
    for unit, value in zip(dataset.judgments.unit.tolist(), dataset.judgments.value.tolist(), strict=True):
        clicks[unit].append(value)
    descriptive, ambiguous, misleading = (defaultdict(list) for _ in range(3))
    context_of, number_of = dataset.items.columns["contextId"], dataset.outputs.columns["contextNum"]
    condition_of, quality_of = dataset.items.columns["condition"], dataset.outputs.columns["quality"]
    far: dict[str, bool] = {}
    vague = []
    for row, (text, item) in enumerate(zip(dataset.outputs.text, dataset.outputs.item.tolist(), strict=True)):
        context, target_clicks = str(context_of[item]), tuple(clicks[row])
        far.setdefault(context, condition_of[item] == "far")
        original = float(number_of[row]) >= ORIGINAL_GAME
        utterance = Utterance(text.lower(), target_clicks, original, row)
        if quality_of[row] == "descriptive" and sum(target_clicks) >= (1 if original else 2):
            descriptive[context].append(utterance)
        elif quality_of[row] == "ambiguous" and target_clicks:
            vague.append((context, utterance))
    texts = {context: {u.text for u in utterances} for context, utterances in descriptive.items()}
    for context, utterance in vague:
        if utterance.text not in texts.get(context, ()):
            ambiguous[context].append(utterance)
    for context in far:
        swapped = descriptive[context[:-1] + {"0": "1", "1": "0"}[context[-1]]]
        misleading[context] = [u for u in swapped if not (far[context] and u.text in texts.get(context, ()))]
    return descriptive, ambiguous, misleading


def graded(groups: tuple[Grouped, Grouped, Grouped]) -> tuple[Dataset, NDArray[np.float64]]:
    """All candidates as outputs of a system per grade and swap, and their grades."""
    records, grades = [], []
    for grade, group in enumerate(groups, 1):
        for context, utterances in group.items():
            for number, utterance in enumerate(utterances):
                system = f"{grade}.{context[-1]}"
                name = f"{grade}/{context}/{number}"
                records.append({"id": name, "item": context, "text": utterance.text, "system": system})
                grades.append(float(grade))
    return Dataset.from_records(records), np.array(grades)


def click_grades(groups: tuple[Grouped, Grouped, Grouped]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Every click of the study (not of the original game) with the grade of its utterance: 1 if it hit the target.

    Misleading utterances are the descriptive ones of the swapped context: a click on their own target misses this one
    and counts as 0; any other counts as 1, as in the paper.
    """
    descriptive, ambiguous, _ = groups
    descriptive_clicks = _clicks(descriptive)
    parts = (descriptive_clicks, _clicks(ambiguous), 1.0 - descriptive_clicks)
    return np.concatenate(parts), np.repeat([1.0, 2.0, 3.0], [len(part) for part in parts])


def _clicks(group: Grouped) -> NDArray[np.float64]:
    of_study = (utterance for utterances in group.values() for utterance in utterances if not utterance.original)
    return np.array([click for utterance in of_study for click in utterance.clicks])


def clicks_by_triple(groups: tuple[Grouped, Grouped, Grouped]) -> NDArray[np.int64]:
    """The triple of colors of each click, in the order of `click_grades`."""
    descriptive, ambiguous, _ = groups
    parts = [_triples(descriptive), _triples(ambiguous), _triples(descriptive)]
    return np.unique(np.concatenate(parts), return_inverse=True)[1]


def _triples(group: Grouped) -> list[str]:
    return [
        context.partition(".")[0]
        for context, utterances in group.items()
        for utterance in utterances
        if not utterance.original
        for _ in utterance.clicks
    ]


def with_itself(groups: tuple[Grouped, Grouped, Grouped]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """BLEU-1 where a descriptive candidate stands among its own references: how not to do it. And the grades."""
    dataset, grades = graded(groups)
    references = {context: [u.text for u in utterances] for context, utterances in groups[0].items()}
    records = [
        {"id": name, "text": text, "references": references.get(name.split("/")[1], [])}
        for name, text in zip(dataset.outputs.id, dataset.outputs.text, strict=True)
    ]
    (column,) = score(Dataset.from_records(records), ["bleu(max_order=1, variant='coco')"]).columns.values()
    known = ~np.isnan(column.values)
    return column.values[known], grades[known]


def unfiltered_clicks(
    dataset: Dataset, groups: tuple[Grouped, Grouped, Grouped]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """`click_grades` with every descriptive utterance of the study, whatever its listeners clicked."""
    quality, number = dataset.outputs.columns["quality"], dataset.outputs.columns["contextNum"]
    of_study = np.array(
        [kind == "descriptive" and float(place) < ORIGINAL_GAME for kind, place in zip(quality, number, strict=True)]
    )
    descriptive = dataset.judgments.value[of_study[dataset.judgments.unit]]
    parts = (descriptive, _clicks(groups[1]), 1.0 - descriptive)
    return np.concatenate(parts), np.repeat([1.0, 2.0, 3.0], [len(part) for part in parts])


def clicks_on_target(
    dataset: Dataset, groups: tuple[Grouped, Grouped, Grouped]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """`click_grades` where only a click on the target counts for a misleading utterance: the other reading."""
    swapped = np.array([role == "distr1" for role in dataset.judgments.columns["clickStatus"]], np.float64)
    clicks, grades = click_grades(groups)
    rows = np.array([u.row for utterances in groups[0].values() for u in utterances if not u.original])
    by_output = Ragged.grouped(dataset.judgments.unit, len(dataset))
    clicks[grades == 3.0] = swapped[by_output.take(rows).values]
    return clicks, grades
