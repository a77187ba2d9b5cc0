"""Generators trained against a critic: SeqGAN, its start by maximum likelihood, RankGAN and LeakGAN."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from assay.backends.language.adversarial.rounds import Rounds, play_rounds, policy_loss
from assay.backends.language.recurrent import LSTMNetwork, WordNetwork
from assay.backends.language.word_training import Recipe, Row, train
from assay.backends.language.words import END, START, UNKNOWN, WordEncoder
from assay.backends.resumable import one_thread
from assay.generators.kinds import FitTask, FittedGenerator
from assay.generators.word_fitting import chosen, fitted_words, word_encoder, word_rows

# A small network needs more passes than the LSTM of twice its size: after 12 it is worse than trigrams.
START_RECIPE = Recipe(epochs=30, size=128, learning_rate=5e-3)
LEAK_RECIPE = Recipe(size=128)
CRITIC, FILTERS = 64, 32
CORRUPTED, STEPS, BATCH = 0.5, 150, 32


def fit_mle_seqgan(task: FitTask) -> FittedGenerator:
    """The generator of SeqGAN before its rounds."""
    encoder, recipe, rows = _start(task)
    network = _pretrained(encoder, rows, recipe, task.seed)
    return _saved(task, encoder, network, recipe, {})


def fit_seqgan(task: FitTask) -> FittedGenerator:
    """SeqGAN: a discriminator pays for texts."""
    return _against(task, "discriminator")


def fit_rankgan(task: FitTask) -> FittedGenerator:
    """RankGAN: a ranker pays for texts."""
    return _against(task, "ranker")


def fit_leakgan(task: FitTask) -> FittedGenerator:
    """LeakGAN: the discriminator also tells what it sees."""
    from assay.backends.language.adversarial.critics import Discriminator, PrefixFeatures
    from assay.backends.language.adversarial.leaking import LeakNetwork, leak_loss, leak_policy_loss

    encoder, recipe, rows = _start(task, LEAK_RECIPE)
    rounds = _rounds(task, Rounds(critic_rate=1e-4))
    n, key = len(encoder.words), repr(("leak", encoder.words, recipe))

    def taught() -> Any:
        """The features that are leaked, from telling people's texts from corrupted ones."""
        with one_thread("An adversarial generator") as torch, torch.random.fork_rng():
            torch.manual_seed(task.seed)
            critic = Discriminator(PrefixFeatures(n, CRITIC, FILTERS))
            _tell_corrupted(critic, rows, n, task.seed)
        return critic

    critic = taught()

    def build() -> tuple[Any, Any]:
        return LeakNetwork(n, recipe.size, critic.features), critic

    def pretrained() -> Any:
        return train(
            lambda: LeakNetwork(n, recipe.size, critic.features, recipe.dropout),
            rows,
            recipe,
            task.seed,
            key,
            leak_loss,
        )

    network = play_rounds(pretrained, build, rows, rounds, task.seed, key, leak_policy_loss)
    return _saved(task, encoder, network, recipe, asdict(rounds), {"critic": CRITIC, "filters": FILTERS})


def _against(task: FitTask, critic: str) -> FittedGenerator:
    from assay.backends.language.adversarial.critics import Discriminator, PrefixFeatures, Ranker

    encoder, recipe, rows = _start(task)
    rounds, n = _rounds(task, Rounds()), len(encoder.words)

    def build() -> tuple[WordNetwork, Any]:
        features = PrefixFeatures(n, CRITIC, FILTERS)
        network = LSTMNetwork(n, recipe.size)
        return network, Ranker(features) if critic == "ranker" else Discriminator(features)

    network = play_rounds(
        lambda: _pretrained(encoder, rows, recipe, task.seed),
        build,
        rows,
        rounds,
        task.seed,
        repr((critic, encoder.words, recipe)),
        policy_loss,
    )
    return _saved(task, encoder, network, recipe, asdict(rounds))


def _start(task: FitTask, recipe: Recipe = START_RECIPE) -> tuple[WordEncoder, Recipe, list[Row]]:
    encoder = word_encoder(task)
    return encoder, chosen(recipe, task), word_rows(encoder, task, task.rows)


def _rounds(task: FitTask, rounds: Rounds) -> Rounds:
    return replace(rounds, **{name: task.options[name] for name in ("rounds",) if name in task.options})


def _pretrained(encoder: WordEncoder, rows: Sequence[Row], recipe: Recipe, seed: int) -> WordNetwork:
    network: WordNetwork = train(
        lambda: LSTMNetwork(len(encoder.words), recipe.size, recipe.dropout), rows, recipe, seed, repr(encoder.words)
    )
    return network


def _saved(
    task: FitTask,
    encoder: WordEncoder,
    network: WordNetwork,
    recipe: Recipe,
    rounds: dict[str, Any],
    settings: dict[str, Any] | None = None,
) -> FittedGenerator:
    held_out = word_rows(encoder, task, task.held_out)
    about = {**asdict(recipe), **({"adversarial": rounds} if rounds else {})}
    return fitted_words(task, encoder, network, held_out, {"size": recipe.size, **(settings or {})}, about)


def _tell_corrupted(critic: Any, rows: Sequence[Row], n_words: int, seed: int) -> None:
    """Teach a critic to tell texts from the same texts with half of the words replaced by any others of the texts."""
    import torch

    from assay.backends.language.adversarial.playing import texts_of

    rng = np.random.default_rng((seed, 2**33))
    torch.manual_seed(int(rng.integers(2**62)))
    said = np.array([word for row in rows for word in row if word not in (START, END)] or [UNKNOWN])
    most = int(np.quantile([len(row) - 1 for row in rows], 0.95)) + 1
    optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
    critic.train()
    for _ in range(STEPS):
        people, lengths = texts_of([rows[int(place)] for place in rng.integers(len(rows), size=BATCH)], most)
        changed = (torch.from_numpy(rng.random(people.shape)) < CORRUPTED) & (people != END)
        other = torch.from_numpy(rng.choice(said, people.shape))
        missed = critic.loss((people, lengths), (torch.where(changed, other, people), lengths))
        optimizer.zero_grad()
        missed.backward()
        optimizer.step()
