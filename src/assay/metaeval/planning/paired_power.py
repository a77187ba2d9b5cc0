"""Sample sizes of paired studies, by formula."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assay.errors import AssayError
from assay.kernels.statistics.paired_power import (
    dependent_correlations_n,
    dependent_correlations_power,
    discordant_n,
    discordant_power,
    sign_test_power,
)
from assay.limits import check_share
from assay.metaeval.planning.power import Plan, PlannedTest, check_correlation

MOST_COUNTED = 100_000
"""Most pairs for which the power of the exact test is enumerated."""

CORRELATIONS = "two correlations with one variable, Fisher's z (Steiger 1980)"
PAIRED = "paired proportions, McNemar's test (Connor 1987)"
WIN_RATES = "wins against losses, ties apart: McNemar's test (Connor 1987)"


def plan_two_correlations(r: float, r_other: float, r_between: float, **test: Any) -> Plan:
    """Two evaluators correlate at `r` and `r_other` with one target, and at `r_between` with each other."""
    assumptions = {"r": r, "r_other": r_other, "r_between": r_between}
    for name, value in assumptions.items():
        check_correlation(name, value)
    planned = PlannedTest(**test)
    if r == r_other:
        raise AssayError("r equals r_other: no number of units finds a difference of 0.")
    if 1 - r**2 - r_other**2 - r_between**2 + 2 * r * r_other * r_between <= 0:
        raise AssayError(f"no three variables correlate at {r:g}, {r_other:g} and {r_between:g}. Change r_between.")
    alpha, sides = planned.alpha, planned.sides
    return planned.plan(
        "correlations",
        CORRELATIONS,
        assumptions,
        dependent_correlations_n(r, r_other, r_between, alpha=alpha, sides=sides, power=planned.power),
        lambda n: dependent_correlations_power(r, r_other, r_between, n, alpha=alpha, sides=sides),
        least=4,
    )


def plan_paired_proportions(p: float, p_reference: float, *, discordant: float | None = None, **test: Any) -> Plan:
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
    assumptions = {"p": p, "p_reference": p_reference, "discordant": apart}
    planned = PlannedTest(**test)
    return _plan_discordant("paired", PAIRED, assumptions, wins, losses, planned, planned.effort.systems)


def plan_win_rate(wins: float, *, ties: float = 0.0, **test: Any) -> Plan:
    """Comparisons needed to find that a system is preferred: `wins` and `ties` are shares of all comparisons."""
    if not (0 <= wins <= 1 and 0 <= ties < 1 and wins + ties <= 1):
        raise AssayError(f"wins ({wins:g}) and ties ({ties:g}) are shares of all comparisons, 1 together at most.")
    losses = round(1.0 - wins - ties, 12)
    assumptions = {"wins": wins, "ties": ties, "losses": losses}
    return _plan_discordant("winrate", WIN_RATES, assumptions, wins, losses, PlannedTest(**test), 1)


def _plan_discordant(
    design: str,
    source: str,
    assumptions: dict[str, Any],
    wins: float,
    losses: float,
    planned: PlannedTest,
    per_unit: int,
) -> Plan:
    if abs(wins - losses) < 1e-12:
        raise AssayError(f"as many wins as losses ({wins:g}): no number of pairs finds a difference of 0.")
    alpha, sides = planned.alpha, planned.sides
    plan = planned.plan(
        design,
        source,
        assumptions,
        discordant_n(wins, losses, alpha=alpha, sides=sides, power=planned.power),
        lambda n: discordant_power(wins, losses, n, alpha=alpha, sides=sides),
        per_unit=per_unit,
    )
    counted = sign_test_power(wins, losses, plan.n, alpha=alpha, sides=sides) if plan.n <= MOST_COUNTED else None
    return replace(plan, details={"power_of_the_exact_test": counted})
