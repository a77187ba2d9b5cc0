"""Sample sizes of paired studies, by formula."""

from __future__ import annotations

from math import ceil
from typing import Any

from assay.errors import AssayError
from assay.kernels.statistics.paired_power import (
    dependent_correlations_n,
    dependent_correlations_power,
    discordant_n,
    discordant_power,
    sign_test_power,
)
from assay.metaeval.planning.power import Effort, Plan, check_correlation, check_share

MOST_COUNTED = 100_000
"""Most pairs for which the power of the exact test is enumerated."""

CORRELATIONS = "two correlations with one variable, Fisher's z (Steiger 1980)"
PAIRED = "paired proportions, McNemar's test (Connor 1987)"
WIN_RATES = "wins against losses, ties apart: McNemar's test (Connor 1987)"


def plan_two_correlations(
    r: float,
    r_other: float,
    r_between: float,
    *,
    alpha: float = 0.05,
    sides: int = 2,
    power: float = 0.8,
    n: int | None = None,
    effort: Effort | None = None,
) -> Plan:
    """Two evaluators correlate at `r` and `r_other` with one target, and at `r_between` with each other."""
    for name, value in (("r", r), ("r_other", r_other), ("r_between", r_between)):
        check_correlation(name, value)
    check_share("alpha", alpha)
    check_share("power", power)
    if r == r_other:
        raise AssayError("r equals r_other: no number of units finds a difference of 0.")
    if 1 - r**2 - r_other**2 - r_between**2 + 2 * r * r_other * r_between <= 0:
        raise AssayError(f"no three variables correlate at {r:g}, {r_other:g} and {r_between:g}. Change r_between.")
    if n is not None and n < 4:
        raise AssayError(f"a correlation needs 4 units or more for Fisher's z, not {n}.")
    exact = dependent_correlations_n(r, r_other, r_between, alpha=alpha, sides=sides, power=power)
    whole = max(ceil(exact), 4) if n is None else n
    return Plan(
        "correlations",
        whole,
        exact if n is None else None,
        dependent_correlations_power(r, r_other, r_between, whole, alpha=alpha, sides=sides),
        {
            "r": r,
            "r_other": r_other,
            "r_between": r_between,
            "alpha": alpha,
            "sides": sides,
            "wanted_power": None if n else power,
        },
        (effort or Effort()).of(whole),
        CORRELATIONS,
    )


def plan_paired_proportions(
    p: float, p_reference: float, *, discordant: float | None = None, effort: Effort | None = None, **setting: Any
) -> Plan:
    """Two systems with a yes or no each on the same texts, items or questions.

    `discordant` is the share of pairs on which the two differ; by default that of independent answers, which is high.
    """
    check_share("p", p)
    check_share("p_reference", p_reference)
    apart = p * (1.0 - p_reference) + p_reference * (1.0 - p) if discordant is None else discordant
    least, most = abs(p - p_reference), min(p + p_reference, 2.0 - p - p_reference)
    if not least <= apart <= most + 1e-12:
        raise AssayError(
            f"shares of {p:g} and {p_reference:g} differ on {least:g} to {most:g} of the pairs, not on {apart:g}."
        )
    wins, losses = (apart + p - p_reference) / 2.0, (apart - p + p_reference) / 2.0
    about = {"p": p, "p_reference": p_reference, "discordant": apart}
    return _plan_discordant("paired", wins, losses, about, PAIRED, effort, **setting)


def plan_win_rate(wins: float, *, ties: float = 0.0, effort: Effort | None = None, **setting: Any) -> Plan:
    """Comparisons needed to find that a system is preferred: `wins` and `ties` are shares of all comparisons."""
    if not (0 <= wins <= 1 and 0 <= ties < 1 and wins + ties <= 1):
        raise AssayError(f"wins ({wins:g}) and ties ({ties:g}) are shares of all comparisons, 1 together at most.")
    losses = round(1.0 - wins - ties, 12)
    about = {"wins": wins, "ties": ties, "losses": losses}
    return _plan_discordant("winrate", wins, losses, about, WIN_RATES, effort, **setting)


def _plan_discordant(
    design: str,
    wins: float,
    losses: float,
    about: dict[str, Any],
    source: str,
    effort: Effort | None,
    *,
    alpha: float = 0.05,
    sides: int = 2,
    power: float = 0.8,
    n: int | None = None,
) -> Plan:
    check_share("alpha", alpha)
    check_share("power", power)
    if abs(wins - losses) < 1e-12:
        raise AssayError(f"as many wins as losses ({wins:g}): no number of pairs finds a difference of 0.")
    if n is not None and n < 1:
        raise AssayError(f"n must be 1 or more, not {n}.")
    exact = discordant_n(wins, losses, alpha=alpha, sides=sides, power=power)
    whole = max(ceil(exact), 1) if n is None else n
    effort = effort or Effort()
    counted = sign_test_power(wins, losses, whole, alpha=alpha, sides=sides) if whole <= MOST_COUNTED else None
    return Plan(
        design,
        whole,
        exact if n is None else None,
        discordant_power(wins, losses, whole, alpha=alpha, sides=sides),
        {**about, "alpha": alpha, "sides": sides, "wanted_power": None if n else power},
        effort.of(whole * (effort.systems if design == "paired" else 1)),
        source,
        {"power_of_the_exact_test": counted},
    )
