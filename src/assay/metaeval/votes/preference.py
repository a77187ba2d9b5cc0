"""Systems ranked by pairwise human preferences: Bradley and Terry's model with Davidson's ties, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, isnan, nan
from typing import Any

import numpy as np

from assay.kernels.statistics.significance import holm
from assay.kernels.votes.bradley_terry import Strengths, bradley_terry
from assay.metaeval.votes.pair_judgments import Comparisons
from assay.metaeval.votes.preference_spread import (
    PreferenceOptions,
    StrengthSpread,
    TestedStrength,
    factors_of,
    spread,
    why_no_interval,
)

ALPHA = 0.05
DEFAULT = PreferenceOptions()


@dataclass(frozen=True)
class PreferencePair:
    """Two systems: the difference of strengths with its interval, p, and p adjusted for all pairs (Holm 1979)."""

    left: int
    right: int
    difference: TestedStrength
    p_adjusted: float


@dataclass(frozen=True, eq=False)
class Preferences:
    """The fitted model. Strengths are on the log scale with mean 0; all NaN, with a reason, when undecided.

    `no_interval` says why strengths have neither intervals nor p.
    """

    comparisons: Comparisons
    fitted: Strengths
    strengths: tuple[TestedStrength, ...]
    pairs: tuple[PreferencePair, ...]
    options: dict[str, Any]
    reason: str = ""
    no_interval: str = ""

    def as_json(self) -> dict[str, Any]:
        """Systems from the strongest to the weakest, and every pair."""
        wins, ties = self.comparisons.counts(np.ones(len(self.comparisons.outcome)))
        strengths = self.fitted.strengths
        better, worse = self._ranks()
        systems = [
            {
                "system": self.comparisons.systems[s],
                "rank": None if self.reason else int((strengths > strengths[s]).sum()) + 1,
                "rank_low": None if self.reason or self.no_interval else 1 + int(better[s]),
                "rank_high": None if self.reason or self.no_interval else len(strengths) - int(worse[s]),
                "strength": _or_none(strengths[s]),
                "low": _or_none(self.strengths[s].low),
                "high": _or_none(self.strengths[s].high),
                "n": int(wins[s].sum() + wins[:, s].sum() + ties[s].sum()),
                "wins": int(wins[s].sum()),
                "ties": int(ties[s].sum()),
                "losses": int(wins[:, s].sum()),
            }
            for s in np.argsort(-strengths, kind="stable").tolist()
        ]
        plain = {
            "criterion": self.comparisons.criterion,
            "model": "Bradley-Terry with Davidson's ties",
            "n": len(self.comparisons.outcome),
            "n_same_system": self.comparisons.n_same_system,
            "tie": _or_none(self.fitted.tie),
            "systems": systems,
            "pairs": [self._pair_json(pair) for pair in self.pairs],
            **self.options,
        }
        comparisons = self.comparisons
        if comparisons.signature:
            counts = {"n_missing": comparisons.n_missing, "n_left_out": comparisons.n_left_out}
            plain |= {"signature": comparisons.signature, **counts}
        why = {"reason": self.reason} if self.reason else {}
        return plain | why | ({"no_interval": self.no_interval} if self.no_interval else {})

    def _ranks(self) -> tuple[Any, Any]:
        """How many systems are significantly better and worse than each; p is adjusted, so for all systems at once."""
        better, worse = (np.zeros(len(self.comparisons.systems), np.int64) for _ in range(2))
        for pair in self.pairs:
            if pair.p_adjusted < ALPHA:
                better[pair.right] += 1
                worse[pair.left] += 1
        return better, worse

    def _pair_json(self, pair: PreferencePair) -> dict[str, Any]:
        """The pair, and the chance that the left system is preferred."""
        value = pair.difference.value
        total = exp(value / 2) + exp(-value / 2) + self.fitted.tie
        return {
            "left": self.comparisons.systems[pair.left],
            "right": self.comparisons.systems[pair.right],
            "difference": value,
            "low": _or_none(pair.difference.low),
            "high": _or_none(pair.difference.high),
            "p_value": _or_none(pair.difference.p),
            "p_adjusted": _or_none(pair.p_adjusted),
            "p_preferred": exp(value / 2) / total,
            "p_tie": self.fitted.tie / total,
        }


def preferences_of(comparisons: Comparisons, options: PreferenceOptions = DEFAULT) -> Preferences:
    """Rank systems by comparisons."""
    wins, ties = comparisons.counts(np.ones(len(comparisons.outcome)))
    fitted = bradley_terry(wins, ties, prior_wins=options.prior_wins)
    factors = () if options.intervals == "information" else factors_of(comparisons, options.over)
    used: dict[str, Any] = {name: getattr(options, name) for name in ("prior_wins", "intervals", "confidence")}
    used |= {"over": list(factors), "correction": "holm"}
    unknown = tuple(TestedStrength(nan, nan, nan, nan) for _ in comparisons.systems)
    if isnan(fitted.strengths[0]):
        return Preferences(comparisons, fitted, unknown, (), used, reason=_why_undecided(comparisons))
    few = why_no_interval(comparisons, factors)
    if few:
        return Preferences(comparisons, fitted, unknown, _pairs(fitted, None), used, no_interval=few)
    variances = spread(comparisons, fitted, factors, options)
    if options.intervals == "bootstrap" and factors:
        used |= {"n_resamples": options.resamples, "seed": options.seed, "n_undefined_resamples": variances.n_undefined}
    strengths = tuple(variances.of(s) for s in range(len(comparisons.systems)))
    return Preferences(comparisons, fitted, strengths, _pairs(fitted, variances), used)


def _pairs(fitted: Strengths, variances: StrengthSpread | None) -> tuple[PreferencePair, ...]:
    """Every pair, the stronger system on the left, from the strongest on."""
    order = np.argsort(-fitted.strengths, kind="stable").tolist()
    pairs = []
    for position, i in enumerate(order):
        for j in order[position + 1 :]:
            value = float(fitted.strengths[i] - fitted.strengths[j])
            difference = TestedStrength(value, nan, nan, nan) if variances is None else variances.of(i, j)
            pairs.append((i, j, difference))
    adjusted = holm(np.array([difference.p for _, _, difference in pairs]))
    return tuple(
        PreferencePair(i, j, difference, float(p)) for (i, j, difference), p in zip(pairs, adjusted, strict=True)
    )


def _why_undecided(comparisons: Comparisons) -> str:
    wins, ties = comparisons.counts(np.ones(len(comparisons.outcome)))
    undefeated = np.flatnonzero(wins.sum(axis=0) + ties.sum(axis=0) == 0)
    winless = np.flatnonzero(wins.sum(axis=1) + ties.sum(axis=1) == 0)
    remedy = "Collect more comparisons, or use prior wins (such as 0.5)."
    if len(undefeated):
        return (
            f"system {comparisons.systems[undefeated[0]]!r} won every comparison: its strength is unbounded. {remedy}"
        )
    if len(winless):
        return f"system {comparisons.systems[winless[0]]!r} lost every comparison: its strength is unbounded. {remedy}"
    return f"the comparisons do not connect all systems in both directions: strengths have no limit. {remedy}"


def _or_none(value: float) -> float | None:
    return None if isnan(value) else float(value)
