"""Rounds of adversarial training: the generator plays, the critic pays, both learn. Same seed, same bits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from assay.backends.language.adversarial.playing import Played, drawn_texts, played, texts_of
from assay.backends.language.recurrent import IMPOSSIBLE, WordNetwork
from assay.backends.language.word_training import CLIP, Row
from assay.backends.language.words import START
from assay.backends.resumable import arrays_of, one_thread, restore
from assay.io.checkpoints import Checkpoint
from assay.progress import report_progress

BATCH = 32
PEOPLE = 64
SAVED = 5
"""Rounds between two checkpoints."""
GENERATOR, CRITIC = "generator ", "critic "


@dataclass(frozen=True)
class Rounds:
    """How generator and critic are trained against each other.

    Attributes:
        rounds: how many.
        learning_rate: of the generator. At 1e-4 texts stay texts; at 1e-3 they become word salad.
        critic_rate: of the critic.
        first: steps of the critic before the first round.
        each: steps of the critic in each round.
    """

    rounds: int = 40
    learning_rate: float = 1e-4
    critic_rate: float = 1e-3
    first: int = 60
    each: int = 2


# The loss of a generator after a play, with human texts to learn from.
Loss = Callable[[Any, Played, Sequence[Row]], Any]


def play_rounds(
    pretrained: Callable[[], WordNetwork],
    build: Callable[[], tuple[WordNetwork, Any]],
    rows: Sequence[Row],
    recipe: Rounds,
    seed: int,
    key: str,
    loss: Loss,
) -> Any:
    """Train a network that `pretrained` gives against a critic.

    `build` makes network and critic, without what the network has learnt; `key` names all of it, for checkpoints.
    """
    digest = sha256(repr(rows).encode()).hexdigest()
    checkpoint = Checkpoint("adversarial network", key, repr(recipe), str(seed), digest)
    kept = checkpoint.load()
    # A training that got as far as the rounds is not pretrained again.
    weights: Mapping[str, Any] = {} if kept else pretrained().state_dict()
    most = int(np.quantile([len(row) - 1 for row in rows], 0.95)) + 1
    with one_thread("An adversarial generator") as torch, torch.random.fork_rng():
        torch.manual_seed(seed)
        network, critic = build()
        network.parts.eval()
        paid = torch.optim.Adam(critic.parameters(), lr=recipe.critic_rate)
        trained = [part for part in network.parameters() if part.requires_grad]
        optimizer = torch.optim.Adam(trained, lr=recipe.learning_rate)
        for part in critic.parameters():
            part.requires_grad_(True)

        def teach(rng: np.random.Generator, steps: int) -> None:
            for _ in range(steps):
                people = texts_of([rows[int(place)] for place in rng.integers(len(rows), size=PEOPLE)], most)
                missed = critic.loss(people, drawn_texts(network, BATCH, most))
                paid.zero_grad()
                missed.backward()
                paid.step()

        def save(done: int) -> None:
            arrays = {GENERATOR + name: part for name, part in arrays_of(network, optimizer).items()}
            arrays |= {CRITIC + name: part for name, part in arrays_of(critic, paid).items()}
            checkpoint.save(done, arrays)

        if kept is None:
            network.load_state_dict(weights)
            rng = np.random.default_rng((seed, 2**32))
            torch.manual_seed(int(rng.integers(2**62)))
            critic.train()
            teach(rng, recipe.first)
            save(0)
        else:
            for who, how, prefix in ((network, optimizer, GENERATOR), (critic, paid, CRITIC)):
                own = {name.removeprefix(prefix): part for name, part in kept[1].items() if name.startswith(prefix)}
                restore(who, how, own)
        for number in range(kept[0] if kept else 0, recipe.rounds):
            # Every round has random numbers of its own, so a resumed training goes on with the same ones.
            rng = np.random.default_rng((seed, number))
            torch.manual_seed(int(rng.integers(2**62)))
            people = [rows[int(place)] for place in rng.integers(len(rows), size=PEOPLE)]
            critic.eval()
            with torch.no_grad():
                critic.meet(texts_of(people, most))
                play = played(network, critic, BATCH, most)
            missed = loss(network, play, people[:BATCH])
            optimizer.zero_grad()
            missed.backward()
            torch.nn.utils.clip_grad_norm_(trained, CLIP)
            optimizer.step()
            critic.train()
            teach(rng, recipe.each)
            if (number + 1) % SAVED == 0:
                save(number + 1)
            report_progress(number + 1, recipe.rounds)
        checkpoint.remove()
    return network


def policy_loss(network: WordNetwork, play: Played, people: Sequence[Row]) -> Any:
    """REINFORCE (Williams 1992): words are worth what they bring above the mean of the texts at their place."""
    logits, _ = network.run(play.inputs)
    return reinforced(logits, play, play.values)


def reinforced(logits: Any, play: Played, values: Any) -> Any:
    """Minus the mean log-probability of the words that were drawn, each times its advantage."""
    mask = play.present.float()
    mean = (values * mask).sum(0) / mask.sum(0).clamp(min=1)
    logits = logits.clone()
    logits[..., START] = IMPOSSIBLE
    said = logits.log_softmax(-1).gather(-1, play.words[..., None])[..., 0]
    return -(said * (values - mean) * mask).sum() / mask.sum()
