"""Agreement by definition: loops over pairs of votes, fractions instead of floats."""

from fractions import Fraction
from itertools import combinations
from math import nan

Vote = tuple[int, int, int]  # unit, annotator, category


def by_unit(votes):
    units = {}
    for unit, annotator, category in votes:
        units.setdefault(unit, []).append((annotator, category))
    return [answers for answers in units.values() if len(answers) > 1]


def percent_agreement(votes):
    units = by_unit(votes)
    return float(_observed(units)) if units else nan


def fleiss_kappa(votes):
    units = by_unit(votes)
    pooled = [category for answers in units for _, category in answers]
    if len(set(pooled)) < 2:
        return nan
    expected = sum(Fraction(pooled.count(category), len(pooled)) ** 2 for category in set(pooled))
    return float((_observed(units) - expected) / (1 - expected))


def krippendorff_alpha(votes, values, scale):
    units = by_unit(votes)
    pooled = [category for answers in units for _, category in answers]
    if len(set(pooled)) < 2:
        return nan

    def distance(a, b):
        if scale == "nominal":
            return Fraction(a != b)
        if scale == "ordinal":
            low, high = min(a, b), max(a, b)
            between = sum(pooled.count(category) for category in range(low, high + 1))
            return (between - Fraction(pooled.count(low) + pooled.count(high), 2)) ** 2
        x, y = Fraction(values[a]), Fraction(values[b])
        if scale == "interval":
            return (x - y) ** 2
        return ((x - y) / (x + y)) ** 2 if x != y else Fraction(0)

    inside = Fraction(0)
    for answers in units:
        pairs = sum(distance(a, b) for (_, a), (_, b) in combinations(answers, 2))
        inside += Fraction(2 * pairs, len(answers) - 1)
    overall = 2 * sum(distance(a, b) for a, b in combinations(pooled, 2))
    return float(1 - (len(pooled) - 1) * inside / overall)


def cohen_kappa(left, right, cost):
    """`left[k]` and `right[k]` are the two answers about unit k."""
    n = len(left)
    observed = sum(cost(a, b) for a, b in zip(left, right, strict=True))
    expected = sum(cost(a, b) for a in left for b in right)
    return 1 - observed * n / expected if expected else nan


def mean_pair_kappa(votes, cost, min_shared):
    answers = {}
    for unit, annotator, category in votes:
        answers.setdefault(annotator, {})[unit] = category
    kappas = []
    for a, b in combinations(sorted(answers), 2):
        shared = sorted(answers[a].keys() & answers[b].keys())
        if len(shared) >= min_shared:
            kappas.append(cohen_kappa([answers[a][u] for u in shared], [answers[b][u] for u in shared], cost))
    kappas = [kappa for kappa in kappas if kappa == kappa]
    return sum(kappas) / len(kappas) if kappas else nan


def _observed(units):
    shares = []
    for answers in units:
        pairs = list(combinations([category for _, category in answers], 2))
        shares.append(Fraction(sum(a == b for a, b in pairs), len(pairs)))
    return sum(shares) / len(shares)
