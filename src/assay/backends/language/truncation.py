"""Temperature, top-k and top-p on rows of logits, in torch.

A log-probability differs by about 1e-5 between batches, so whether a token at the very border of the nucleus is inside
is decided with a tolerance: a text that was drawn in one batch is never impossible in another.
"""

from __future__ import annotations

from math import inf
from typing import Any

from assay.backends.language.protocol import Sampling

TOLERANCE = 1e-4
"""Nats (top-k) or probability (top-p) by which a token may be outside and still count as inside."""
AT_ONCE = 64
"""Rows of logits whose ranking is in memory at once: it takes ten times the room of the logits."""


def log_distribution(logits: Any, sampling: Sampling) -> Any:
    """Log-probabilities of every token, rows of the last dimension, in float64; -inf where a token is impossible."""
    import torch

    logprobs = _tempered(logits, sampling)
    if not sampling.truncates:
        return logprobs
    return torch.log_softmax(logprobs.masked_fill(~_kept(*_ranked(logprobs), sampling), -inf), -1)


def token_logprobs(logits: Any, tokens: Any, sampling: Sampling) -> Any:
    """The log-probability of one token for each row, in float64; -inf where it is impossible."""
    import torch

    parts = zip(logits.split(AT_ONCE), tokens.split(AT_ONCE), strict=True)
    return torch.cat([_token_logprobs(*part, sampling) for part in parts])


def _token_logprobs(logits: Any, tokens: Any, sampling: Sampling) -> Any:
    import torch

    if not sampling.truncates and sampling.temperature == 1:
        # Without a copy of all the logits in float64: the sum of the exponentials is accurate enough in float32.
        chosen = logits.gather(-1, tokens[:, None])[:, 0].double()
        return chosen - torch.logsumexp(logits, -1).double()
    logprobs = _tempered(logits, sampling)
    chosen = logprobs.gather(-1, tokens[:, None])[:, 0]
    if not sampling.truncates:
        return chosen
    ranking = _ranked(logprobs)
    mass = logprobs.masked_fill(~_kept(*ranking, sampling), -inf).logsumexp(-1)
    inside = _kept(*ranking, sampling, TOLERANCE).gather(-1, tokens[:, None])[:, 0]
    return torch.where(inside, chosen - mass, torch.full_like(chosen, -inf))


def near_support(logits: Any, sampling: Sampling) -> tuple[Any, Any]:
    """Log-probabilities before truncation, -inf outside a slightly wider support, and where inside is beyond doubt."""
    import torch

    logprobs = _tempered(logits, sampling)
    if not sampling.truncates:
        return logprobs, torch.ones_like(logprobs, dtype=torch.bool)
    ranking = _ranked(logprobs)
    return logprobs.masked_fill(~_kept(*ranking, sampling, TOLERANCE), -inf), _kept(*ranking, sampling, -TOLERANCE)


def _tempered(logits: Any, sampling: Sampling) -> Any:
    import torch

    return torch.log_softmax(logits.double() / (sampling.temperature or 1.0), -1)


def _ranked(logprobs: Any) -> tuple[Any, Any]:
    """Log-probabilities from the largest down, and their tokens."""
    import torch

    return torch.sort(logprobs, dim=-1, descending=True, stable=True)


def _kept(ranked: Any, order: Any, sampling: Sampling, tolerance: float = 0.0) -> Any:
    """Which tokens are possible; a positive tolerance widens the support, a negative one narrows it.

    Without a tolerance, ties at the border go to the lower token number.
    """
    import torch

    top_k = 1 if sampling.temperature == 0 else sampling.top_k
    kept = torch.ones_like(ranked, dtype=torch.bool)
    if top_k is not None and top_k < ranked.shape[-1]:
        if tolerance > 0:
            kept = ranked >= ranked[..., top_k - 1 : top_k] - tolerance
        else:
            kept[..., top_k:] = False
            kept &= ranked >= ranked[..., top_k : top_k + 1] - tolerance
    if sampling.top_p < 1 and sampling.temperature > 0:
        within = torch.ones_like(kept)
        if top_k is not None:
            within[..., top_k:] = False
        share = torch.softmax(ranked.masked_fill(~within, -inf), -1)
        # Rounding must not add a token to a nucleus with a mass of exactly top_p.
        first = kept[..., 0].clone()
        kept &= share.cumsum(-1) - share < sampling.top_p * (1 - 1e-12) + tolerance
        kept[..., 0] = first
    return torch.zeros_like(kept).scatter(-1, order, kept)
