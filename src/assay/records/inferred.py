"""Defaults for undeclared criteria, inferred from their names. No other module knows a criterion by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.records.criteria import Criterion

# Criteria of published data: what they ask for, and about what.
USUAL = {
    "typicality": ("quality", "output"),
    "diversity": ("diversity", "set"),
    "more_diverse": ("diversity", "set pair"),
    "similarity": ("similarity", "pair"),
}
# `content_diversity` asks for the diversity of a set in one aspect.
OF_ASPECT = "_diversity"

# Lower-case names of criteria that ask for quality as a whole, first in a proposal.
OVERALL = ("overall", "overall_quality", "quality", "typicality", "preferred", "rating", "score", "helpfulness")

# Lower-case answers to whether a text is human-written.
SAYS_HUMAN = frozenset({"human", "real", "person", "true", "yes"})
SAYS_MACHINE = frozenset({"machine", "fake", "generated", "false", "no"})

# Lower-case answers to which of two units is better.
FIRST = frozenset({"first", "left", "a", "unit", "win", "better"})
SECOND = frozenset({"second", "right", "b", "other", "loss", "worse"})
NEITHER = frozenset({"tie", "equal", "same", "neither", "both", "draw"})


def overall_first(names: Sequence[str]) -> list[str]:
    """Criteria with those that ask for quality as a whole first; the others keep their order."""
    ranks = {name: rank for rank, name in enumerate(OVERALL)}
    return sorted(names, key=lambda name: ranks.get(name.lower(), len(ranks)))


def completed(criterion: Criterion) -> Criterion:
    """Fill in, from its name, what a criterion asks for and about what, if undeclared."""
    asks, unit = USUAL.get(criterion.name, ("", ""))
    aspect = criterion.name.removesuffix(OF_ASPECT)
    if aspect not in (criterion.name, ""):
        asks, unit = "diversity", "set"
    else:
        aspect = ""
    if criterion.asks or not asks or criterion.unit not in ("", unit):
        return criterion
    return replace(criterion, asks=asks, unit=unit, aspect=criterion.aspect or aspect)
