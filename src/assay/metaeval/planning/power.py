"""Sample size and cost of a study, by formula."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil, isnan
from typing import Any

from assay.errors import AssayError
from assay.kernels.statistics.power import (
    Design,
    Variance,
    correlation_interval,
    correlation_n_for_power,
    correlation_n_for_width,
    correlation_power,
    two_proportions_n,
    two_proportions_power,
)
from assay.limits import check_share
from assay.metaeval.questions.statistics import find

FORMULAS = {
    "superiority": "two proportions, normal approximation (Fleiss, Levin & Paik 2003, chapter 4)",
    "noninferiority": "two proportions and a margin, normal approximation (Chow, Shao & Wang 2008, section 4.2)",
    "equivalence": "two one-sided tests of proportions (Chow, Shao & Wang 2008, section 4.2)",
    "correlation": "Fisher's z (Fisher 1921)",
    "width": "Fisher's z interval (Bonett & Wright 2000)",
}


@dataclass(frozen=True)
class Effort:
    """What drives the cost of a study: annotators per text, systems, and the price of a judgment."""

    annotators: int = 1
    systems: int = 2
    price: float | None = None

    def __post_init__(self) -> None:
        if self.annotators < 1 or self.systems < 1:
            raise AssayError("a plan needs one annotator and one system or more.")
        if self.price is not None and not self.price >= 0:
            raise AssayError(f"the price of a judgment must be 0 or more, not {self.price}.")

    def of(self, n_units: int) -> dict[str, Any]:
        """Judgments and cost of `n_units` units in total."""
        judgments = n_units * self.annotators
        cost = None if self.price is None else judgments * self.price
        return {"annotators": self.annotators, "systems": self.systems, "judgments": judgments, "cost": cost}


@dataclass(frozen=True)
class Plan:
    """A sample size with its assumptions: `n` is rounded up, `n_exact` comes from the formula."""

    design: str
    n: int
    n_exact: float | None
    power: float | None
    assumptions: dict[str, Any]
    effort: dict[str, Any]
    source: str
    details: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The plan as plain data."""
        return {
            "design": self.design,
            "n": self.n,
            "n_exact": self.n_exact,
            "power": self.power,
            **self.details,
            **self.effort,
            "assumptions": self.assumptions,
            "source": self.source,
        }


def plan_proportions(
    design: Design,
    p: float,
    *,
    p_reference: float | None = None,
    margin: float = 0.0,
    alpha: float = 0.05,
    sides: int | None = None,
    power: float = 0.8,
    n: int | None = None,
    ratio: float = 1.0,
    variance: Variance = "unpooled",
    effort: Effort | None = None,
) -> Plan:
    """Two systems, a yes or no per text: texts of each for the given power, or the power of `n` texts.

    `p` is the expected share of the new system, `p_reference` that of the other (by default the same). By default a
    superiority test has two sides, the others one. `n` counts the new system's texts; each other system gets `ratio`
    times as many.
    """
    reference = p if p_reference is None else p_reference
    sides = sides or (2 if design == "superiority" else 1)
    for name, value in (("p", p), ("p_reference", reference), ("alpha", alpha), ("power", power)):
        check_share(name, value)
    if not ratio > 0:
        raise AssayError(f"the ratio of the two groups must be above 0, not {ratio}.")
    if design != "superiority" and not margin > 0:
        raise AssayError(f"a {design} test needs a margin above 0. Give the largest difference that does not matter.")
    setting: dict[str, Any] = {"design": design, "margin": margin, "alpha": alpha, "sides": sides, "ratio": ratio}
    setting["variance"] = variance
    exact = two_proportions_n(p, reference, power=power, **setting)
    if isnan(exact):
        raise AssayError(_hopeless(design, p, reference, margin))
    whole = max(ceil(exact), 1) if n is None else n
    if whole < 1:
        raise AssayError(f"n must be 1 or more, not {n}.")
    n_reference = ceil(ratio * whole)
    effort = effort or Effort()
    n_total = whole + n_reference * (effort.systems - 1)
    return Plan(
        design,
        whole,
        exact if n is None else None,
        two_proportions_power(p, reference, whole, **setting),
        {"p": p, "p_reference": reference, "wanted_power": None if n else power, **setting},
        effort.of(n_total),
        FORMULAS[design],
        {"n_reference": n_reference, "n_total": n_total},
    )


