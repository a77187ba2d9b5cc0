"""Agreement of evaluators with a target of two values: intervals of Spearman's rho over items and systems.

Either people answer 0 or 1, yes where what they see is above the middle, or half of the systems are people and the
target says which. Near the ceiling that ties put on rho, an interval covers two others, so it may be conservative.
"""

from functools import partial
from math import asin, pi, sqrt

import numpy as np
from scipy.special import ndtr

from assay.metaeval.questions.correlation import correlate
from assay.metaeval.questions.inquiry import Inquiry
from assay.metaeval.questions.question import Question
from assay.scores import Column, ScoreTable
from bench.rates.of_meta import LEANING, World, population_correlation, table
from bench.rates.rate import Rate

KNOWING: World = ((0.4, 0.4, 0.2), (0.05, 0.05, 0.1))
ANSWERS = {"leanings towards items and systems": LEANING, "an evaluator that knows a lot": KNOWING}
SHIFTS = {"knows nothing": 0.0, "knows a little": 0.35, "knows a lot": 1.2}
SIZES = ((5, 40), (8, 30), (12, 30), (20, 20))


def answers_covered(rng: np.random.Generator, n_systems: int, n_items: int, world: World) -> bool | None:
    """Whether the interval holds rho with the answers 0 and 1 of people."""
    scores = table(rng, n_systems, n_items, world, 1)
    target = (scores["human"].values > 0).astype(np.float64)
    shared = population_correlation(world, "output", n_items)
    return _covers(scores, target, 2 * sqrt(3) / pi * asin(shared / sqrt(2)))


def authors_covered(rng: np.random.Generator, n_systems: int, n_items: int, shift: float) -> bool | None:
    """Whether the interval holds rho with whether a person wrote the text; people are half of the systems."""
    leanings = LEANING[1]
    scores = table(rng, n_systems, n_items, ((0.0, 0.0, 0.0), leanings), 1)
    target = np.repeat(np.arange(n_systems) % 2, n_items).astype(np.float64)
    seen = Column.of("e0", scores["e0"].values + shift * (2 * target - 1))
    auc = float(ndtr(sqrt(2) * shift / sqrt(sum(leanings))))
    return _covers(_with(scores, seen), target, sqrt(3) / 2 * (2 * auc - 1))


def _covers(scores: ScoreTable, target: np.ndarray, truth: float) -> bool | None:
    scores = _with(scores, Column.of("human", target))
    (answer,) = correlate(Inquiry(scores, Question("human", statistics=("spearman",), levels=("output",))))
    return None if np.isnan(answer.low) else bool(answer.low <= truth <= answer.high)


def _with(scores: ScoreTable, column: Column) -> ScoreTable:
    return ScoreTable("output", scores.unit, scores.item, scores.system, {**scores.columns, column.name: column})


METHOD = "interval of spearman, output level"
RATES = [
    *(
        Rate(
            f"people answer 0 or 1, {words}",
            METHOD,
            f"{n_systems} systems, {n_items} items",
            "coverage",
            partial(answers_covered, n_systems=n_systems, n_items=n_items, world=world),
            conservative=world is KNOWING,
        )
        for words, world in ANSWERS.items()
        for n_systems, n_items in SIZES
    ),
    *(
        Rate(
            f"half of the systems are people, an evaluator that {words}",
            METHOD,
            f"{n_systems} systems, {n_items} items",
            "coverage",
            partial(authors_covered, n_systems=n_systems, n_items=n_items, shift=shift),
        )
        for words, shift in SHIFTS.items()
        for n_systems, n_items in SIZES[2:]
    ),
]
