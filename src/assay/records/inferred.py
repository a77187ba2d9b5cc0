"""What is taken for granted where a data set does not declare its criteria. No other module knows a criterion by name.

Declare criteria to have nothing inferred.
"""

from __future__ import annotations

from dataclasses import replace

from assay.records.criteria import Criterion

# The names of criteria in published data: what they ask for, and about what.
USUAL = {
    "typicality": ("quality", "output"),
    "diversity": ("diversity", "set"),
    "more_diverse": ("diversity", "set pair"),
    "similarity": ("similarity", "pair"),
}
# `content_diversity` asks for the diversity of a set in one aspect.
OF_ASPECT = "_diversity"

# Answers, in lower case, to the question whether a person wrote a text.
SAYS_HUMAN = frozenset({"human", "real", "person", "true", "yes"})
SAYS_MACHINE = frozenset({"machine", "fake", "generated", "false", "no"})

# Answers, in lower case, to the question which of two units is better.
FIRST = frozenset({"first", "left", "a", "unit", "win", "better"})
SECOND = frozenset({"second", "right", "b", "other", "loss", "worse"})
NEITHER = frozenset({"tie", "equal", "same", "neither", "both", "draw"})


def completed(criterion: Criterion) -> Criterion:
    """Fill in what a criterion asks for, and about what, from its name, where it leaves that open."""
    asks, unit = USUAL.get(criterion.name, ("", ""))
    aspect = criterion.name.removesuffix(OF_ASPECT)
    if aspect not in (criterion.name, ""):
        asks, unit = "diversity", "set"
    else:
        aspect = ""
    if criterion.asks or not asks or criterion.unit not in ("", unit):
        return criterion
    return replace(criterion, asks=asks, unit=unit, aspect=criterion.aspect or aspect)
