"""Train word networks: one trainer for all of them. Same seed, same bits, also after an interrupt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import cos, exp, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.backends.language.recurrent import WordNetwork
from assay.backends.language.words import START
from assay.backends.resumable import arrays_of, one_thread, resume
from assay.io.checkpoints import Checkpoint
from assay.progress import report_progress

BATCH = 32
CLIP = 5.0
IGNORED = -100

# The numbers of a text's words, with what stands before it and its end.
Row = tuple[int, ...]


@dataclass(frozen=True)
class Recipe:
    """How a network is trained.

    Attributes:
        epochs: passes over the texts.
        size: of embeddings and states.
        learning_rate: the first; it falls to 0 along a cosine.
        dropout: share of inputs and outputs that are dropped.
        scheduled: share of words that are replaced by the network's own guesses at the end of the training, growing
            linearly from 0 (scheduled sampling, Bengio et al. 2015).
    """

    epochs: int = 12
    size: int = 256
    learning_rate: float = 3e-3
    dropout: float = 0.5
    scheduled: float = 0.0


def train(
    build: Callable[[], WordNetwork],
    rows: Sequence[Row],
    recipe: Recipe,
    seed: int,
    key: str,
    loss: Callable[[Any, Sequence[Row], float], Any] | None = None,
) -> Any:
    """Train a network on rows of words; `key` names what it is and reads, for checkpoints.

    `loss` is asked with the network, some rows and the share of words to guess; by default it is `word_loss`.
    """
    checkpoint = Checkpoint("word network", key, repr(recipe), str(seed), sha256(repr(rows).encode()).hexdigest())
    with one_thread("A trained generator") as torch, torch.random.fork_rng():
        torch.manual_seed(seed)
        network = build()
        trained = [part for part in network.parameters() if part.requires_grad]
        optimizer = torch.optim.Adam(trained, lr=recipe.learning_rate)
        done = resume(network, optimizer, checkpoint)
        per_epoch = -(-len(rows) // BATCH)
        n_steps = recipe.epochs * per_epoch
        network.parts.train()
        for epoch in range(done, recipe.epochs):
            # Every epoch has random numbers of its own, so a resumed training goes on with the same ones.
            rng = np.random.default_rng((seed, epoch))
            torch.manual_seed(int(rng.integers(2**62)))
            for number, batch in enumerate(_batches([len(row) for row in rows], rng), epoch * per_epoch):
                optimizer.param_groups[0]["lr"] = recipe.learning_rate * (1 + cos(pi * number / n_steps)) / 2
                guessed = recipe.scheduled * number / n_steps
                missed = (loss or word_loss)(network, [rows[place] for place in batch], guessed)
                optimizer.zero_grad()
                missed.backward()
                torch.nn.utils.clip_grad_norm_(trained, CLIP)
                optimizer.step()
                report_progress(number + 1, n_steps)
            checkpoint.save(epoch + 1, arrays_of(network, optimizer))
        checkpoint.remove()
        network.parts.eval()
    return network


def perplexity(network: WordNetwork, rows: Sequence[Row]) -> float:
    """Perplexity per word, the end of each text counted as one."""
    total, n = 0.0, 0
    with one_thread("A trained generator") as torch, torch.no_grad():
        network.parts.eval()
        for start in range(0, len(rows), BATCH):
            some = rows[start : start + BATCH]
            # What stands before the beginning of a text is not predicted.
            n_words = sum(len(row) - 1 - row.index(START) for row in some)
            total += float(word_loss(network, some, 0.0)) * n_words
            n += n_words
    return exp(total / n)


def _batches(lengths: Sequence[int], rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Texts of similar length together, in random order."""
    order = rng.permutation(len(lengths))
    pools = [order[start : start + BATCH * 16] for start in range(0, len(order), BATCH * 16)]
    batches = []
    for pool in pools:
        ranked = pool[np.argsort(np.asarray(lengths)[pool], kind="stable")]
        batches += [ranked[start : start + BATCH] for start in range(0, len(ranked), BATCH)]
    return [batches[place] for place in rng.permutation(len(batches))]


def word_loss(network: WordNetwork, rows: Sequence[Row], guessed: float) -> Any:
    """Mean cross-entropy per word; a share of the inputs are the network's own guesses."""
    import torch

    inputs, targets = inputs_and_targets(rows)
    if guessed > 0:
        with torch.no_grad():
            logits, _ = network.run(inputs)
            # The guess for a place is drawn after the words before it; the beginning is never guessed.
            shares = logits[:, :-1].softmax(-1)
            drawn = torch.multinomial(shares.flatten(0, 1), 1).reshape(shares.shape[:2])
            replaced = torch.rand(drawn.shape) < guessed
        inputs = torch.cat([inputs[:, :1], torch.where(replaced, drawn, inputs[:, 1:])], 1)
    logits, _ = network.run(inputs)
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED)


def inputs_and_targets(rows: Sequence[Row]) -> tuple[Any, Any]:
    """Rows padded on the right: all but the last word of each, and the word to predict after it or IGNORED."""
    import torch

    tokens = torch.full((len(rows), max(map(len, rows))), IGNORED)
    for place, row in enumerate(rows):
        tokens[place, : len(row)] = torch.tensor(list(row))
    targets = tokens[:, 1:]
    return tokens[:, :-1].clamp(min=0), targets.masked_fill(targets == START, IGNORED)
