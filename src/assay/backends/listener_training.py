"""Train color listeners, and listen with them. Same seed, same bits, also if a training was interrupted and resumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, pi
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.backends.resumable import arrays_of, one_thread, resume
from assay.errors import DataError
from assay.io.checkpoints import Checkpoint
from assay.kernels.ragged import Ragged
from assay.kernels.statistics.beliefs import softmax
from assay.progress import report_progress

Kind = Literal["literal", "pragmatic"]

BATCH, AT_ONCE, STEP = 32, 64, 4
POOL = 50
"""Batches that are filled together, sorted by length, so that short utterances are not padded to the longest."""
WARM_UP = 200
SPOKEN = 0.1
"""Weight of the log-probability of the utterance in the loss of a pragmatic listener, beside that of the target."""


@dataclass(frozen=True, eq=False)
class Games:
    """Utterances as word numbers, and their choices as rows of `features`; `meant` are distributions, to learn from."""

    words: Ragged
    choices: Ragged
    features: NDArray[np.float32]
    meant: Ragged

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True)
class Recipe:
    """How a network is trained."""

    epochs: int
    learning_rate: float = 2e-3
    dropout: float = 0.3


def train(kind: Kind, games: Games, n_words: int, recipe: Recipe, seed: int, key: tuple[str, ...]) -> Any:
    """Train a network with Adam and a learning rate that falls to 0; `key` names the data, for checkpoints."""
    checkpoint = Checkpoint(kind, repr(recipe), str(n_words), str(seed), *key)
    with one_thread("A neural listener") as torch, torch.random.fork_rng():
        torch.manual_seed(seed)
        network = _network(kind, n_words, games.features.shape[1], recipe.dropout)
        optimizer = torch.optim.Adam(network.parameters(), lr=recipe.learning_rate)
        per_epoch = len(_batches(games, np.random.default_rng(0)))
        n_steps = recipe.epochs * per_epoch
        done = resume(network, optimizer, checkpoint)
        for epoch in range(done, recipe.epochs):
            # Every epoch has random numbers of its own, so a resumed training goes on with the same ones.
            rng = np.random.default_rng((seed, epoch))
            torch.manual_seed(int(rng.integers(2**62)))
            network.train()
            for number, rows in enumerate(_batches(games, rng), epoch * per_epoch):
                rate = min(1.0, (number + 1) / WARM_UP) * (1 + cos(pi * number / n_steps)) / 2
                optimizer.param_groups[0]["lr"] = recipe.learning_rate * rate
                loss = _loss(kind, network, games, rows, rng)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                report_progress(number + 1, n_steps)
            checkpoint.save(epoch + 1, arrays_of(network, optimizer))
        checkpoint.remove()
    return network


def listen(kind: Kind, network: Any, games: Games) -> Ragged:
    """The beliefs of a network about the choices of each utterance, in double precision.

    They depend on nothing else in the batch: utterances are padded to a multiple of `STEP` words and heard `AT_ONCE` at
    a time, so that the same matrix products run every time.
    """
    with one_thread("A neural listener") as torch, torch.no_grad():
        network = network.double().eval()
        scores = np.zeros(len(games.choices.values))
        widths = -(-games.words.lengths // STEP) * STEP
        for group in _alike(games, widths):
            for start in range(0, len(group), AT_ONCE):
                rows = group[start : start + AT_ONCE]
                at = games.choices.offsets[rows][:, None] + np.arange(games.choices.lengths[rows[0]])
                beliefs = _log_beliefs(kind, network, games, np.resize(rows, AT_ONCE), int(widths[rows[0]]))
                scores[at] = beliefs[: len(rows)].numpy()
    return softmax(Ragged(scores, games.choices.offsets))


def weights_of(network: Any) -> dict[str, NDArray[np.float32]]:
    """The weights of a network by name."""
    return {name: part.detach().float().numpy() for name, part in network.state_dict().items()}


def network_of(kind: Kind, weights: Mapping[str, NDArray[Any]]) -> Any:
    """A network with saved weights."""
    with one_thread("A neural listener") as torch, torch.random.fork_rng():
        try:
            n_words = len(weights["embedding.weight"])
            width = (
                weights["mean.weight"].shape[0] if kind == "literal" else weights["context_lstm.weight_ih_l0"].shape[1]
            )
            network = _network(kind, n_words, width, 0.0)
            network.load_state_dict({name: torch.from_numpy(np.array(part)) for name, part in weights.items()})
        except (KeyError, RuntimeError):
            raise DataError("the weights are not those of a listener of this kind. Fit it again.") from None
    return network


def _network(kind: Kind, n_words: int, n_features: int, dropout: float) -> Any:
    from assay.backends.listener_networks import N_SPECIAL, LiteralNetwork, PragmaticNetwork

    network = LiteralNetwork if kind == "literal" else PragmaticNetwork
    return network(max(n_words, N_SPECIAL), n_features, dropout)


def _loss(kind: Kind, network: Any, games: Games, rows: NDArray[np.int64], rng: np.random.Generator) -> Any:
    import torch

    words, lengths, colors = _tensors(games, rows, int(games.words.lengths[rows].max()), torch.float32)
    meant = torch.from_numpy(_square(games.meant, rows)).float()
    if kind == "literal":
        return -(meant * network(words, lengths, colors).log_softmax(-1)).sum(-1).mean()
    from assay.backends.listener_networks import contexts_of

    turns = torch.from_numpy(rng.integers(colors.shape[1] - 1, size=len(rows)))
    spoken = network(words, lengths, contexts_of(colors, turns))
    return -(meant * (spoken.log_softmax(-1) + SPOKEN * spoken)).sum(-1).mean()


def _log_beliefs(kind: Kind, network: Any, games: Games, rows: NDArray[np.int64], width: int) -> Any:
    import torch

    words, lengths, colors = _tensors(games, rows, width, torch.float64)
    if kind == "literal":
        return network(words, lengths, colors).log_softmax(-1)
    from assay.backends.listener_networks import contexts_of

    n_turns = colors.shape[1] - 1
    turned = [
        network(words, lengths, contexts_of(colors, torch.full((len(rows),), turn))).log_softmax(-1)
        for turn in range(n_turns)
    ]
    return torch.stack(turned).logsumexp(0)


def _tensors(games: Games, rows: NDArray[np.int64], width: int, dtype: Any) -> tuple[Any, Any, Any]:
    """Words padded to a width, their lengths, and the features of the choices, which are equally many in all rows."""
    import torch

    lengths = games.words.lengths[rows]
    words = np.zeros((len(rows), width), np.int64)
    words[np.arange(words.shape[1]) < lengths[:, None]] = games.words.take(rows).values
    colors = torch.from_numpy(games.features[_square(games.choices, rows)]).to(dtype)
    return torch.from_numpy(words), torch.from_numpy(lengths), colors


def _square(ragged: Ragged, rows: NDArray[np.int64]) -> NDArray[Any]:
    """Rows of equal length as a matrix."""
    return ragged.take(rows).values.reshape(len(rows), -1)


def _alike(games: Games, widths: NDArray[np.int64] | None = None) -> list[NDArray[np.int64]]:
    """The games that can share a batch: those with equally many choices, and of one width if widths are given."""
    widths = np.zeros(len(games), np.int64) if widths is None else widths
    order = np.lexsort((games.words.lengths, widths, games.choices.lengths))
    differs = (np.diff(games.choices.lengths[order]) != 0) | (np.diff(widths[order]) != 0)
    return [group for group in np.split(order, np.flatnonzero(differs) + 1) if len(group)]


def _batches(games: Games, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """All games in random batches of equally many choices and similar lengths."""
    batches = []
    for group in _alike(games):
        shuffled = rng.permutation(np.sort(group))
        for start in range(0, len(shuffled), BATCH * POOL):
            pool = shuffled[start : start + BATCH * POOL]
            pool = pool[np.argsort(games.words.lengths[pool], kind="stable")]
            batches += [pool[at : at + BATCH] for at in range(0, len(pool), BATCH)]
    return [batches[number] for number in rng.permutation(len(batches))]
