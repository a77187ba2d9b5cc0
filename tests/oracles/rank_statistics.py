"""Rank and pair statistics by brute force over all pairs."""

from fractions import Fraction
from itertools import combinations
from math import sqrt


def average_ranks(values):
    return [
        Fraction(sum(v < value for v in values)) + Fraction(sum(v == value for v in values) + 1, 2) for value in values
    ]


def pair_counts(x, y):
    """pairs, concordant, discordant, tied in x, tied in y, tied in both."""
    counts = [0] * 6
    for i, j in combinations(range(len(x)), 2):
        sign_x = (x[i] > x[j]) - (x[i] < x[j])
        sign_y = (y[i] > y[j]) - (y[i] < y[j])
        counts[0] += 1
        counts[1] += sign_x * sign_y > 0
        counts[2] += sign_x * sign_y < 0
        counts[3] += sign_x == 0
        counts[4] += sign_y == 0
        counts[5] += sign_x == 0 and sign_y == 0
    return tuple(counts)


def calibrated_accuracy(x, y, groups):
    """Try every threshold on every pair."""
    members = [[i for i in range(len(x)) if groups[i] == g] for g in sorted(set(groups))]
    members = [group for group in members if len(group) > 1]
    pairs = [list(combinations(group, 2)) for group in members]
    best = (-1.0, 0.0)
    for epsilon in sorted({0.0} | {abs(x[i] - x[j]) for group in pairs for i, j in group}):
        shares = []
        for group in pairs:
            right = 0
            for i, j in group:
                sign_x = 0 if abs(x[i] - x[j]) <= epsilon else (1 if x[i] > x[j] else -1)
                right += sign_x == (y[i] > y[j]) - (y[i] < y[j])
            shares.append(right / len(group))
        mean = sum(shares) / len(shares)
        if mean > best[0] + 1e-12:
            best = (mean, epsilon)
    return best


def williams_t(r_a, r_b, r_ab, n):
    """Steiger 1980, equation 7."""
    determinant = 1 - r_a**2 - r_b**2 - r_ab**2 + 2 * r_a * r_b * r_ab
    mean = (r_a + r_b) / 2
    return (r_a - r_b) * sqrt((n - 1) * (1 + r_ab) / (2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - r_ab) ** 3))