@dataclass(frozen=True)
class PlannedTest:
    """The test of a study: its level, sides and power, or instead of the power the number of units."""

    alpha: float = 0.05
    sides: int = 2
    power: float = 0.8
    n: int | None = None
    effort: Effort = field(default_factory=Effort)

    def __post_init__(self) -> None:
        check_share("alpha", self.alpha)
        check_share("power", self.power)

    def plan(
        self,
        design: str,
        source: str,
        assumptions: dict[str, Any],
        exact: float,
        power_at: Callable[[int], float],
        *,
        least: int = 1,
        per_unit: int = 1,
    ) -> Plan:
        """The plan for `exact` units, rounded up, or for `n`; each unit takes `per_unit` texts."""
        n = max(ceil(exact), least) if self.n is None else self.n
        if n < least:
            raise AssayError(f"the test needs {least} units or more, not {n}.")
        wanted = {"alpha": self.alpha, "sides": self.sides, "wanted_power": None if self.n else self.power}
        effort = self.effort.of(n * per_unit)
        return Plan(design, n, exact if self.n is None else None, power_at(n), assumptions | wanted, effort, source)


def plan_correlation(r: float, *, r_null: float = 0.0, **test: Any) -> Plan:
    """Units needed to show that a correlation `r` differs from `r_null`, or the power of `n` units."""
    check_correlation("r", r)
    check_correlation("r_null", r_null)
    planned = PlannedTest(**test)
    if r == r_null:
        raise AssayError("r equals r_null: no number of units finds a difference of 0.")
    of_test: dict[str, Any] = {"r_null": r_null, "alpha": planned.alpha, "sides": planned.sides}
    return planned.plan(
        "correlation",
        FORMULAS["correlation"],
        {"r": r, "r_null": r_null},
        correlation_n_for_power(r, power=planned.power, **of_test),
        lambda n: correlation_power(r, n, **of_test),
        least=4,
    )


def plan_width(
    r: float,
    *,
    width: float,
    confidence: float = 0.95,
    statistic: str = "pearson",
    effort: Effort | None = None,
) -> Plan:
    """Units needed for an interval at most `width` wide of a correlation near `r`."""
    check_correlation("r", r)
    check_share("confidence", confidence)
    if not 0 < width < 2:
        raise AssayError(f"the width of an interval of a correlation lies between 0 and 2, not {width}.")
    (chosen,) = find([statistic])
    if chosen.fisher_error is None:
        raise AssayError(f"the width of an interval of {statistic} follows no formula. Plan for a correlation.")
    exact = correlation_n_for_width(r, width=width, confidence=confidence, of=chosen.fisher_error)
    low, high = correlation_interval(r, ceil(exact), confidence=confidence, of=chosen.fisher_error)
    return Plan(
        "width",
        ceil(exact),
        exact,
        None,
        {"r": r, "width": width, "confidence": confidence, "statistic": statistic},
        (effort or Effort()).of(ceil(exact)),
        FORMULAS["width"],
        {"low": low, "high": high},
    )


def check_correlation(name: str, value: float) -> None:
    """Raise unless a value lies between -1 and 1."""
    if not -1 < value < 1:
        raise AssayError(f"{name} must lie between -1 and 1, not {value}.")


def _hopeless(design: Design, p: float, reference: float, margin: float) -> str:
    if design == "superiority":
        return f"p and p_reference are both {p}: no number of texts finds a difference of 0. Give --p-reference."
    return (
        f"the expected difference {p - reference:g} lies outside the margin {margin:g}: no number of texts shows "
        f"{'non-inferiority' if design == 'noninferiority' else 'equivalence'}. Widen the margin or change p."
    )
