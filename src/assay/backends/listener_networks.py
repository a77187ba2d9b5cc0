"""The networks of color listeners.

Literal (Monroe et al. 2017, Newman et al. 2020): a bidirectional LSTM reads the utterance and gives a mean and a
matrix; the score of a color with features f is -(f - mean)' matrix (f - mean).

Pragmatic: a speaker read backwards. An LSTM reads the colors, the possible target last; its state is joined to every
word of an LSTM language model, and the score of a color is the log-probability of the utterance, its end included.
"""

from __future__ import annotations

from typing import Any

from assay.errors import MissingExtra

try:
    import torch
    from torch import nn
except ImportError as error:
    raise MissingExtra("A neural listener", "torch", "neural") from error

PADDING, UNKNOWN, END, N_SPECIAL = 0, 1, 2, 3
WIDTH = 100


class LiteralNetwork(nn.Module):
    """Scores of colors from a quadratic form that depends on the utterance."""

    def __init__(self, n_words: int, n_features: int, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(n_words, WIDTH)
        self.forward_lstm = nn.LSTM(WIDTH, WIDTH, batch_first=True)
        self.backward_lstm = nn.LSTM(WIDTH, WIDTH, batch_first=True)
        self.mean = nn.Linear(2 * WIDTH, n_features)
        self.matrix = nn.Linear(2 * WIDTH, n_features * n_features)
        self.dropout = nn.Dropout(dropout)
        nn.init.normal_(self.embedding.weight, std=0.05)
        with torch.no_grad():
            # All matrices start near the identity.
            self.matrix.weight.mul_(0.1)
            self.matrix.bias.copy_(torch.eye(n_features).reshape(-1))

    def forward(self, words: Any, lengths: Any, colors: Any) -> Any:
        """Scores (batch, choices) from words (batch, time) and features (batch, choices, features)."""
        rows, last = torch.arange(len(lengths)), lengths - 1
        place = torch.arange(words.shape[1])
        backwards = torch.where(place < lengths[:, None], lengths[:, None] - 1 - place, place)
        states = [
            lstm(self.dropout(self.embedding(order)))[0][rows, last]
            for lstm, order in (
                (self.forward_lstm, words),
                (self.backward_lstm, words.gather(1, backwards)),
            )
        ]
        state = self.dropout(torch.cat(states, dim=1))
        n_features = colors.shape[-1]
        away = colors - self.mean(state)[:, None]
        return -((away @ self.matrix(state).view(-1, n_features, n_features)) * away).sum(-1)


class PragmaticNetwork(nn.Module):
    """Scores of colors: the log-probability that a speaker who means the color says the utterance."""

    def __init__(self, n_words: int, n_features: int, dropout: float) -> None:
        super().__init__()
        self.context_lstm = nn.LSTM(n_features, WIDTH, batch_first=True)
        self.embedding = nn.Embedding(n_words, WIDTH)
        self.word_lstm = nn.LSTM(2 * WIDTH, WIDTH, batch_first=True)
        self.vocabulary = nn.Linear(WIDTH, n_words)
        self.dropout = nn.Dropout(dropout)
        nn.init.normal_(self.embedding.weight, std=0.05)

    def forward(self, words: Any, lengths: Any, contexts: Any) -> Any:
        """Scores (batch, targets) from words and features (batch, targets, choices, features), the target last."""
        n, n_targets, n_choices, n_features = contexts.shape
        context = self.context_lstm(contexts.reshape(-1, n_choices, n_features))[0][:, -1]
        end = torch.full((n, 1), END)
        before = torch.cat([end, words], dim=1)
        said = torch.cat([words, end.new_full((n, 1), PADDING)], dim=1).scatter(1, lengths[:, None], END)
        n_steps = before.shape[1]
        inputs = torch.cat(
            [
                self.dropout(self.embedding(before))[:, None].expand(n, n_targets, n_steps, WIDTH),
                context.view(n, n_targets, 1, WIDTH).expand(n, n_targets, n_steps, WIDTH),
            ],
            dim=-1,
        )
        states = self.dropout(self.word_lstm(inputs.reshape(n * n_targets, n_steps, 2 * WIDTH))[0])
        choices = self.vocabulary(states).log_softmax(-1).view(n, n_targets, n_steps, -1)
        each = choices.gather(-1, said[:, None, :, None].expand(n, n_targets, n_steps, 1))[..., 0]
        spoken = torch.arange(n_steps) <= lengths[:, None]
        return torch.where(spoken[:, None], each, torch.zeros_like(each)).sum(-1)


def contexts_of(colors: Any, turns: Any) -> Any:
    """The contexts of every choice as the target: the other choices, rotated by `turns` (batch,), then the target.

    With two distractors, the turns 0 and 1 are their two orders.
    """
    n, n_choices, _ = colors.shape
    n_others = n_choices - 1
    step = (torch.arange(n_others)[None] + turns[:, None]) % n_others
    target = torch.arange(n_choices)
    others = (target[None, :, None] + 1 + step[:, None, :]) % n_choices
    order = torch.cat([others, target[None, :, None].expand(n, n_choices, 1)], dim=-1)
    return colors[torch.arange(n)[:, None, None], order]
