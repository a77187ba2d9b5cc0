"""Power from a pilot: what it promises, held against what a study would have."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import nctdtr, stdtrit

from assay.errors import AssayError
from assay.metaeval.planning.pilot import Simulation, plan_from_scores
from assay.scores import Column, ScoreTable
from assay.text.strings import Strings
from bench.rates.rate import Rate

WANTED = 0.8
SIMULATION = Simulation(power=WANTED, n_studies=40, n_permutations=39)


def pilot(rng: np.random.Generator, n_items: int, effect: float) -> ScoreTable:
    """Scores of two systems; items differ, and differences have a standard deviation of 1 and a mean of `effect`."""
    item = rng.normal(size=n_items)
    apart = rng.normal(size=(2, n_items)) / np.sqrt(2.0)
    names = [f"i{k}" for k in range(n_items)]
    return ScoreTable(
        kind="output",
        unit=Strings.of([f"{name}-{side}" for side in "ab" for name in names]),
        item=Strings.of(names * 2),
        system=Strings.of(["a"] * n_items + ["b"] * n_items),
        columns={"score": Column.of("score", np.concatenate([item + effect + apart[0], item + apart[1]]))},
    )


def true_power(effect: float, n: int) -> float:
    """Of the paired t test, which the permutation test equals but for its steps."""
    most = float(stdtrit(n - 1, 0.975))
    moved = effect * np.sqrt(n)
    return float(1.0 - nctdtr(n - 1, moved, most) + nctdtr(n - 1, moved, -most))


def promise(n_items: int, effect: float) -> Callable[[np.random.Generator], bool | None]:
    """Whether a number of items was said to give a power of .8 that it does not give."""

    def trial(rng: np.random.Generator) -> bool | None:
        try:
            plan = plan_from_scores(pilot(rng, n_items, effect), "score", ("a", "b"), simulation=SIMULATION)
        except AssayError:
            return False
        return not effect or true_power(effect, plan.n) < WANTED

    return trial


def stated(n_items: int, effect: float, n: int) -> Callable[[np.random.Generator], bool | None]:
    """Whether the interval of the power of n items holds that power."""

    def trial(rng: np.random.Generator) -> bool | None:
        plan = plan_from_scores(pilot(rng, n_items, effect), "score", ("a", "b"), simulation=SIMULATION, n=n)
        truth = true_power(effect, n)
        return bool(plan.details["power_low"] <= truth <= plan.details["power_high"])

    return trial


SAYS = "power --pilot: so many items give a power of .8"
RATES = [
    Rate("equal systems, items differ", SAYS, "a pilot of 12 items", "false sentences", promise(12, 0.0), "93.0%"),
    Rate("equal systems, items differ", SAYS, "a pilot of 30 items", "false sentences", promise(30, 0.0), "93.0%"),
    Rate("systems .5 apart, items differ", SAYS, "a pilot of 12 items", "false sentences", promise(12, 0.5), "48.5%"),
    Rate("systems .5 apart, items differ", SAYS, "a pilot of 30 items", "false sentences", promise(30, 0.5), "52.5%"),
    Rate(
        "systems .5 apart, items differ",
        "power --pilot --n 40",
        "a pilot of 30 items",
        "coverage",
        stated(30, 0.5, 40),
        "31.3%",
        # The error of 40 simulated studies comes on top of that of the pilot.
        conservative=True,
    ),
]
