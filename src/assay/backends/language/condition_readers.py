"""Networks that read conditions: from the parts of a condition to a vector for each, and a summary of all."""

from __future__ import annotations

from typing import Any

from assay.backends.language.conditions import N_FEATURES, Attributes, Conditions, ContextWords
from assay.errors import MissingExtra

try:
    import torch
    from torch import nn
except ImportError as error:
    raise MissingExtra("A trained generator", "torch", "neural") from error


def reader_of(conditions: Conditions, size: int) -> Any:
    """The network that reads a kind of conditions."""
    if isinstance(conditions, Attributes):
        return AttributeReader(conditions.n_numbers, len(conditions.values), size)
    if isinstance(conditions, ContextWords):
        return ContextReader(conditions.n_numbers, size)
    return ColorReader(size)


class AttributeReader(nn.Module):
    """Each value has a vector; the summary is a layer over all of them."""

    def __init__(self, n_numbers: int, n_columns: int, size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(n_numbers, size)
        self.all = nn.Linear(n_columns * size, size)

    def forward(self, parts: Any, present: Any) -> tuple[Any, Any]:
        """Summary (texts, size) and vectors (texts, parts, size) of numbers (texts, parts)."""
        each = self.embedding(parts)
        return self.all(each.flatten(1)).tanh(), each


class ContextReader(nn.Module):
    """An LSTM reads the words; the summary is its last state."""

    def __init__(self, n_numbers: int, size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(n_numbers, size)
        self.lstm = nn.LSTM(size, size, batch_first=True)

    def forward(self, parts: Any, present: Any) -> tuple[Any, Any]:
        """Summary and vectors of word numbers (texts, words)."""
        each, _ = self.lstm(self.embedding(parts))
        return each[torch.arange(len(parts)), present.sum(-1) - 1], each


class ColorReader(nn.Module):
    """Every color beside the target; the summary is the mean over the others, whatever their order."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.target = nn.Linear(N_FEATURES, size)
        self.other = nn.Linear(N_FEATURES, size)
        self.beside = nn.Linear(size, size)
        self.all = nn.Linear(2 * size, size)

    def forward(self, parts: Any, present: Any) -> tuple[Any, Any]:
        """Summary and vectors of features (texts, colors, features), the target last."""
        last = present.sum(-1) - 1
        meant = self.target(parts[torch.arange(len(parts)), last])
        beside = self.beside((self.other(parts) + meant[:, None]).relu()).relu()
        others = present & (torch.arange(parts.shape[1]) < last[:, None])
        mean = (beside * others[..., None]).sum(1) / others.sum(-1, keepdim=True).clamp(min=1)
        each = torch.where(others[..., None], beside, meant[:, None].tanh())
        return self.all(torch.cat([meant.relu(), mean], -1)).tanh(), each
