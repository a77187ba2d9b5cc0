"""Power by simulation from pilot data, for any evaluator.

A simulated study draws items with replacement from the pilot, each with the scores of both systems, and compares the
systems by a paired permutation test. Power is the share of studies with p below alpha. Additive evaluators are pooled
from their statistics, so a difference of BLEU is a difference of corpus BLEU.

The pilot's difference is itself uncertain (`pilot_effect`): the number of items is enough for the smallest effect that
the pilot does not exclude, and power has an interval from the pilot's error. A pilot that does not exclude equal
systems can only plan for a given difference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, floor, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, ndtr, ndtri

from assay.errors import AssayError, DataError, did_you_mean
from assay.kernels.ragged import running_offsets
from assay.limits import check_share
from assay.metaeval.planning.pilot_effect import PilotEffect, pilot_effect
from assay.metaeval.planning.power import Effort, Plan
from assay.metaeval.votes.votes import Votes
from assay.records import Dataset
from assay.scores import Column, Finish, ScoreTable

MIN_ITEMS = 5
FIRST_SIZE = 8
ROUNDS = 10
SPREAD_DRAWS = 10_000
"""Items drawn to estimate the spread of their differences with so many annotators."""

Draw = Callable[[np.random.Generator, int], tuple[NDArray[np.float64], NDArray[np.float64]]]


@dataclass(frozen=True)
class Simulation:
    """How studies are simulated. The standard error of a power of .8 is .02 with 400 studies.

    `confidence` is that of the pilot's effect.
    """

    alpha: float = 0.05
    power: float = 0.8
    n_studies: int = 400
    n_permutations: int = 199
    most: int = 20_000
    seed: int = 0
    confidence: float = 0.95

    def __post_init__(self) -> None:
        for name in ("alpha", "power", "confidence"):
            check_share(name, getattr(self, name))
        if self.n_studies < 10 or (self.n_permutations + 1) * self.alpha < 1:
            raise AssayError("too few simulated studies, or too few permutations to reach alpha.")


def plan_from_scores(
    table: ScoreTable,
    column: str,
    systems: tuple[str, str],
    *,
    simulation: Simulation | None = None,
    n: int | None = None,
    effect: float | None = None,
    effort: Effort | None = None,
) -> Plan:
    """Items needed to detect the pilot's difference between two systems, or the power of `n` items.

    With `effect`, a given difference, the pilot only supplies the spread between items.
    """
    simulation = simulation or Simulation()
    left, right, finish = _paired(table, table[column], systems)
    n_pilot = len(left)
    pilot = pilot_effect(left, right, None if finish is _mean else finish, simulation.confidence)
    if effect is not None:
        return _plan_for(effect, pilot, systems, column, simulation, n, effort or Effort())

    def draw(rng: np.random.Generator, size: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        rows = rng.integers(0, n_pilot, size)
        return left[rows], right[rows]

    return _plan(draw, finish, pilot, systems, column, simulation, n, effort or Effort())


def plan_from_votes(
    votes: Votes,
    unit_system: list[str],
    systems: tuple[str, str],
    *,
    annotators: int,
    simulation: Simulation | None = None,
    n: int | None = None,
    effect: float | None = None,
    effort: Effort | None = None,
) -> Plan:
    """The same for human judgments with `annotators` votes per unit, drawn among the pilot's votes on it."""
    if not votes.numeric:
        raise DataError(f"answers to {votes.criterion!r} are labels. A simulation needs numbers.")
    if annotators < 1:
        raise AssayError("a study needs at least one annotator.")
    items = [_votes_by_item(votes, unit_system, system) for system in systems]
    shared = sorted(items[0].keys() & items[1].keys())
    _check_pilot(len(shared), systems)
    pools = [
        (
            np.concatenate([pool[item] for item in shared]),
            running_offsets(np.array([len(pool[item]) for item in shared])),
        )
        for pool in items
    ]

    def draw(rng: np.random.Generator, size: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        rows = rng.integers(0, len(shared), size)
        means = []
        for answers, offsets in pools:
            length = np.diff(offsets)[rows][:, None]
            chosen = offsets[rows][:, None] + (rng.random((size, annotators)) * length).astype(np.int64)
            means.append(answers[chosen].sum(axis=1, keepdims=True) / annotators)
        return means[0], means[1]

    effort = effort or Effort(annotators=annotators)
    simulation = simulation or Simulation()
    means = [(np.add.reduceat(answers, offsets[:-1]) / np.diff(offsets))[:, None] for answers, offsets in pools]
    pilot = pilot_effect(means[0], means[1], None, simulation.confidence)
    if effect is not None:
        drawn = draw(np.random.default_rng(simulation.seed), SPREAD_DRAWS)
        pilot = replace(pilot, deviation=float(np.std(drawn[0] - drawn[1])))
        return _plan_for(effect, pilot, systems, votes.criterion, simulation, n, effort)
    return _plan(draw, _mean, pilot, systems, votes.criterion, simulation, n, effort)


def simulated_power(draw: Draw, finish: Finish, size: int, simulation: Simulation) -> float:
    """Share of simulated studies of `size` items whose permutation test gives p < alpha."""
    rng = np.random.default_rng(np.random.SeedSequence(simulation.seed, spawn_key=(size,)))
    signs = rng.integers(0, 2, (simulation.n_permutations, size)).astype(np.float64) * 2.0 - 1.0
    n_significant = 0
    for _ in range(simulation.n_studies):
        left, right = draw(rng, size)
        total, difference = (left + right).sum(axis=0), left - right
        observed = _gap(total, difference.sum(axis=0)[None], finish)[0]
        permuted = _gap(total, signs @ difference, finish)
        # Differences equal up to rounding count as equal.
        hits = (np.abs(permuted) >= abs(observed) * (1.0 - 1e-12)).sum()
        n_significant += bool((hits + 1) / (simulation.n_permutations + 1) <= simulation.alpha)
    return n_significant / simulation.n_studies


def _plan(
    draw: Draw,
    finish: Finish,
    pilot: PilotEffect,
    systems: tuple[str, str],
    evaluator: str,
    simulation: Simulation,
    n: int | None,
    effort: Effort,
) -> Plan:
    curve: dict[int, float] = {}

    def power_at(size: float) -> float:
        """Power of a study with the pilot's whole difference."""
        if size < 2:
            return simulation.alpha
        whole = min(floor(size), simulation.most)
        if whole not in curve:
            curve[whole] = simulated_power(draw, finish, whole, simulation)
        return curve[whole]

    if n is not None and n < 2:
        raise AssayError(f"a study needs at least 2 items, not {n}.")
    details: dict[str, Any] = {
        "difference": pilot.difference,
        "difference_low": pilot.low,
        "difference_high": pilot.high,
    }
    if n is None:
        if not pilot.least > 0:
            raise AssayError(_undecided(pilot, simulation))
        enough = _smallest(power_at, simulation)
        size = ceil(enough / pilot.least**2)
        if size > simulation.most:
            raise AssayError(_undecided(pilot, simulation))
        details["n_if_the_pilot_is_right"] = enough
    else:
        size = n
    reached = power_at(size)
    low = _wilson(power_at(size * pilot.least**2), simulation.n_studies)[0] if pilot.least else simulation.alpha
    high = _wilson(power_at(size * pilot.most**2), simulation.n_studies)[1] if pilot.most**2 * size < 1e9 else 1.0
    details |= {
        "power_low": min(low, reached),
        "power_high": max(high, reached),
        "curve": [{"n": at, "power": value} for at, value in sorted(curve.items())],
    }
    return Plan(
        "pilot",
        size,
        None,
        reached,
        {
            **_assumed(pilot, systems, evaluator, simulation, n),
            "n_studies": simulation.n_studies,
            "n_permutations": simulation.n_permutations,
            "seed": simulation.seed,
        },
        effort.of(size * effort.systems),
        "paired permutation tests of items drawn from the pilot; "
        + (
            f"n for the smallest difference in the pilot's {simulation.confidence:.0%} interval"
            if n is None
            else f"power with the pilot's {simulation.confidence:.0%} interval"
        ),
        details,
    )


def _plan_for(
    effect: float,
    pilot: PilotEffect,
    systems: tuple[str, str],
    evaluator: str,
    simulation: Simulation,
    n: int | None,
    effort: Effort,
) -> Plan:
    """Items that detect a given difference: a z test with the largest spread the pilot does not exclude."""
    if not effect > 0:
        raise AssayError(f"the effect must be above 0, not {effect}.")
    freedom, tail = pilot.n - 1, (1.0 - simulation.confidence) / 2.0
    widest, narrowest = (pilot.deviation * sqrt(freedom / chdtri(freedom, at)) for at in (1.0 - tail, tail))
    z = float(ndtri(1.0 - simulation.alpha / 2.0))
    exact = ((z + float(ndtri(simulation.power))) * widest / effect) ** 2
    size = max(ceil(exact), 2) if n is None else n
    spreads = (widest, pilot.deviation, narrowest)
    low, reached, high = (float(ndtr(sqrt(size) * effect / spread - z)) if spread else 1.0 for spread in spreads)
    return Plan(
        "pilot",
        size,
        exact if n is None else None,
        reached,
        {**_assumed(pilot, systems, evaluator, simulation, n), "effect": effect},
        effort.of(size * effort.systems),
        f"z test of paired differences, as variable as the pilot's {simulation.confidence:.0%} interval allows",
        {"power_low": low, "power_high": high},
    )


def _assumed(
    pilot: PilotEffect, systems: tuple[str, str], evaluator: str, simulation: Simulation, n: int | None
) -> dict[str, Any]:
    return {
        "systems": list(systems),
        "evaluator": evaluator,
        "n_pilot": pilot.n,
        "alpha": simulation.alpha,
        "wanted_power": simulation.power if n is None else None,
        "confidence": simulation.confidence,
    }


def _undecided(pilot: PilotEffect, simulation: Simulation) -> str:
    reaches = "reaches 0" if not pilot.least > 0 else "reaches close to 0"
    return (
        f"the pilot does not establish a difference to plan for: {pilot.difference:.4g} on {pilot.n} items, and its "
        f"{simulation.confidence:.0%} interval {pilot.low:.4g} to {pilot.high:.4g} {reaches}. Run a larger pilot, give "
        "the smallest difference that matters with --effect, or give --n for the power of that many items."
    )


def _smallest(power_at: Callable[[int], float], simulation: Simulation) -> int:
    """Double until the power suffices, then halve the gap, to within 3 percent."""
    low, high = 0, FIRST_SIZE
    while power_at(high) < simulation.power:
        if high >= simulation.most:
            raise AssayError(
                f"{simulation.most} items give a power of {power_at(high):.2f} only: the pilot shows no difference "
                "that a study could find. Run a larger pilot, or give the smallest difference that matters."
            )
        low, high = high, min(2 * high, simulation.most)
    for _ in range(ROUNDS):
        if high - low <= max(1, ceil(0.03 * high)):
            break
        middle = (low + high) // 2
        low, high = (middle, high) if power_at(middle) < simulation.power else (low, middle)
    return high


def _gap(total: NDArray[np.float64], difference: NDArray[np.float64], finish: Finish) -> NDArray[np.float64]:
    """Score of the left system minus that of the right, from their sum and their difference."""
    return finish((total + difference) / 2.0) - finish((total - difference) / 2.0)


def _mean(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum, equivalent to the mean in a permutation test."""
    return sums[:, 0]


def _paired(
    table: ScoreTable, column: Column, systems: tuple[str, str]
) -> tuple[NDArray[np.float64], NDArray[np.float64], Finish]:
    """Statistics per shared item of both systems; several outputs of an item are summed, plain scores averaged."""
    names = sorted(set(table.system.to_list()))
    for system in systems:
        if system not in names:
            raise DataError(f"no system {system!r} in the pilot.{did_you_mean(system, names)}")
    if systems[0] == systems[1]:
        raise AssayError(f"both systems are {systems[0]!r}. Name two different ones.")
    additive = column.statistics is not None and column.finish is not None
    sides = [_by_item(table, column, system, additive) for system in systems]
    shared = sorted(sides[0].keys() & sides[1].keys())
    _check_pilot(len(shared), systems)
    left, right = (np.array([side[item] for item in shared]) for side in sides)
    finish = column.finish if additive and column.finish is not None else _mean
    return left, right, finish


def _by_item(table: ScoreTable, column: Column, system: str, additive: bool) -> dict[str, NDArray[np.float64]]:
    rows: dict[str, list[int]] = {}
    for row, (item, name) in enumerate(zip(table.item, table.system, strict=True)):
        if name == system and not np.isnan(column.values[row]):
            rows.setdefault(item, []).append(row)
    if additive:
        assert column.statistics is not None
        return {item: column.statistics[members].sum(axis=0) for item, members in rows.items()}
    return {item: np.array([column.values[members].sum() / len(members)]) for item, members in rows.items()}


def _votes_by_item(votes: Votes, unit_system: list[str], system: str) -> dict[int, NDArray[np.float64]]:
    of_system = np.array([name == system for name in unit_system])[votes.unit]
    items = votes.item[votes.unit[of_system]]
    answers = votes.answers[of_system]
    return {int(item): answers[items == item] for item in np.unique(items)}


def _check_pilot(n_shared: int, systems: tuple[str, str]) -> None:
    if n_shared < MIN_ITEMS:
        raise DataError(
            f"systems {systems[0]!r} and {systems[1]!r} share {n_shared} items with scores; a simulation needs "
            f"{MIN_ITEMS} or more."
        )


def _wilson(share: float, n: int) -> tuple[float, float]:
    """The 95% interval of a share (Wilson 1927)."""
    z = float(ndtri(0.975))
    center = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return center - half, center + half


def judged_systems(dataset: Dataset, votes: Votes) -> list[str]:
    """The system of each judged output, in the order of the votes' units."""
    system_of = dict(zip(dataset.outputs.id, dataset.outputs.system.tolist(), strict=True))
    names = dataset.systems.id.to_list()
    missing = [unit for unit in votes.unit_names if unit not in system_of]
    if missing:
        raise DataError(f"judgments of {votes.criterion!r} are not about outputs: {missing[0]!r}.")
    return [names[system_of[unit]] for unit in votes.unit_names]
