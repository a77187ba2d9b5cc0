"""LeakGAN (Guo et al. 2018): the critic leaks its features to the generator, where a manager sets goals for a worker.

After every word the manager, an LSTM, reads the critic's features of the text so far and names a direction in which
they should move. The worker, a word LSTM, gives the next word; the sum of the last goals scales its state. Here the
product of state and goals is taken elementwise, where the paper has a matrix for each word: with the texts of a small
study those have too many weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.backends.language.adversarial.playing import Played
from assay.backends.language.adversarial.rounds import reinforced
from assay.backends.language.recurrent import WordModel, WordNetwork, saved_weights, saved_words, word_embedding
from assay.backends.language.word_training import IGNORED, Row, inputs_and_targets
from assay.backends.language.words import WordEncoder
from assay.io.generator_folders import GeneratorFolder

HORIZON = 4
"""Words after which a goal should be reached."""


class LeakNetwork(WordNetwork):
    """A worker led by a manager that sees what the critic sees."""

    def __init__(self, n_words: int, size: int, features: Any, dropout: float = 0.0) -> None:
        import torch

        self.size = size
        n_features = features.n_features
        self.parts = torch.nn.ModuleDict(
            {
                "embedding": word_embedding(n_words, size),
                "worker": torch.nn.LSTM(size, size, batch_first=True),
                "manager": torch.nn.LSTM(n_features, size, batch_first=True),
                "goal": torch.nn.Linear(size, n_features),
                "led": torch.nn.Linear(n_features, size, bias=False),
                "leak": features,
                "dropout": torch.nn.Dropout(dropout),
            }
        )
        self.bias = torch.nn.Parameter(torch.zeros(n_words))
        # The critic's features are the critic's to train.
        for part in features.parameters():
            part.requires_grad_(False)

    def parameters(self) -> list[Any]:
        """What is trained: all but the critic's features."""
        leaked = {id(part) for part in self.parts["leak"].parameters()}
        return [part for part in super().parameters() if id(part) not in leaked]

    def run(self, tokens: Any, state: Any = None) -> tuple[Any, Any]:
        """Logits after every word, and the state after the last."""
        logits, state, _, _ = self.led(tokens, state)
        return logits, state

    def led(self, tokens: Any, state: Any = None) -> tuple[Any, Any, Any, Any]:
        """The same with the leaked features and the goals after every word."""
        import torch

        drop, leak = self.parts["dropout"], self.parts["leak"]
        if state is None:
            n = len(tokens)
            tail, peak = leak.start(n)
            empty = torch.zeros(1, n, self.size)
            before = torch.zeros(HORIZON - 1, n, leak.n_features)
            state = (empty, empty, empty, empty, tail.transpose(0, 1), peak[None], before)
        worker, cell, manager, memory, tail, peak, before = state
        with torch.no_grad():
            features, tail, peak = leak.read(tokens, tail.transpose(0, 1), peak[0])
        managed, (manager, memory) = self.parts["manager"](features, (manager, memory))
        goals = torch.nn.functional.normalize(self.parts["goal"](managed), dim=-1)
        recent = torch.cat([before.transpose(0, 1), goals], 1)
        summed = recent.unfold(1, HORIZON, 1).sum(-1)
        spoken, (worker, cell) = self.parts["worker"](drop(self.parts["embedding"](tokens)), (worker, cell))
        # The worker does not teach the manager.
        voiced = spoken * (1 + self.parts["led"](summed.detach()))
        logits = drop(voiced) @ self.parts["embedding"].weight.T + self.bias
        kept = recent[:, recent.shape[1] - HORIZON + 1 :].detach().transpose(0, 1)
        after = (worker, cell, manager, memory, tail.transpose(0, 1), peak[None], kept)
        return logits, after, features, goals


def leak_loss(network: LeakNetwork, rows: Sequence[Row], guessed: float) -> Any:
    """Pretraining: the worker learns the words of people, the manager where their features move."""
    import torch

    inputs, targets = inputs_and_targets(rows)
    logits, _, features, goals = network.led(inputs)
    missed = torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED)
    return missed + _astray(features, goals, torch.ones_like(features[..., 0]), targets != IGNORED)


def leak_policy_loss(network: LeakNetwork, play: Played, people: Sequence[Row]) -> Any:
    """A round: goals are worth what the critic pays, words what they do for the goals; people's texts still teach."""
    import torch

    logits, _, features, goals = network.led(play.inputs)
    reached = torch.zeros(play.words.shape)
    for back in range(1, HORIZON + 1):
        # After reading a word, the features have moved; the word before it was drawn under the goal `back` words ago.
        moved = features[:, back:] - features[:, :-back]
        reached[:, back - 1 : -1] += torch.nn.functional.cosine_similarity(moved, goals[:, :-back].detach(), dim=-1)
    worker = reinforced(logits, play, reached / HORIZON)
    manager = _astray(features, goals, play.values, play.present)
    return worker + manager + leak_loss(network, people, 0.0)


def _astray(features: Any, goals: Any, values: Any, present: Any) -> Any:
    """Minus the cosine of each goal and the way of the features in the next HORIZON words, weighted by values."""
    import torch

    if features.shape[1] <= HORIZON:
        return features.sum() * 0
    moved = features[:, HORIZON:] - features[:, :-HORIZON]
    near = torch.nn.functional.cosine_similarity(moved, goals[:, :-HORIZON], dim=-1)
    weights = values[:, :-HORIZON] * present[:, HORIZON:]
    return -(near * weights).sum() / weights.sum().clamp(min=1e-6)


def open_leakgan(folder: GeneratorFolder) -> WordModel:
    """The model of a folder."""
    encoder, size = WordEncoder(saved_words(folder)), int(folder.settings["size"])
    n, critic_size, filters = len(encoder.words), int(folder.settings["critic"]), int(folder.settings["filters"])

    def network() -> LeakNetwork:
        from assay.backends.language.adversarial.critics import PrefixFeatures

        return LeakNetwork(n, size, PrefixFeatures(n, critic_size, filters))

    return WordModel(encoder, network, saved_weights(folder), folder.name)
