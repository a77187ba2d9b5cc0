"""Biases of judges: intervals of noise, flips, use of the scale, position, length and self-preference."""

from __future__ import annotations

from functools import cache

import numpy as np

from assay.metaeval.probes.biases import answers_biases, preference_biases
from bench.rates.biased_worlds import Ordered, Repeated, favoring, leaps, redraws, steps
from bench.rates.rate import Rate


def rated_rate(world: Repeated, probe: str, before: str = "", conservative: bool = True) -> Rate:
    """Coverage of a probe of ratings; neither length nor its own system moves the judge."""

    @cache
    def truth() -> float:
        return {"test-retest": world.true_difference, "scale use": world.true_mode}.get(probe, lambda: 0.0)()

    def trial(rng: np.random.Generator) -> bool | None:
        card = answers_biases(world.judged(rng), "judge", "rating", own=["own"])
        low, high = next(one for one in card if one.probe == probe).estimate.interval(0.95)
        return None if np.isnan(low) else bool(low <= truth() <= high)

    return Rate(world.name, f"probe: {probe}", world.sizes, "coverage", trial, before, conservative)


def preferred_rate(world: Ordered, probe: str, before: str = "", conservative: bool = True) -> Rate:
    """Coverage of a probe of preferences."""
    truth = {"position": world.first, "flip rate": world.first, "self-preference": world.own}.get(probe, 0.0)

    def trial(rng: np.random.Generator) -> bool | None:
        card = preference_biases(world.judged(rng), "judge", "better", own=["own"])
        low, high = next(one for one in card if one.probe == probe).estimate.interval(0.95)
        return None if np.isnan(low) else bool(low <= truth <= high)

    return Rate(world.name, f"probe: {probe}", f"{world.pairs} pairs", "coverage", trial, before, conservative)


NOISY = "a judge that says one more in 30% of answers, 5 points"
SELDOM = "a judge that says one more in 2% of answers, 5 points"
UNSURE = "a judge that answers no instead of yes in 2%"
ANYTHING = "a judge that says anything in 5% of answers, 7 points"
LEAPING = "a judge that says one more in 30% of answers, and the highest of 7 points in 2%"
FIRST = "a judge that takes the first text"
EVEN, FLAT = favoring((0.2,) * 5), favoring((0.05, 0.9, 0.05))

RATES = [
    rated_rate(Repeated(NOISY, steps(2, 0.3), 4, 10, 2), "test-retest", "92.2%"),
    rated_rate(Repeated(NOISY, steps(2, 0.3), 4, 40, 2), "test-retest", "94.2%"),
    rated_rate(Repeated(NOISY, steps(2, 0.3), 4, 100, 2), "test-retest", "95.0%"),
    rated_rate(Repeated(SELDOM, steps(2, 0.02), 4, 40, 2), "test-retest", "86.6% of 374"),
    rated_rate(Repeated(UNSURE, steps(0, 0.02), 1, 10), "test-retest", "100.0% of 118"),
    rated_rate(Repeated(UNSURE, steps(0, 0.02), 1, 40), "test-retest", "100.0% of 311"),
    rated_rate(Repeated(UNSURE, steps(0, 0.02), 1, 100), "test-retest", "91.7% of 387"),
    rated_rate(Repeated(ANYTHING, redraws(3, 0.05, 6), 6, 40), "test-retest", "89.1% of 384"),
    rated_rate(Repeated(ANYTHING, redraws(3, 0.05, 6), 6, 40, 0, 4), "test-retest", "91.0%"),
    rated_rate(Repeated(LEAPING, leaps(0.3, 0.02, 6), 6, 40), "test-retest", "83.5%"),
    rated_rate(Repeated(LEAPING, leaps(0.3, 0.02, 6), 6, 100), "test-retest", "91.0%"),
    rated_rate(Repeated("five answers that are equally frequent", EVEN, 4, 40, 1, 1), "scale use"),
    rated_rate(Repeated("one answer in 90% of cases", FLAT, 4, 40, 2, 1), "scale use"),
    rated_rate(Repeated(NOISY, steps(2, 0.3), 4, 40, 2, 1), "length", "94.5%", conservative=False),
    rated_rate(Repeated(SELDOM, steps(2, 0.02), 4, 40, 2, 1), "length", "99.7% of 312"),
    rated_rate(Repeated(NOISY, steps(2, 0.3), 4, 40, 2, 1), "self-preference", "95.0%"),
    rated_rate(Repeated(SELDOM, steps(2, 0.02), 4, 40, 2, 1), "self-preference", "98.4% of 311"),
    rated_rate(Repeated(SELDOM, steps(2, 0.02), 4, 100, 2, 1, own_each=10), "self-preference", "68.7% of 387"),
    preferred_rate(Ordered(f"{FIRST} in 3% of pairs", 40, first=0.03), "position", "100.0% of 274"),
    preferred_rate(Ordered(f"{FIRST} in 3% of pairs", 40, first=0.03), "flip rate"),
    preferred_rate(Ordered(f"{FIRST} in 3% of pairs", 100, first=0.03), "position", "81.8% of 384"),
    preferred_rate(Ordered(f"{FIRST} in 3% of pairs", 100, first=0.03), "flip rate"),
    preferred_rate(Ordered(f"{FIRST} in 30% of pairs", 40, first=0.3), "position", "92.2%"),
    preferred_rate(Ordered(f"{FIRST} in 30% of pairs", 40, first=0.3), "flip rate"),
    preferred_rate(Ordered("a judge that takes its own text in 5% of pairs", 40, own=0.05), "self-preference", "95.5%"),
    preferred_rate(Ordered("a judge without a bias", 40), "length", "95.0%", conservative=False),
]
