"""A conditioned LSTM with a gate (Tang et al. 2016, gated contexts to sequences).

At every word a gate that depends on the state lets the condition through to the output, past the LSTM, so that it is
not forgotten in long texts.
"""

from __future__ import annotations

from typing import Any

from assay.backends.language.conditioned import ConditionedNetwork
from assay.backends.language.conditions import ConditionedEncoder


class GatedNetwork(ConditionedNetwork):
    """Gated contexts to sequences."""

    def __init__(self, encoder: ConditionedEncoder, size: int, dropout: float = 0.0) -> None:
        import torch

        super().__init__(encoder, size, dropout)
        self.parts["gate"] = torch.nn.Linear(size, size)
        self.parts["skip"] = torch.nn.Linear(size, size)

    def voiced(self, spoken: Any, summary: Any, each: Any, present: Any) -> Any:
        """The state, and what the gate lets through of the condition."""
        return spoken + self.parts["gate"](spoken).sigmoid() * self.parts["skip"](summary[0]).tanh()[:, None]
