"""Rational Speech Acts (Frank and Goodman 2012): speakers and listeners that reason about each other, exactly.

Arrays of any number of games have utterances on the last axis but one and meanings on the last. All probabilities are
logarithms. Where an agent has no distribution (an utterance that no one would say, a meaning for which there is nothing
to say) every entry is -inf.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Utility = Literal["log", "probability"]
UTILITIES = ("log", "probability")

# Utterances whose utilities differ by less are equally good for a perfectly rational speaker.
TIE = 1e-9


class Round(NamedTuple):
    """One level of reasoning: a speaker, log S(u | m), and the listener who expects it, log L(m | u)."""

    speaker: Floats
    listener: Floats


def literal_listener(lexicon: Floats, prior: Floats) -> Floats:
    """Return log L0(m | u), with L0 proportional to lexicon(u, m) prior(m).

    The lexicon holds truth values or degrees.
    """
    with np.errstate(divide="ignore"):
        return normalized(np.log(lexicon) + np.log(prior)[..., None, :], axis=-1)


def speaker(listener: Floats, cost: Floats, rationality: float, utility: Utility = "log") -> Floats:
    """Return log S(u | m), with S proportional to exp(rationality (U - cost(u))).

    U is log L(m | u), or with the utility `probability` L(m | u) itself.

    With infinite rationality the best utterances share the probability equally.
    """
    heard = np.isfinite(listener).any(axis=-1, keepdims=True)
    informative = listener if utility == "log" else np.where(heard, np.exp(listener), -np.inf)
    value = informative - cost[..., :, None]
    if np.isinf(rationality):
        best = value.max(axis=-2, keepdims=True)
        return normalized(np.where((value >= best - TIE) & np.isfinite(value), 0.0, -np.inf), axis=-2)
    return normalized(rationality * value, axis=-2)


def pragmatic_listener(speaker: Floats, prior: Floats) -> Floats:
    """Return log L(m | u), with L proportional to S(u | m) prior(m)."""
    with np.errstate(divide="ignore"):
        return normalized(speaker + np.log(prior)[..., None, :], axis=-1)


def reason(
    literal: Floats, prior: Floats, cost: Floats, rationality: float, depth: int, utility: Utility = "log"
) -> list[Round]:
    """Return the speakers and listeners of levels 1 to `depth` above a literal listener, log L0(m | u)."""
    rounds: list[Round] = []
    listener = literal
    for _ in range(depth):
        speaks = speaker(listener, cost, rationality, utility)
        listener = pragmatic_listener(speaks, prior)
        rounds.append(Round(speaks, listener))
    return rounds


def success(one: Round, prior: Floats) -> Floats:
    """The probability that the listener recovers what the speaker of the same level means."""
    recovered = np.exp(one.speaker + one.listener).sum(axis=-2)
    return np.asarray((recovered * prior).sum(axis=-1))


def normalized(logs: Floats, axis: int) -> Floats:
    """Normalize to log-probabilities along an axis; without any mass, all stay -inf."""
    largest = logs.max(axis=axis, keepdims=True)
    shifted = logs - np.where(np.isfinite(largest), largest, 0.0)
    with np.errstate(divide="ignore"):
        total = np.log(np.exp(shifted).sum(axis=axis, keepdims=True))
    return shifted - np.where(np.isfinite(total), total, 0.0)
