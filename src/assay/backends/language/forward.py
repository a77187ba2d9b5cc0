"""Batched passes of a causal network: padded rows in, logits out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cached_property
from inspect import signature
from typing import Any, Literal

import numpy as np

MOST_TOKENS = 1024
"""Tokens of one pass, padding included: what keeps the logits of a large vocabulary below some hundred megabytes."""
PASS = 20
"""Tokens that cost as much time as a pass does besides its tokens: weights are read, and small matrices are slow."""


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

    def logits(
        self, rows: Sequence[Sequence[int]], side: Literal["right", "left"] = "right", keep: Sequence[int] | None = None
    ) -> Any:
        """Logits after every token of every row, rows padded on one side: rows x longest x vocabulary.

        With `keep` only those after these columns of the padded rows: a large vocabulary takes much of the time.
        """
        import torch

        longest = max(map(len, rows))
        numbers = torch.zeros((len(rows), longest), dtype=torch.long)
        mask = torch.zeros((len(rows), longest), dtype=torch.long)
        for place, row in enumerate(rows):
            columns = slice(0, len(row)) if side == "right" else slice(longest - len(row), longest)
            numbers[place, columns] = torch.tensor(list(row))
            mask[place, columns] = 1
        positions = (mask.cumsum(-1) - 1).clamp(min=0)
        mask_or_none = None if mask.all() else mask
        return self._kept(keep, input_ids=numbers, attention_mask=mask_or_none, position_ids=positions, use_cache=False)

    def seen(self, prompt: Sequence[int]) -> Any:
        """What the network remembers of a prompt, for rows that follow it; None if it cannot be copied for each."""
        import torch

        with torch.inference_mode():
            output = self.network(input_ids=torch.tensor([list(prompt)]), use_cache=True, **self.last_alone)
        # State-space models keep something else.
        memory = getattr(output, "past_key_values", None)
        return memory if hasattr(memory, "batch_select_indices") else None

    def logits_after(
        self, seen: Any, n_seen: int, rows: Sequence[Sequence[int]], keep: Sequence[int] | None = None
    ) -> Any:
        """Logits after every token of rows that all follow one prompt of `n_seen` tokens; padded on the right."""
        import torch

        longest = max(map(len, rows))
        numbers = torch.zeros((len(rows), longest), dtype=torch.long)
        mask = torch.zeros((len(rows), n_seen + longest), dtype=torch.long)
        mask[:, :n_seen] = 1
        for place, row in enumerate(rows):
            numbers[place, : len(row)] = torch.tensor(list(row))
            mask[place, n_seen : n_seen + len(row)] = 1
        positions = torch.arange(n_seen, n_seen + longest)[None].expand(len(rows), -1)
        cache = deepcopy(seen)  # a pass writes into it
        cache.batch_select_indices(torch.zeros(len(rows), dtype=torch.long))
        return self._kept(
            keep,
            input_ids=numbers,
            attention_mask=mask,
            position_ids=positions,
            past_key_values=cache,
            use_cache=True,
        )

    def in_turn(self, n_tokens: int) -> bool:
        """Whether a row of so many tokens is too long for one pass, and the network can go on from part to part."""
        return n_tokens > MOST_TOKENS and self._remembers

    @cached_property
    def _remembers(self) -> bool:
        return self.seen([0]) is not None

    def logits_in_turn(
        self, row: Sequence[int], first: int, seen: Any = None, n_seen: int = 0
    ) -> Iterator[tuple[int, Any]]:
        """Logits after the tokens of a long row from column `first` on: the first column of each part, and its logits.

        Each part has MOST_TOKENS columns and goes on from what the network remembers of those before, and of `seen`.
        """
        import torch

        cache = deepcopy(seen)
        for start in range(0, len(row), MOST_TOKENS):
            part = list(row[start : start + MOST_TOKENS])
            stop = start + len(part)
            keep = list(range(max(first - start, 0), len(part)))
            inputs = {
                "input_ids": torch.tensor([part]),
                "attention_mask": torch.ones((1, n_seen + stop), dtype=torch.long),
                "position_ids": torch.arange(n_seen + start, n_seen + stop)[None],
                "past_key_values": cache,
            }
            with torch.inference_mode():
                output = self.network(**inputs, use_cache=True, **({} if keep else self.last_alone))
            cache = output.past_key_values
            if keep:
                yield start + keep[0], output.logits[0, keep[0] :]

    def _kept(self, keep: Sequence[int] | None, **inputs: Any) -> Any:
        """The logits of a pass, after all columns or after some."""
        import torch

        with torch.inference_mode():
            if keep is None:
                return self.network(**inputs).logits
            columns = torch.tensor(list(keep))
            if self._takes_columns:
                return self.network(**inputs, logits_to_keep=columns).logits
            return self.network(**inputs).logits[:, columns]

    @cached_property
    def last_alone(self) -> Mapping[str, int]:
        """What asks a pass for the logits after the last column alone, of networks that can be asked."""
        return {"logits_to_keep": 1} if self._takes_columns else {}

    @cached_property
    def _takes_columns(self) -> bool:
        return "logits_to_keep" in signature(self.network.forward).parameters


def by_length(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Cut rows into passes of similar length, none above MOST_TOKENS, so that together they cost the least.

    Padding costs as much as tokens do, and every pass PASS tokens more. The longest rows come first.
    """
    order = np.argsort(-np.asarray(lengths), kind="stable").tolist()
    # From the last row to the first: what the rows from here on cost, and where the pass that begins here ends.
    costs = np.zeros(len(order) + 1, np.int64)
    stops = [0] * len(order)
    for start in reversed(range(len(order))):
        longest = max(1, lengths[order[start]])
        most = max(1, min(MOST_TOKENS // longest, len(order) - start))
        until = longest * np.arange(1, most + 1) + costs[start + 1 : start + most + 1]
        best = int(until.argmin())
        costs[start] = until[best] + PASS
        stops[start] = start + 1 + best
    start = 0
    while start < len(order):
        yield order[start : stops[start]]
        start = stops[start]
