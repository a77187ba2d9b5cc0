"""A conditioned LSTM with attention (Dong et al. 2017, attributes to sequences).

At every word the parts of the condition are weighted by how well they match the state.
"""

from __future__ import annotations

from math import inf
from typing import Any

from assay.backends.language.conditioned import ConditionedNetwork
from assay.backends.language.conditions import ConditionedEncoder


class AttentionNetwork(ConditionedNetwork):
    """Attributes to sequences with attention."""

    def __init__(self, encoder: ConditionedEncoder, size: int, dropout: float = 0.0) -> None:
        import torch

        super().__init__(encoder, size, dropout)
        self.parts["match"] = torch.nn.Linear(size, size, bias=False)
        self.parts["mix"] = torch.nn.Linear(2 * size, size)

    def voiced(self, spoken: Any, summary: Any, each: Any, present: Any) -> Any:
        """The state mixed with the parts that it looks at."""
        import torch

        parts = each.transpose(0, 1)
        match = torch.einsum("bts,bps->btp", self.parts["match"](spoken), parts)
        weights = match.masked_fill(~present.T[:, None], -inf).softmax(-1)
        return self.parts["mix"](torch.cat([spoken, weights @ parts], -1)).tanh()
