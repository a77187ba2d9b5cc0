"""Lexicon games: what each utterance is true of, and what speakers mean and pay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError, did_you_mean
from assay.kernels.games.rsa import UTILITIES, Utility

# What an utterance is true of: a list of meanings, or a degree of truth by meaning.
Entry = Sequence[str] | Mapping[str, float]


MOST_DEPTH = 100


@dataclass(frozen=True, eq=False)
class Game:
    """Utterances and meanings with a lexicon of truth values or degrees, a prior and costs.

    Attributes:
        lexicon: a row per utterance, a column per meaning, 0 to 1.
        prior: how likely each meaning is; sums to 1.
        cost: of each utterance, in units of utility.
        rationality: how strictly speakers choose the best utterance; infinity picks it always.
        depth: how often speaker and listener reason about each other.
        utility: what a speaker values: the `log` of the listener's probability, or the `probability`.
        title: of the game.
    """

    utterances: tuple[str, ...]
    meanings: tuple[str, ...]
    lexicon: NDArray[np.float64]
    prior: NDArray[np.float64]
    cost: NDArray[np.float64]
    rationality: float = 1.0
    depth: int = 1
    utility: Utility = "log"
    title: str = "Game"

    def __post_init__(self) -> None:
        problem = _problem_of_reasoning(self.rationality, self.depth, self.utility)
        if problem:
            raise DataError(f"{self.title}: {problem}")

    @classmethod
    def of(
        cls,
        lexicon: Mapping[str, Entry],
        *,
        meanings: Sequence[str] = (),
        prior: Mapping[str, float] | None = None,
        cost: Mapping[str, float] | None = None,
        rationality: float = 1.0,
        depth: int = 1,
        utility: Utility = "log",
        title: str = "Game",
        source: str = "game",
    ) -> Game:
        """Check a game and put it into arrays; `source` begins every message.

        Args:
            lexicon: what each utterance is true of: a list of meanings, or degrees from 0 to 1 by meaning.
            meanings: in order; by default those of the lexicon in order of appearance.
            prior: a weight for every meaning; by default all are equally likely.
            cost: by utterance; 0 where left out.
            rationality: above 0, or infinite.
            depth: 1 for S1 and L1, 2 for S2 and L2.
            utility: of speakers, `log` or `probability`.
            title: of the game.
            source: the name of the file.

        >>> Game.of({"some": ["some but not all", "all"], "all": ["all"]}).meanings
        ('some but not all', 'all')
        """
        problems: list[str] = []
        degrees = {utterance: _degrees(source, utterance, entry, problems) for utterance, entry in lexicon.items()}
        if problems:
            raise DataError(problems)
        named = tuple(meanings) or tuple(dict.fromkeys(meaning for entry in degrees.values() for meaning in entry))
        if not degrees:
            problems.append(f'{source}: the lexicon is empty. Write a line per utterance: some = ["a", "b"].')
        elif len(named) < 2:
            problems.append(f"{source}: a single meaning leaves nothing to choose. Add another to the lexicon.")
        if len(set(named)) < len(named):
            problems.append(f"{source}: a meaning is listed twice in meanings. Remove one.")
        for utterance, entry in degrees.items():
            problems += [
                f"{source}: {utterance!r} is true of {meaning!r}, not one of meanings.{did_you_mean(meaning, named)}"
                for meaning in entry
                if meaning not in named
            ]
            if not any(entry.values()):
                problems.append(f"{source}: {utterance!r} is true of nothing. Name a meaning, or leave it out.")
        weights = _weights(source, prior, named, problems)
        costs = _costs(source, cost or {}, tuple(degrees), problems)
        reasoning = _problem_of_reasoning(rationality, depth, utility)
        problems += [f"{source}: {reasoning}"] if reasoning else []
        if problems:
            raise DataError(problems)
        table = [[entry.get(meaning, 0.0) for meaning in named] for entry in degrees.values()]
        weights = weights / weights.sum()
        return cls(tuple(degrees), named, np.array(table), weights, costs, float(rationality), depth, utility, title)


def _problem_of_reasoning(rationality: float, depth: int, utility: str) -> str:
    if not rationality > 0:
        return f"the rationality is {rationality}. Give a number above 0, or inf."
    if not 1 <= depth <= MOST_DEPTH:
        return f"the depth is {depth}. Give 1 (for S1 and L1) to {MOST_DEPTH}."
    if utility not in UTILITIES:
        return f"no utility {utility!r}.{did_you_mean(utility, UTILITIES)}"
    return ""


def _degrees(source: str, utterance: str, entry: Entry, problems: list[str]) -> dict[str, float]:
    if isinstance(entry, Mapping):
        for meaning, degree in entry.items():
            if not _is_number(degree) or not 0 <= degree <= 1:
                problems.append(f"{source}: the degree of {utterance!r} for {meaning!r} is {degree!r}, not 0 to 1.")
                return {}
        return {meaning: float(degree) for meaning, degree in entry.items()}
    if isinstance(entry, str) or not isinstance(entry, Sequence) or not all(isinstance(one, str) for one in entry):
        problems.append(
            f'{source}: {utterance!r} needs a list of meanings, ["a", "b"], or degrees, {{a = 1, b = 0.5}}.'
        )
        return {}
    return dict.fromkeys(entry, 1.0)


def _weights(
    source: str, prior: Mapping[str, float] | None, meanings: tuple[str, ...], problems: list[str]
) -> NDArray[np.float64]:
    if prior is None:
        return np.ones(len(meanings))
    for meaning in prior:
        if meaning not in meanings:
            problems.append(
                f"{source}: the prior has no meaning {meaning!r} to weigh.{did_you_mean(meaning, meanings)}"
            )
    for meaning in meanings:
        if meaning not in prior:
            problems.append(f"{source}: the prior has no weight for {meaning!r}. Give one of 0 or more.")
            return np.ones(len(meanings))
        weight = prior[meaning]
        if not _is_number(weight) or not 0 <= weight < inf:
            problems.append(f"{source}: the prior of {meaning!r} is {weight!r}. Give a weight of 0 or more.")
            return np.ones(len(meanings))
    weights = np.array([float(prior[meaning]) for meaning in meanings])
    if not 0 < weights.sum() < inf:
        problems.append(f"{source}: the weights of the prior add up to {weights.sum()}. At least one must be above 0.")
    return weights


def _costs(
    source: str, cost: Mapping[str, float], utterances: tuple[str, ...], problems: list[str]
) -> NDArray[np.float64]:
    for utterance, value in cost.items():
        if utterance not in utterances:
            problems.append(
                f"{source}: a cost of {utterance!r}, which is not said.{did_you_mean(utterance, utterances)}"
            )
        elif not _is_number(value) or not isfinite(value):
            problems.append(f"{source}: the cost of {utterance!r} is {value!r}. Give a number.")
            return np.zeros(len(utterances))
    return np.array([float(cost.get(utterance, 0.0)) for utterance in utterances])


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
