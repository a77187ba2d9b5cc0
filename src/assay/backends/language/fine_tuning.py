"""Fine-tune the last layers of a causal language model on texts. Same seed, same bits, also after an interrupt.

Only the last layers learn: the pass through the others needs no gradients, and what was learnt is a small file beside
the model that it changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.backends.language.forward import Forward, by_length
from assay.backends.language.local import LocalModel
from assay.backends.loading import load_network
from assay.backends.resumable import arrays_of, one_thread, resume
from assay.errors import DataError, GeneratorError
from assay.io.checkpoints import Checkpoint
from assay.progress import report_progress

SAVED = 10
"""Steps between two checkpoints."""
CLIP = 1.0
IGNORED = -100


@dataclass(frozen=True)
class TuningRecipe:
    """How a model is tuned.

    Attributes:
        steps: of the optimizer.
        texts: of each step.
        layers: how many of the last layers learn.
        learning_rate: the first; it falls to 0 along a line.
    """

    steps: int = 50
    texts: int = 16
    layers: int = 4
    learning_rate: float = 3e-4


@dataclass(frozen=True)
class TokenRow:
    """The tokens of a prompt and of a text with its end; those of the prompt are not learnt."""

    prompt: tuple[int, ...]
    text: tuple[int, ...]


class TunedModel(LocalModel):
    """The model of a folder whose last layers have other weights."""

    def __init__(self, folder: Path, name: str, layers: int, weights: Mapping[str, NDArray[Any]]) -> None:
        super().__init__(folder, name)
        self._layers = layers
        self._weights = weights

    @cached_property
    def forward(self) -> Forward:
        """The network with the weights that were learnt."""
        network = load_network("AutoModelForCausalLM", self.folder)
        import torch

        try:
            weights = {name: torch.from_numpy(np.array(part)) for name, part in self._weights.items()}
            last_layers(network, self._layers).load_state_dict(weights)
        except RuntimeError:
            raise DataError(f"{self.name}: the weights are not those of its network. Train it again.") from None
        return Forward(network)


def last_layers(network: Any, n: int) -> Any:
    """The last `n` layers of a network, or all if there are fewer."""
    import torch

    wanted = getattr(network.config, "num_hidden_layers", None)
    for part in network.modules():
        if isinstance(part, torch.nn.ModuleList) and len(part) == wanted:
            return torch.nn.ModuleList(list(part)[-n:])
    raise GeneratorError("this model has no list of layers, so its last ones cannot be tuned.")


def tune(model: LocalModel, rows: Sequence[TokenRow], recipe: TuningRecipe, seed: int) -> dict[str, NDArray[Any]]:
    """Tune a copy of a model on rows of tokens; return the weights of its last layers by name."""
    digest = sha256(repr(rows).encode()).hexdigest()
    checkpoint = Checkpoint("fine-tuned model", model.name, repr(recipe), str(seed), digest)
    with one_thread("A fine-tuned generator") as torch:
        # In evaluation mode nothing is dropped at random.
        forward = Forward(load_network("AutoModelForCausalLM", model.folder))
        layers = last_layers(forward.network, recipe.layers)
        for part in forward.network.parameters():
            part.requires_grad_(False)
        for part in layers.parameters():
            part.requires_grad_(True)
        cut = [_cut(row, forward.window, model.name) for row in rows]
        optimizer = torch.optim.AdamW(layers.parameters(), lr=recipe.learning_rate, weight_decay=0.0)
        order = _order(len(cut), recipe.steps * recipe.texts, seed)
        for step in range(resume(layers, optimizer, checkpoint), recipe.steps):
            optimizer.param_groups[0]["lr"] = recipe.learning_rate * (1 - step / recipe.steps)
            optimizer.zero_grad()
            _learn(forward, [cut[place] for place in order[step * recipe.texts : (step + 1) * recipe.texts]])
            torch.nn.utils.clip_grad_norm_(layers.parameters(), CLIP)
            optimizer.step()
            if (step + 1) % SAVED == 0:
                checkpoint.save(step + 1, arrays_of(layers, optimizer))
            report_progress(step + 1, recipe.steps)
        checkpoint.remove()
    return {name: part.detach().numpy() for name, part in layers.state_dict().items()}


def _cut(row: TokenRow, window: int | None, name: str) -> TokenRow:
    """As much of a text as the model sees."""
    if window is None:
        return row
    if len(row.prompt) >= window:
        raise GeneratorError(
            f"{name}: a context has {len(row.prompt)} tokens, and the model sees {window} at once. Shorten the context."
        )
    return TokenRow(row.prompt, row.text[: window - len(row.prompt)])


def _order(n: int, length: int, seed: int) -> list[int]:
    rng = np.random.default_rng(seed)
    return [int(place) for _ in range(-(-length // n)) for place in rng.permutation(n)][:length]


def _learn(forward: Forward, rows: Sequence[TokenRow]) -> None:
    """Add the gradients of the mean cross-entropy per token, in passes that fit into memory."""
    import torch

    n_tokens = max(1, sum(len(row.text) for row in rows))
    for group in by_length([len(row.prompt) + len(row.text) for row in rows]):
        longest = max(len(rows[place].prompt) + len(rows[place].text) for place in group)
        tokens = torch.zeros((len(group), longest), dtype=torch.long)
        targets = torch.full((len(group), longest), IGNORED)
        mask = torch.zeros((len(group), longest), dtype=torch.long)
        for number, place in enumerate(group):
            row = rows[place]
            n, start = len(row.prompt) + len(row.text), len(row.prompt)
            tokens[number, :n] = torch.tensor([*row.prompt, *row.text])
            targets[number, start:n] = tokens[number, start:n]
            mask[number, :n] = 1
        logits = forward.network(input_ids=tokens, attention_mask=mask, use_cache=False).logits[:, :-1]
        missed = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), targets[:, 1:].flatten(), ignore_index=IGNORED, reduction="sum"
        )
        loss: Any = missed / n_tokens
        loss.backward()
