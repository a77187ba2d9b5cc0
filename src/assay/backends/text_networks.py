"""Networks that read a text as token ids and answer with one number, in PyTorch.

A network takes a matrix of ids, a row per text, padded on the right with 0. What it says of a text does not depend on
the padding: convolutions end where the text does, and a recurrent layer is read at the last token.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from assay.backends.embeddings import SentenceEncoder
from assay.backends.loading import load_transformers
from assay.io.model_folders import model_folder

WIDTHS = (3, 4, 5)
"""Words under the filters of Kim's network."""

Build = Callable[[], Any]


def convolutional(n_words: int, size: int, dropout: float) -> Any:
    """Filters of three widths and their maxima over the text (Kim 2014)."""
    torch = _torch()
    words, read = torch.nn.Embedding(n_words, size, padding_idx=0), torch.nn.Linear(len(WIDTHS) * size, 1)
    filters = torch.nn.ModuleList(torch.nn.Conv1d(size, size, width) for width in WIDTHS)
    parts = torch.nn.ModuleDict({"words": words, "filters": filters, "read": read})

    def forward(ids: Any) -> Any:
        vectors = _dropped(words(ids), dropout, parts).transpose(1, 2)
        beyond = torch.arange(ids.shape[1]) >= _lengths(ids)[:, None]
        maxima = [
            torch.relu(conv(torch.nn.functional.pad(vectors, (0, width - 1))))
            .masked_fill(beyond[:, None], 0.0)
            .amax(dim=2)
            for conv, width in zip(filters, WIDTHS, strict=True)
        ]
        return read(_dropped(torch.cat(maxima, dim=1), dropout, parts))[:, 0]

    return _network(parts, forward)


def recurrent(n_words: int, size: int, dropout: float, *, convolved: bool = False) -> Any:
    """An LSTM over the words; with `convolved`, over filters of three words."""
    torch = _torch()
    words, read = torch.nn.Embedding(n_words, size, padding_idx=0), torch.nn.Linear(size, 1)
    conv, lstm = torch.nn.Conv1d(size, size, WIDTHS[0]), torch.nn.LSTM(size, size, batch_first=True)
    parts = {"words": words, "lstm": lstm, "read": read, **({"conv": conv} if convolved else {})}
    parts = torch.nn.ModuleDict(parts)

    def forward(ids: Any) -> Any:
        vectors = _dropped(words(ids), dropout, parts)
        if convolved:
            padded = torch.nn.functional.pad(vectors.transpose(1, 2), (0, WIDTHS[0] - 1))
            vectors = torch.relu(conv(padded)).transpose(1, 2)
        states, _ = lstm(vectors)
        last = states[torch.arange(len(ids)), _lengths(ids) - 1]
        return read(_dropped(last, dropout, parts))[:, 0]

    return _network(parts, forward)


def fine_tuned(encoder: str, layers: int, dropout: float) -> Any:
    """A pretrained encoder with a linear layer on its mean vector; the lower layers and the words stay as they are."""
    torch = _torch()
    body = SentenceEncoder(model_folder(encoder)).network
    for weights in body.parameters():
        weights.requires_grad_(False)
    for layer in body.encoder.layer[len(body.encoder.layer) - layers :]:
        for weights in layer.parameters():
            weights.requires_grad_(True)
    read = torch.nn.Linear(body.config.hidden_size, 1)
    parts = torch.nn.ModuleDict({"body": body, "read": read})

    def forward(ids: Any) -> Any:
        real = (ids != 0).long()
        states = body(input_ids=ids, attention_mask=real).last_hidden_state
        mean = (states * real[..., None]).sum(1) / real.sum(1, keepdim=True).clamp(min=1)
        return read(_dropped(mean, dropout, parts))[:, 0]

    return _network(parts, forward)


NETWORKS: dict[str, Callable[..., Any]] = {
    "cnn": convolutional,
    "lstm": recurrent,
    "cnn_lstm": partial(recurrent, convolved=True),
    "fine_tuned": fine_tuned,
}


def _network(parts: Any, forward: Callable[[Any], Any]) -> Any:
    parts.forward = forward
    return parts


def _dropped(values: Any, share: float, network: Any) -> Any:
    return _torch().nn.functional.dropout(values, share, training=network.training)


def _lengths(ids: Any) -> Any:
    """Tokens per text; a text without any has one, the padding."""
    return (ids != 0).sum(dim=1).clamp(min=1)


def _torch() -> Any:
    load_transformers()
    import torch

    return torch
