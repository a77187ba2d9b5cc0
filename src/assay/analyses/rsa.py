"""`assay.rsa`: a lexicon game worked out by Rational Speech Acts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.games.rsa import Utility, literal_listener, reason, success
from assay.metaeval.questions.question import signature
from assay.part import Cell, Number, Part, Table
from assay.records.games import Game

CITE = "Frank and Goodman 2012"
UNSAID = "no speaker of this level would say it"
UNSPEAKABLE = "no utterance can express it"


def rsa(
    game: Game, *, rationality: float | None = None, depth: int | None = None, utility: Utility | None = None
) -> Part:
    """Work out what speakers say and listeners understand, exactly.

    L0(m | u) is proportional to lexicon(u, m) prior(m), S1(u | m) to exp(rationality (log L0(m | u) - cost(u))),
    L1(m | u) to S1(u | m) prior(m), and so on up to `depth`.

    Args:
        game: a lexicon with prior and costs, from `assay.load_game` or `Game.of`.
        rationality: instead of the game's own; infinity for speakers who always choose the best utterance.
        depth: instead of the game's own; 1 for S1 and L1, 2 for S2 and L2.
        utility: instead of the game's own: `log`, or `probability` for speakers who value L(m | u) itself.
    """
    chosen: dict[str, Any] = {"rationality": rationality, "depth": depth, "utility": utility}
    game = replace(game, **{key: value for key, value in chosen.items() if value is not None})
    literal = literal_listener(game.lexicon, game.prior)
    rounds = reason(literal, game.prior, game.cost, game.rationality, game.depth, game.utility)
    origin = _signature(game)
    agents = {"L0": literal}
    for level, one in enumerate(rounds, start=1):
        agents |= {f"S{level}": one.speaker, f"L{level}": one.listener}
    numbers = [number for agent, logs in agents.items() for number in _numbers(game, agent, np.exp(logs), origin)]
    recovered = [
        Number("success", float(success(one, game.prior)), len(game.meanings), origin, about={"level": level})
        for level, one in enumerate(rounds, start=1)
    ]
    unsaid = sorted({str(number.about["utterance"]) for number in numbers if number.reason == UNSAID})
    unspeakable = sorted({str(number.about["meaning"]) for number in numbers if number.reason == UNSPEAKABLE})
    best = rounds[-1]
    return Part(
        title=game.title,
        summary=f"{len(game.utterances)} utterances, {len(game.meanings)} meanings, rationality {game.rationality:g}. "
        f"Between S{game.depth} and L{game.depth} a meaning gets across with probability "
        f"{float(success(best, game.prior)):.4f}.",
        numbers=(*numbers, *recovered),
        tables=tuple(_table(game, agent, np.exp(logs)) for agent, logs in agents.items()),
        methods=(origin, CITE),
        notes=(
            *(f"{utterance!r}: {UNSAID}, so a listener has no distribution for it." for utterance in unsaid),
            *(f"{meaning!r}: {UNSPEAKABLE}." for meaning in unspeakable),
        ),
    )


def _numbers(game: Game, agent: str, table: NDArray[np.float64], origin: str) -> Iterator[Number]:
    """A number per utterance and meaning; NaN with a reason where the agent has no distribution."""
    listens = agent.startswith("L")
    why, given, n = (UNSAID, 1, len(game.meanings)) if listens else (UNSPEAKABLE, 0, len(game.utterances))
    defined = table.sum(axis=given) > 0
    for u, utterance in enumerate(game.utterances):
        for m, meaning in enumerate(game.meanings):
            exists = bool(defined[u if listens else m])
            about = {"agent": agent, "utterance": utterance, "meaning": meaning}
            value = float(table[u, m]) if exists else np.nan
            yield Number("probability", value, n, origin, reason="" if exists else why, about=about)


def _table(game: Game, agent: str, table: NDArray[np.float64]) -> Table:
    """A row per utterance for a listener, per meaning for a speaker: every row sums to 1."""
    listens = agent.startswith("L")
    rows, columns = (game.utterances, game.meanings) if listens else (game.meanings, game.utterances)
    shown = table if listens else table.T
    title = f"{agent}: the meaning of an utterance" if listens else f"{agent}: the utterance for a meaning"
    cells: list[tuple[Cell, ...]] = [
        (name, *(row.tolist() if row.sum() > 0 else [None] * len(columns)))
        for name, row in zip(rows, shown, strict=True)
    ]
    return Table(agent.lower(), title, ("utterance" if listens else "meaning", *columns), tuple(cells))


def _signature(game: Game) -> str:
    """The settings, and a hash of the game."""
    digest = blake2b(repr((game.utterances, game.meanings)).encode(), digest_size=8)
    for array in (game.lexicon, game.prior, game.cost):
        digest.update(array.tobytes())
    return signature(
        "rsa",
        game=digest.hexdigest(),
        rationality=float(game.rationality),
        depth=game.depth,
        utility=game.utility,
    )
