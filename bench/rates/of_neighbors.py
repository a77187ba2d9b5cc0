"""Neighbors: prediction intervals of new texts, and whether the estimates are said to be better than trivial ones.

Texts are on topics, longer texts are liked more or less, items and annotators have effects of their own. In the world
of the sentence the length of a text predicts as well as neighbors do, so that "better" is false.
"""

from typing import Any

import numpy as np

from assay.analyses.neighbors.check import Checked, check
from assay.analyses.neighbors.check_part import sentence
from assay.evaluators.neighbors.judged import judged_outputs
from assay.evaluators.neighbors.rule import Rule
from assay.evaluators.neighbors.similarity import Similarity
from assay.records import Dataset
from bench.rates.rate import Rate

TOPICS = np.linspace(-1.4, 1.4, 8)[[3, 0, 6, 1, 7, 4, 2, 5]]
LETTERS = "bcdfghjklmnpqrst"
N_ANNOTATORS, PER_OUTPUT = 10, 3
ALPHA = 0.05
N_NEW = 5


def records(rng: np.random.Generator, n_items: int, per_item: int, of_item: float, of_length: float) -> list[Any]:
    """Outputs whose words give away their topic, judged from 1 to 5 by three of ten annotators."""
    kind = 0.3 * rng.normal(size=N_ANNOTATORS)
    rows = []
    for item in range(n_items):
        topic = int(rng.integers(len(TOPICS)))
        first, last = LETTERS[2 * topic], LETTERS[2 * topic + 1]
        liked = 3 + 0.5 * TOPICS[topic] + of_item * rng.normal()
        for number in range(per_item):
            n_words = int(rng.integers(3, 15))
            vowels = np.array(list("aeiou"))[rng.integers(0, 5, (n_words, 2))]
            quality = liked + of_length * (n_words - 8.5) / 3.5 + 0.6 * rng.normal()
            who = rng.choice(N_ANNOTATORS, PER_OUTPUT, replace=False)
            answers = np.clip(np.rint(quality + kind[who] + 0.5 * rng.normal(size=PER_OUTPUT)), 1, 5)
            rows.append(
                {
                    "id": f"{item}-{number}",
                    "item": str(item),
                    "text": " ".join(first + a + last + b for a, b in vowels),
                    "judgments": [
                        {"annotator": f"w{annotator}", "criterion": "quality", "value": int(answer)}
                        for annotator, answer in zip(who, answers, strict=True)
                    ],
                }
            )
    return rows


def _checked(rows: list[Any], new: list[Any] | None = None) -> Checked:
    known = judged_outputs(Dataset.from_records(rows))
    how = {"alpha": ALPHA, "n_resamples": 200}
    if new is None:
        return check(known, Similarity(), Rule(0.08), **how)
    test = judged_outputs(Dataset.from_records(new), scale=known.scale)
    return check(test, Similarity(), Rule(0.08), train=known, **how)


def covers(n_items: int, per_item: int, of_item: float) -> Any:
    """Whether the interval of a text of a new item holds its quality."""

    def trial(rng: np.random.Generator) -> bool | None:
        rows = records(rng, n_items + N_NEW, per_item, of_item, of_length=0.0)
        checked = _checked(rows[: n_items * per_item], rows[n_items * per_item :])
        covered = np.flatnonzero(checked.estimates.covered)
        if not len(covered):
            return None
        quality = checked.test.quality[covered[0]]
        return bool(checked.low[covered[0]] <= quality <= checked.high[covered[0]])

    return trial


def claims(n_items: int, per_item: int, of_item: float, of_length: float) -> Any:
    """Whether neighbors are said to be better than the length where they are not."""

    def trial(rng: np.random.Generator) -> bool:
        return ", better than" in sentence(_checked(records(rng, n_items, per_item, of_item, of_length)))

    return trial


INTERVAL = "`assay neighbors --train`, 95% interval"
SENTENCE = "report, better than the mean and the length"

RATES = [
    Rate("topics, annotator effects", INTERVAL, "100 items, 1 output", "coverage", covers(100, 1, 0.0), "93.7%"),
    Rate(
        "topics, item and annotator effects", INTERVAL, "30 items, 4 outputs", "coverage", covers(30, 4, 0.6), "92.3%"
    ),
    Rate(
        "length as good, annotator effects",
        SENTENCE,
        "100 items, 1 output",
        "false sentences",
        claims(100, 1, 0.0, 0.44),
        "27.7%",
    ),
    Rate(
        "length as good, item and annotator effects",
        SENTENCE,
        "25 items, 4 outputs",
        "false sentences",
        claims(25, 4, 0.4, 0.5),
        "15.3%",
    ),
]
