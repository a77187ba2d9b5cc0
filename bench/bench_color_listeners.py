"""Training of color listeners against the published recipe: the same networks, one utterance per step."""

from typing import Any

import numpy as np

from assay.backends.listener_networks import LiteralNetwork, PragmaticNetwork, contexts_of
from assay.backends.listener_training import Games, Kind, Recipe, train
from assay.kernels.ragged import Ragged, running_offsets
from bench.table import Row, best_cpu

N_GAMES, N_WORDS, N_FEATURES = 1_500, 900, 54
MEAN_LENGTH = 3.6


def rows() -> list[Row]:
    games = random_games(N_GAMES)
    note = f"an epoch of {N_GAMES:,} utterances, {N_WORDS} words; CPU seconds, one thread"
    return [
        Row(
            f"training a {kind} color listener",
            "one utterance per step, as the authors",
            best_cpu(lambda kind=kind: one_by_one(kind, games), 1),
            best_cpu(lambda kind=kind: train(kind, games, N_WORDS, Recipe(1), 0, ("bench",)), 2),
            note,
        )
        for kind in ("literal", "pragmatic")
    ]


def random_games(n: int) -> Games:
    """Games with the lengths of real utterances."""
    rng = np.random.default_rng(0)
    lengths = 1 + rng.poisson(MEAN_LENGTH - 1, n)
    words = Ragged(rng.integers(3, N_WORDS, lengths.sum()), running_offsets(lengths))
    offsets = np.arange(0, 3 * n + 1, 3)
    meant = np.zeros((n, 3))
    meant[np.arange(n), rng.integers(3, size=n)] = 1.0
    features = rng.normal(size=(3 * n, N_FEATURES)).astype(np.float32)
    return Games(words, Ragged(np.arange(3 * n), offsets), features, Ragged(meant.ravel(), offsets))


def one_by_one(kind: Kind, games: Games) -> None:
    """An epoch with a step of Adam after every utterance."""
    import torch

    torch.manual_seed(0)
    torch.set_num_threads(1)
    network: Any = (LiteralNetwork if kind == "literal" else PragmaticNetwork)(N_WORDS, N_FEATURES, 0.0)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    for row in np.random.default_rng(0).permutation(len(games)).tolist():
        words = torch.from_numpy(games.words[row])[None]
        colors = torch.from_numpy(games.features[games.choices[row]])[None]
        if kind == "pragmatic":
            colors = contexts_of(colors, torch.zeros(1, dtype=torch.long))
        scores = network(words, torch.tensor([words.shape[1]]), colors)
        loss = torch.nn.functional.cross_entropy(scores, torch.tensor([int(games.meant[row].argmax())]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
