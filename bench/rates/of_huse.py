"""HUSE: intervals over items, and what is words of a system.

Items make texts likelier and better liked, and annotators are strict or kind. Intervals are held to what is expected
of a study of the same size. "Lacks" is false of a system equal to people, and of diversity where only quality differs;
"near people" is false where HUSE of a large study lies below the margin.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from assay.analyses.huse.part import LOW, p_of_parts, sentence
from assay.analyses.huse.systems import SystemHuse, measure_system
from assay.evaluators.huse.measure import Rules
from bench.rates.huse_worlds import EQUAL, LITTLE_OFF, LOW_TEMPERATURE, WORSE, World, expected
from bench.rates.rate import Rate

LARGE = 1000
Trial = Callable[[np.random.Generator], bool | None]


@cache
def _study(world: World, n: int, number: int, intervals: bool) -> SystemHuse:
    """One study; the measures of it share it, since each rate draws the same numbers."""
    problem = world.problem(np.random.default_rng(number), n)
    return measure_system("it", problem, None, Rules(), intervals, seed=0)


def covers(world: World, n: int, name: str) -> Trial:
    """Whether the interval of a measure holds what is expected of studies of this size."""

    def trial(rng: np.random.Generator) -> bool | None:
        interval = _study(world, n, int(rng.integers(1 << 60)), True).interval[name]
        return None if np.isnan(interval.low) else interval.low <= expected(world, n)[name] <= interval.high

    return trial


def blames(world: World, n: int, what: str) -> Trial:
    """Whether a system is said to lack something."""

    def trial(rng: np.random.Generator) -> bool:
        entry = _study(world, n, int(rng.integers(1 << 60)), False)
        words = sentence(entry, p_of_parts(entry))
        return " lacks " in words and what in words

    return trial


def praises(world: World, n: int) -> Trial:
    """Whether a system is said to be near people though HUSE of a large study is below the margin."""

    def trial(rng: np.random.Generator) -> bool:
        entry = _study(world, n, int(rng.integers(1 << 60)), True)
        words = sentence(entry, p_of_parts(entry))
        return "near people in both" in words and expected(world, LARGE)["huse"] < LOW

    return trial


def _coverage(world: str, where: World, n: int) -> list[Rate]:
    return [
        Rate(world, f"`assay huse`, {label}", f"{2 * n} outputs", "coverage", covers(where, n, name), "the same method")
        for name, label in (("huse", "HUSE"), ("huse_q", "HUSE-Q"), ("huse_d", "HUSE-D"))
    ]


SAME = "a system equal to people, item and annotator effects"
SENTENCE = "report, what a system lacks"
NEAR = "report, near people in both"
BELOW = "less varied texts, HUSE below the margin"

RATES = [
    *_coverage(SAME, EQUAL, 50),
    *_coverage(SAME, EQUAL, 100),
    *_coverage(SAME, EQUAL, 500),
    *_coverage("a system a little off, item and annotator effects", LITTLE_OFF, 50),
    Rate(SAME, SENTENCE, "20 outputs each", "false sentences", blames(EQUAL, 20, ""), "15.3%"),
    Rate(SAME, SENTENCE, "50 outputs each", "false sentences", blames(EQUAL, 50, ""), "10.8%"),
    Rate(SAME, SENTENCE, "100 outputs each", "false sentences", blames(EQUAL, 100, ""), "2.5%"),
    Rate(SAME, SENTENCE, "200 outputs each", "false sentences", blames(EQUAL, 200, ""), "1.8%"),
    Rate(
        "worse texts, as varied as people's",
        "report, lacks diversity",
        "50 outputs each",
        "false sentences",
        blames(WORSE, 50, "diversity"),
        "0.0%",
    ),
    Rate(BELOW, NEAR, "50 outputs each", "false sentences", praises(LOW_TEMPERATURE, 50), "57.0%"),
    Rate(BELOW, NEAR, "100 outputs each", "false sentences", praises(LOW_TEMPERATURE, 100), "69.0%"),
]
