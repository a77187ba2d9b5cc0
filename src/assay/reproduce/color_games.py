"""The candidates of Newman et al. (2020) as games: three colors, a target, and the clicks of listeners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.points.colors import ciede2000, lab_of_rgb
from assay.records import Dataset
from assay.records.choices import CHOICE
from assay.reproduce.communication import Grouped, Utterance
from assay.text.colors import rgb_of_text

CLOSE = 20.0
"""Colors that differ by less (CIEDE2000) are close, as in the game of Monroe et al. (2017)."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """Candidates as games, in the order of `communication.graded`.

    Attributes:
        games: one item for each triple of colors and target; the ids of outputs are those of `graded`.
        grade: 1 descriptive, 2 ambiguous, 3 misleading.
        triple: the number of the context's triple of colors, which two contexts share.
        labeled: the condition as the data labels it.
        derived: the condition as the color differences give it.
    """

    games: Dataset
    grade: NDArray[np.float64]
    triple: NDArray[np.int64]
    labeled: NDArray[np.str_]
    derived: NDArray[np.str_]


def candidate_games(dataset: Dataset, groups: tuple[Grouped, Grouped, Grouped]) -> Candidates:
    """Put every candidate before its three colors.

    An utterance of the original game is about its own colors, which are mostly not the context's; where it is used to
    mislead, the target is its first distractor, as for all misleading utterances.
    """
    contexts = {item: row for row, item in enumerate(dataset.items.id)}
    clicks = _clicks(dataset)
    records, grades, triples, labeled, derived = [], [], [], [], []
    for grade, group in enumerate(groups, 1):
        for context, utterances in group.items():
            for number, utterance in enumerate(utterances):
                game = _game(dataset, contexts[context], utterance, misleading=grade == 3)
                name = {"id": f"{grade}/{context}/{number}", "system": f"{grade}.{context[-1]}"}
                records.append({**name, "text": utterance.text, "judgments": clicks.get(utterance.row, []), **game})
                grades.append(float(grade))
                triples.append(int(context.partition(".")[0].removeprefix("ci")))
                labeled.append(str(dataset.items.columns["condition"][contexts[context]]))
                derived.append(derived_condition(game["choices"], game["target"]))
    return Candidates(
        Dataset.from_records(records),
        np.array(grades),
        np.unique(triples, return_inverse=True)[1],
        np.array(labeled),
        np.array(derived),
    )


def derived_condition(choices: list[str], target: int) -> str:
    """far: no two colors are close; split: one distractor is close to the target; close: both are."""
    lab = lab_of_rgb(np.stack([rgb_of_text(choice) for choice in choices]))
    to_target = np.delete(ciede2000(lab, lab[target]), target)
    others = np.delete(lab, target, axis=0)
    near = int((to_target < CLOSE).sum())
    if near == 0:
        return "far" if ciede2000(others[0], others[1]) >= CLOSE else "distractors close"
    return "close" if near == 2 else "split"


def contradicted_contexts(dataset: Dataset) -> tuple[int, int, int]:
    """How many contexts have another condition than the colors give, or than the file's differences; and all."""
    items = [row for row, item in enumerate(dataset.items.id) if "/" not in item]
    columns = dataset.items.columns
    by_colors = by_file = 0
    for row in items:
        label = columns["condition"][row]
        by_colors += derived_condition(dataset.items.choices[row], int(dataset.items.target[row].argmax())) != label
        near = sum(float(columns[name][row]) <= CLOSE for name in ("targetD1Diff", "targetD2Diff", "D1D2Diff"))
        by_file += {3: "close", 0: "far"}.get(near, "split") != label
    return by_colors, by_file, len(items)


def _game(dataset: Dataset, context: int, utterance: Utterance, *, misleading: bool) -> dict[str, Any]:
    """The item of a candidate, and the choice that the utterance describes."""
    own = int(dataset.outputs.item[utterance.row])
    described = int(dataset.items.target[own].argmax())
    if utterance.original:
        first_distractor = int(dataset.items.columns["distr1"][own])
        item, target = own, first_distractor if misleading else described
    else:
        item, target = context, int(dataset.items.target[context].argmax())
    name = f"{dataset.items.id[item]}{'~' if utterance.original and misleading else ''}"
    return {"item": name, "choices": dataset.items.choices[item], "target": target, "described": float(described)}


def _clicks(dataset: Dataset) -> dict[int, list[dict[str, Any]]]:
    """The clicks on each utterance, as judgments."""
    table, clicks = dataset.judgments, {}  # type: ignore[var-annotated]
    chosen = np.asarray(table.columns[CHOICE], np.float64)
    for row, unit in enumerate(table.unit.tolist()):
        judgment = {"annotator": table.annotators[int(table.annotator[row])], "criterion": "target"}
        clicks.setdefault(unit, []).append({**judgment, "value": float(table.value[row]), CHOICE: int(chosen[row])})
    return clicks
