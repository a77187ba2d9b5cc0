"""One trainer for the networks that tell two classes of texts apart.

Adam on the weighted cross-entropy. With held-back texts, training ends when their loss has not fallen for some epochs,
and the best weights are kept; without, after a given number of epochs. Every epoch has random numbers of its own, so
the same seed gives the same bits, whether or not training was interrupted: the state after each epoch is kept on disk
for a week (`io.trainings`), and the same training goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from hashlib import blake2b
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.backends.loading import load_transformers
from assay.backends.text_networks import NETWORKS
from assay.backends.watching import report
from assay.io.trainings import TrainingStore

Ids = NDArray[np.int64]
Weights = dict[str, NDArray[Any]]

ROWS = 64
STEP = 16
"""Texts are scored in batches of ROWS, padded to a multiple of STEP tokens: a score depends on its text alone."""


@dataclass(frozen=True)
class Recipe:
    """How to train: epochs at most, learning rate, texts per step, and epochs to wait for a smaller loss."""

    epochs: int
    rate: float
    batch: int = 32
    patience: int = 2


class Labeled(NamedTuple):
    """Texts as padded ids, with their classes (1 or 0) and weights."""

    ids: Ids
    target: NDArray[np.float32]
    weights: NDArray[np.float32]


def train_network(
    kind: str,
    settings: dict[str, Any],
    examples: Labeled,
    recipe: Recipe,
    seed: int,
    held_back: Labeled | None = None,
) -> tuple[Weights, int]:
    """Train a network; return the weights that training changes, and the number of epochs they took."""
    torch = _torch()
    store = TrainingStore(_key(kind, settings, examples, recipe, seed, held_back))
    with _repeatable(seed):
        network = NETWORKS[kind](**settings)
    tuned = {name: part for name, part in network.named_parameters() if part.requires_grad}
    optimizer = torch.optim.Adam(tuned.values(), lr=recipe.rate)
    run = _Run(network, tuned, optimizer)
    done = store.read()
    progress: dict[str, Any] = {"epoch": 0, "best": None, "best_epoch": 0, "over": False, "finished": False}
    if done is not None:
        progress = done[0]
        run.restore(done[1])
    if progress["finished"]:
        return run.kept, progress["best_epoch"]
    while progress["epoch"] < recipe.epochs and not progress["over"]:
        epoch = progress["epoch"] + 1
        with _repeatable(seed + epoch):
            loss = run.one_epoch(examples, recipe.batch, np.random.default_rng([seed, epoch]))
        progress |= {"epoch": epoch}
        if held_back is None:
            progress |= {"best_epoch": epoch}
        else:
            loss = run.loss(held_back)
            if loss < (inf if progress["best"] is None else progress["best"]):
                progress |= {"best": loss, "best_epoch": epoch}
                run.keep()
            progress |= {"over": epoch - progress["best_epoch"] >= recipe.patience}
        store.write(progress, run.state())
        report(f"{kind}: epoch {epoch} of at most {recipe.epochs}, loss {loss:.4f}")
    if held_back is None:
        run.keep()
    store.write(progress | {"finished": True}, {f"kept {name}": part for name, part in run.kept.items()})
    return run.kept, progress["best_epoch"]


def network_margins(kind: str, settings: dict[str, Any], weights: Weights, ids: Ids) -> NDArray[np.float64]:
    """The log-odds of each text under a trained network."""
    torch = _torch()
    with _repeatable(0):
        network = NETWORKS[kind](**settings)
    with torch.no_grad():
        for name, part in network.named_parameters():
            if name in weights:
                part.copy_(torch.from_numpy(np.array(weights[name])))
    return _margins(network, ids)


def _margins(network: Any, ids: Ids) -> NDArray[np.float64]:
    torch = _torch()
    network.eval()
    margins = np.zeros(len(ids))
    lengths = (ids != 0).sum(axis=1)
    width = np.clip(-(-lengths // STEP) * STEP, min(STEP, ids.shape[1]), ids.shape[1])
    for one in np.unique(width):
        group = np.flatnonzero(width == one)
        for start in range(0, len(group), ROWS):
            members = group[start : start + ROWS]
            with _one_thread(), torch.inference_mode():
                logits = network(torch.from_numpy(ids[np.resize(members, ROWS), :one]))
            margins[members] = logits[: len(members)].double().numpy()
    return margins


class _Run:
    """A network under training, its optimizer, and the best weights so far."""

    def __init__(self, network: Any, tuned: dict[str, Any], optimizer: Any) -> None:
        self.network, self.tuned, self.optimizer = network, tuned, optimizer
        self.kept: Weights = {}

    def one_epoch(self, examples: Labeled, size: int, rng: np.random.Generator) -> float:
        torch = _torch()
        self.network.train()
        order, total = rng.permutation(len(examples.ids)), 0.0
        for start in range(0, len(order), size):
            rows = order[start : start + size]
            ids = examples.ids[rows]
            longest = max(1, int((ids != 0).sum(axis=1).max()))
            logits = self.network(torch.from_numpy(ids[:, :longest]))
            loss = torch.nn.functional.binary_cross_entropy_with_logits(
                logits, torch.from_numpy(examples.target[rows]), torch.from_numpy(examples.weights[rows])
            )
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += float(loss.detach()) * len(rows)
        return total / len(order)

    def loss(self, held_back: Labeled) -> float:
        log_odds = _margins(self.network, held_back.ids)
        losses = np.logaddexp(0.0, log_odds) - held_back.target * log_odds
        return float(np.average(losses, weights=held_back.weights))

    def keep(self) -> None:
        self.kept = self._weights()

    def state(self) -> Weights:
        """Everything that the next epoch depends on."""
        arrays = {f"now {name}": part for name, part in self._weights().items()}
        arrays |= {f"kept {name}": part for name, part in self.kept.items()}
        for name, part in self.tuned.items():
            for key, value in self.optimizer.state[part].items():
                arrays[f"{key} {name}"] = value.numpy()
        return arrays

    def restore(self, arrays: Weights) -> None:
        """Go back to a state; of a training that is over only the weights are left."""
        torch = _torch()
        self.kept = {name.removeprefix("kept "): part for name, part in arrays.items() if name.startswith("kept ")}
        if not any(name.startswith("now ") for name in arrays):
            return
        with torch.no_grad():
            for name, part in self.tuned.items():
                part.copy_(torch.from_numpy(arrays[f"now {name}"].copy()))
                self.optimizer.state[part] = {
                    key: torch.from_numpy(arrays[f"{key} {name}"].copy()) for key in ("step", "exp_avg", "exp_avg_sq")
                }

    def _weights(self) -> Weights:
        return {name: part.detach().numpy().copy() for name, part in self.tuned.items()}


def _key(kind: str, settings: dict[str, Any], examples: Labeled, recipe: Recipe, seed: int, held_back: Any) -> str:
    digest = blake2b(repr((kind, sorted(settings.items()), astuple(recipe), seed)).encode(), digest_size=16)
    for part in (*examples, *(held_back or ())):
        digest.update(repr(part.shape).encode() + part.tobytes())
    return digest.hexdigest()


@contextmanager
def _repeatable(seed: int) -> Iterator[None]:
    """Seed torch inside, and leave its random numbers outside as they were."""
    torch = _torch()
    with torch.random.fork_rng(devices=[]), _one_thread():
        torch.manual_seed(seed)
        yield


@contextmanager
def _one_thread() -> Iterator[None]:
    """Sums in one order, whatever the number of cores."""
    torch = _torch()
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _torch() -> Any:
    load_transformers()
    import torch

    return torch
