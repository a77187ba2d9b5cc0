"""Batched passes of a causal network: padded rows in, logits out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np

MOST_TOKENS = 1024
"""Tokens of one pass, padding included: what keeps the logits of a large vocabulary below some hundred megabytes."""


class Forward:
    """A network with what its configuration says of window, vocabulary and end of text."""

    def __init__(self, network: Any) -> None:
        self.network = network
        self.config: Any = network.config

    @cached_property
    def window(self) -> int | None:
        """The most tokens the network can see; None where there is no limit."""
        for name in ("max_position_embeddings", "n_positions", "n_ctx"):
            size = getattr(self.config, name, None)
            if isinstance(size, int):
                return size
        return None

    @cached_property
    def vocabulary(self) -> int:
        """The number of tokens."""
        return int(self.network.get_output_embeddings().weight.shape[0])

    @cached_property
    def end_tokens(self) -> tuple[int, ...]:
        """The tokens that end a text."""
        generation = getattr(self.network, "generation_config", None)
        number = getattr(generation, "eos_token_id", None)
        if number is None:
            number = getattr(self.config, "eos_token_id", None)
        return tuple(number) if isinstance(number, list) else () if number is None else (int(number),)

    def logits(self, rows: Sequence[Sequence[int]], side: Literal["right", "left"] = "right") -> Any:
        """Logits after every token of every row, rows padded on one side: rows x longest x vocabulary."""
        import torch

        longest = max(map(len, rows))
        numbers = torch.zeros((len(rows), longest), dtype=torch.long)
        mask = torch.zeros((len(rows), longest), dtype=torch.long)
        for place, row in enumerate(rows):
            columns = slice(0, len(row)) if side == "right" else slice(longest - len(row), longest)
            numbers[place, columns] = torch.tensor(list(row))
            mask[place, columns] = 1
        positions = (mask.cumsum(-1) - 1).clamp(min=0)
        with torch.inference_mode():
            return self.network(
                input_ids=numbers, attention_mask=None if mask.all() else mask, position_ids=positions, use_cache=False
            ).logits

    def logits_after(self, prompt: Sequence[int], rows: Sequence[Sequence[int]]) -> Any:
        """Logits after every token of rows that all follow one prompt, which is computed once; padded on the right."""
        import torch

        longest = max(map(len, rows))
        numbers = torch.zeros((len(rows), longest), dtype=torch.long)
        mask = torch.zeros((len(rows), len(prompt) + longest), dtype=torch.long)
        mask[:, : len(prompt)] = 1
        for place, row in enumerate(rows):
            numbers[place, : len(row)] = torch.tensor(list(row))
            mask[place, len(prompt) : len(prompt) + len(row)] = 1
        start = torch.tensor([list(prompt)])
        positions = torch.arange(len(prompt) + longest)[None]
        with torch.inference_mode():
            cache = self.network(
                input_ids=start, attention_mask=None, position_ids=positions[:, : len(prompt)], use_cache=True
            ).past_key_values
            cache.batch_select_indices(torch.zeros(len(rows), dtype=torch.long))
            return self.network(
                input_ids=numbers,
                attention_mask=mask,
                position_ids=positions[:, len(prompt) :].expand(len(rows), -1),
                past_key_values=cache,
                use_cache=True,
            ).logits


def by_length(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Group rows of similar length so that no pass exceeds MOST_TOKENS, the longest first."""
    order = np.argsort(-np.asarray(lengths), kind="stable").tolist()
    start = 0
    while start < len(order):
        rows = max(1, MOST_TOKENS // max(1, lengths[order[start]]))
        yield order[start : start + rows]
        start += rows
