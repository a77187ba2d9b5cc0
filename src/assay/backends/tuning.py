"""Fine-tune a sentence encoder so that the spread of a set's embeddings predicts its label.

The loss is per set: the log-odds of a high label are scale x (spread - offset), where the spread is minus the mean
cosine over pairs of responses after removing the context's direction. Encoder, scale and offset are trained jointly;
word embeddings are frozen. A few thousand short texts take a few minutes on two cores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.backends.embeddings import SentenceEncoder
from assay.errors import DataError
from assay.io.model_folders import model_folder
from assay.io.vectors import VectorStore

WARM_UP = 0.1
PARTS = 4
"""Length buckets per batch, so that short texts are not padded to the longest."""


@dataclass(frozen=True)
class Recipe:
    """Training hyperparameters; `learning_rate` is the peak."""

    epochs: float = 1.0
    learning_rate: float = 1e-4
    sets_per_step: int = 16


@dataclass(frozen=True)
class Tuned:
    """A tuned encoder, and the scale and offset that turn a set's spread into log-odds."""

    encoder: SentenceEncoder
    scale: float
    offset: float


class _NoCache(VectorStore):
    """A no-op cache: a tuned model lives only as long as its run."""

    def get(self, texts: Sequence[str]) -> list[NDArray[np.float32] | None]:
        return [None] * len(texts)

    def put(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        return


def tune(
    model: str,
    sets: Sequence[Sequence[str]],
    contexts: Sequence[str],
    is_high: NDArray[np.bool_],
    recipe: Recipe,
    rng: np.random.Generator,
    least: float,
) -> Tuned:
    """Train a copy of `model` on labeled sets of at least two texts each; `least` is that of `content_diversity`."""
    encoder = SentenceEncoder(model_folder(model), _NoCache("tuned"))
    if encoder.pooling != ("mean", True):
        raise DataError(f"{model}: only models with mean pooling and normalized vectors can be tuned.")
    network, tokenizer = encoder.network, encoder.tokenizer
    import torch

    for parameter in network.embeddings.parameters():
        parameter.requires_grad_(False)
    scale = torch.tensor(8.0, requires_grad=True)
    offset = torch.tensor(-0.3, requires_grad=True)
    weights = [parameter for parameter in network.parameters() if parameter.requires_grad]
    groups = [{"params": weights, "lr": recipe.learning_rate}, {"params": [scale, offset], "lr": 0.02}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    steps = max(1, round(len(sets) * recipe.epochs / recipe.sets_per_step))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, steps))
    order = _order(len(sets), steps * recipe.sets_per_step, rng)
    labels = torch.tensor(is_high, dtype=torch.float32)
    for step in range(steps):
        chosen = order[step * recipe.sets_per_step : (step + 1) * recipe.sets_per_step]
        texts = [text for number in chosen for text in sets[number]] + [contexts[number] for number in chosen]
        vectors = _embed(network, tokenizer, texts, encoder.limit)
        sizes = torch.tensor([len(sets[number]) for number in chosen])
        spread = _spread(vectors[: -len(chosen)], vectors[-len(chosen) :], sizes, least)
        log_odds = scale * (spread - offset)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(log_odds, labels[chosen])
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        schedule.step()
    return Tuned(encoder, float(scale.detach()), float(offset.detach()))


def learnt_weights(tuned: Tuned) -> dict[str, NDArray[Any]]:
    """The weights that tuning may change, by name: all but the word embeddings."""
    return {name: weights.detach().numpy() for name, weights in _tunable(tuned.encoder).items()}


def with_weights(model: str, weights: Mapping[str, NDArray[Any]], scale: float, offset: float) -> Tuned:
    """A copy of `model` with previously tuned weights."""
    encoder = SentenceEncoder(model_folder(model), _NoCache("tuned"))
    trainable = _tunable(encoder)
    import torch

    if {name: tuple(part.shape) for name, part in trainable.items()} != {
        name: part.shape for name, part in weights.items()
    }:
        raise DataError(f"{model}: the weights that were learnt are those of another model.")
    with torch.no_grad():
        for name, part in trainable.items():
            part.copy_(torch.from_numpy(np.array(weights[name])))
    return Tuned(encoder, scale, offset)


def _tunable(encoder: SentenceEncoder) -> dict[str, Any]:
    return {name: part for name, part in encoder.network.named_parameters() if not name.startswith("embeddings.")}


def _embed(network: Any, tokenizer: Any, texts: Sequence[str], limit: int) -> Any:
    """Mean-pooled unit vectors, with gradients."""
    import torch

    by_length = np.argsort([len(text) for text in texts], kind="stable")
    pooled: list[Any] = []
    for part in np.array_split(by_length, PARTS):
        if not len(part):
            continue
        tokens = tokenizer(
            [texts[i] for i in part], padding=True, truncation=True, max_length=limit, return_tensors="pt"
        )
        states = network(**tokens).last_hidden_state
        real = tokens["attention_mask"][..., None].float()
        pooled.append((states * real).sum(1) / real.sum(1))
    vectors = torch.cat(pooled)[torch.tensor(np.argsort(by_length))]
    return torch.nn.functional.normalize(vectors, dim=-1)


def _spread(responses: Any, contexts: Any, sizes: Any, least: float) -> Any:
    """Minus the mean pair cosine of each set's responses, with their context's direction removed.

    As in `kernels.points.dispersion.without_direction`: a residual shorter than `least` gets an extra axis.
    """
    import torch

    which = torch.repeat_interleave(torch.arange(len(sizes)), sizes)
    own_context = contexts[which]
    residual = responses - (responses * own_context).sum(-1, keepdim=True) * own_context
    share = (residual.norm(dim=-1, keepdim=True) / least).clamp(max=1)
    # Clamped, because the square root has an infinite gradient at 0.
    missing = torch.where(share < 1, (1 - share * share).clamp(min=1e-6).sqrt(), torch.zeros_like(share))
    residual = torch.nn.functional.normalize(residual, dim=-1, eps=1e-6) * share
    sums, missed = (torch.zeros(len(sizes), part.shape[-1]).index_add(0, which, part) for part in (residual, missing))
    return -((sums * sums).sum(-1) + (missed * missed).sum(-1) - sizes) / (sizes * (sizes - 1))


def _rate(step: int, steps: int) -> float:
    """Linear warm-up to 1 over the first tenth of the steps, then linear decay to 0."""
    return min((step + 1) / (WARM_UP * steps), max(0.0, (steps - step) / ((1 - WARM_UP) * steps)), 1.0)


def _order(n: int, length: int, rng: np.random.Generator) -> NDArray[np.int64]:
    passes = -(-length // n)
    return np.concatenate([rng.permutation(n) for _ in range(passes)])[:length]
