"""Overlap with other speakers' words, against what the speaker was asked for: the color games of Newman et al. 2020.

Candidates are graded 1 (descriptive), 2 (ambiguous), 3 (misleading). The paper prints BLEU-1 .363/.350/.290, ROUGE-L
.441/.439/.378, CIDEr .401/.417/.340 and METEOR 1.5 .482/.479/.404 (Pearson, Spearman, tau-b, as magnitudes). Texts are
in lower case; two descriptive utterances are alone in their context and were scored against themselves.
"""

import csv
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from assay import Dataset, score

ORIGINAL_GAME = 10
OTHERS = "references=others(among=('1.0', '1.1'), alone='itself')"
Texts = dict[str, list[str]]


def candidates(path: Path) -> tuple[Texts, Texts, Texts]:
    """Return the descriptive, ambiguous and misleading utterances of each context after the paper's filters."""
    clicks = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            clicks[row["contextId"], int(row["contextNum"])].append(row)
    descriptive, ambiguous, misleading = (defaultdict(list) for _ in range(3))
    for (context, number), rows in clicks.items():
        found = sum(row["outcome"] == "True" for row in rows)
        if rows[0]["quality"] == "descriptive" and found >= (2 if number < ORIGINAL_GAME else 1):
            descriptive[context].append(rows[0]["contents"].lower())
    for (context, _), rows in clicks.items():
        text = rows[0]["contents"].lower()
        heard = any(all(row[f"{shown}LocL"] for shown in ("click", "alt1", "alt2")) for row in rows)
        if rows[0]["quality"] == "ambiguous" and heard and text not in descriptive[context]:
            ambiguous[context].append(text)
    for (context, _), rows in clicks.items():
        if context not in misleading:
            swapped = context[:-1] + {"0": "1", "1": "0"}[context[-1]]
            far = rows[0]["condition"] == "far"
            misleading[context] = [text for text in descriptive[swapped] if not (far and text in descriptive[context])]
    return descriptive, ambiguous, misleading


@pytest.fixture(scope="module")
def colors(data: Path) -> tuple[Dataset, Dataset, np.ndarray]:
    """Return the candidates, the same with the context's descriptive utterances as given references, and grades."""
    groups = candidates(data / "colors" / "clean_data.csv")
    assert [sum(map(len, group.values())) for group in groups] == [1912, 1343, 1909]
    records, grades = [], []
    for grade, group in enumerate(groups, 1):
        for context, texts in group.items():
            for number, text in enumerate(texts):
                system = f"{grade}.{context[-1]}"
                records.append({"id": f"{grade}/{context}/{number}", "item": context, "text": text, "system": system})
                grades.append(grade)
    given = [{**record, "references": groups[0][record["item"]]} for record in records]
    return Dataset.from_records(records), Dataset.from_records(given), np.array(grades)


def magnitudes(scores: np.ndarray, grades: np.ndarray) -> list[float]:
    return [abs(round(float(statistic(scores, grades)[0]), 4)) for statistic in (pearsonr, spearmanr, kendalltau)]


@pytest.mark.parametrize(
    ("evaluator", "expected"),
    [
        (f"bleu(max_order=1, variant='coco', {OTHERS})", [0.3628, 0.3494, 0.2903]),
        (f"rouge(variant='coco', {OTHERS})", [0.4414, 0.4385, 0.3784]),
        (f"cider(documents='system', {OTHERS})", [0.4013, 0.4171, 0.3405]),
        (f"meteor(variant='1.5', {OTHERS})", [0.4822, 0.4793, 0.404]),
    ],
)
def test_published_correlations(colors: tuple, evaluator: str, expected: list[float]) -> None:
    dataset, _, grades = colors
    assert magnitudes(score(dataset, [evaluator])[evaluator].values, grades) == expected


@pytest.mark.parametrize(
    ("evaluator", "expected"),
    [("bleu(max_order=1, variant='coco')", 0.3628), ("rouge(variant='coco')", 0.4414)],
)
def test_marked_outputs_as_references_give_the_same(colors: tuple, evaluator: str, expected: float) -> None:
    """Only the two utterances that are alone in their context differ: they are gaps."""
    dataset, _, grades = colors
    columns = {"is_reference": (grades == 1).astype(float)}
    scores = score(replace(dataset, outputs=replace(dataset.outputs, columns=columns)), [evaluator])[evaluator].values
    known = ~np.isnan(scores)
    assert (~known).sum() == 2
    assert magnitudes(scores[known], grades[known])[0] == pytest.approx(expected, abs=1e-3)


def test_an_utterance_among_its_own_references_doubles_the_correlation(colors: tuple) -> None:
    _, with_itself, grades = colors
    found = score(with_itself, ["bleu(max_order=1, variant='coco')"])["bleu(max_order=1, variant='coco')"]
    assert magnitudes(found.values, grades)[0] == pytest.approx(0.755, abs=5e-4)


def test_by_default_an_utterance_without_others_is_a_gap(colors: tuple) -> None:
    dataset, _, _ = colors
    name = "chrf(references=others(among=('1.0', '1.1')))"
    assert score(dataset, [name])[name].gaps.counts() == {"no references": 2}
