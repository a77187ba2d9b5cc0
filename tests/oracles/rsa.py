"""Rational Speech Acts by definition: loops over dictionaries, fractions instead of floats."""

from fractions import Fraction


def shares(weights):
    """Normalize a dictionary; empty if there is nothing to share."""
    total = sum(weights.values())
    return {key: weight / total for key, weight in weights.items()} if total else {}


def literal(lexicon, prior):
    """L0[u][m]."""
    return [shares({m: degree * prior[m] for m, degree in enumerate(row)}) for row in lexicon]


def speaker(listener, n_meanings, rationality, penalty):
    """S[m][u] for a whole rationality; `penalty[u]` is exp(-rationality * cost)."""
    return [
        shares({u: row.get(m, 0) ** rationality * penalty[u] for u, row in enumerate(listener) if row})
        for m in range(n_meanings)
    ]


def listener(speaks, prior, n_utterances):
    """L[u][m]."""
    return [shares({m: row.get(u, 0) * prior[m] for m, row in enumerate(speaks)}) for u in range(n_utterances)]


def rounds(lexicon, prior, rationality, depth, penalty=None):
    penalty = penalty or [Fraction(1)] * len(lexicon)
    hears, levels = literal(lexicon, prior), []
    for _ in range(depth):
        speaks = speaker(hears, len(prior), rationality, penalty)
        hears = listener(speaks, prior, len(lexicon))
        levels.append((speaks, hears))
    return levels
