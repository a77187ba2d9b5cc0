"""Draw texts from a causal network: many at once, each the same whatever is drawn with it.

A token is drawn as the winner of an exponential race, argmax p(token) / e(token), with noise that depends only on the
text's seed and the position. The winner leads the second by a factor whose logarithm is exponentially distributed, so
rounding, which differs between batches by about 1e-5 nats, can change a token only where the lead is tiny: there the
distribution is computed again for this text alone, and decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from math import inf, nan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.backends.language.encoding import NO_START, TextEncoder
from assay.backends.language.forward import Forward
from assay.backends.language.protocol import Drawn, Prompt, Sampling, ToSample
from assay.backends.language.truncation import log_distribution, near_support, token_logprobs
from assay.errors import GeneratorError

LEAD = 1e-3
"""Nats by which a token must win for the batch to decide."""
IN_DOUBT = -1
SHOWN = 40
"""Characters of a prompt in a message."""
MOST_CELLS = 16384
"""Rows x tokens drawn together: what bounds the memory of keys and values."""


@dataclass(eq=False)
class Draft:
    """A text while it is drawn."""

    place: int
    wanted: ToSample
    prompt: tuple[int, ...]
    end: tuple[int, ...]
    noise: np.random.Generator
    tokens: list[int] = field(default_factory=list)
    logprob: float = 0.0
    finish: Literal["", "end", "length"] = ""
    first: tuple[tuple[str, float], ...] = ()


def draw_texts(forward: Forward, encoder: TextEncoder, wanted: Sequence[ToSample]) -> list[Drawn]:
    """Draw a text for each request."""
    return [_finished(encoder, draft) for draft in drafts_drawn(forward, encoder, wanted)]


def drafts_drawn(forward: Forward, encoder: TextEncoder, wanted: Sequence[ToSample]) -> list[Draft]:
    """Draw the tokens of a text for each request. A prompt is computed once for all texts that follow it."""
    drafts = [_draft(forward, encoder, place, one) for place, one in enumerate(wanted)]
    for group in _groups(drafts):
        _draw_together(forward, encoder, group)
    return drafts


def checked_prompt(forward: Forward, encoder: TextEncoder, one: ToSample) -> tuple[int, ...]:
    """The tokens before a text, if there are any and the text fits into the window after them."""
    prompt = encoder.prompt(one.prompt, one.bos)
    if not prompt:
        raise GeneratorError(f"a text cannot be drawn: {NO_START}. Use --bos always.")
    if forward.window is not None and len(prompt) + one.max_tokens > forward.window:
        raise GeneratorError(
            f"the prompt {_begun(one.prompt)} has {len(prompt)} tokens, and {one.max_tokens} are to follow, but the "
            f"model sees {forward.window} at once. Shorten the prompt, or lower --max-tokens."
        )
    return prompt


def _begun(prompt: Prompt) -> str:
    """The beginning of a prompt, by which it can be found."""
    text = " ".join((prompt if isinstance(prompt, str) else prompt[-1]["content"]).split())
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}...")


def _draft(forward: Forward, encoder: TextEncoder, place: int, one: ToSample) -> Draft:
    prompt = checked_prompt(forward, encoder, one)
    seed = np.random.SeedSequence(int.from_bytes(sha256(one.seed.encode()).digest(), "big"))
    return Draft(place, one, prompt, encoder.end(one.end), np.random.default_rng(seed))


def _groups(drafts: Sequence[Draft]) -> Iterator[list[Draft]]:
    """Texts to draw together: those of one prompt next to each other, prompts of similar length."""
    order = sorted(drafts, key=lambda draft: (len(draft.prompt), draft.prompt, draft.place))
    group: list[Draft] = []
    for draft in order:
        longest = max(len(one.prompt) + one.wanted.max_tokens for one in (*group, draft))
        if group and longest * (len(group) + 1) > MOST_CELLS:
            yield group
            group = []
        group.append(draft)
    if group:
        yield group


def _draw_together(forward: Forward, encoder: TextEncoder, group: Sequence[Draft]) -> None:
    import torch

    with torch.inference_mode():
        alive, logits, cache, mask = _start(forward, group)
        while True:
            _take(forward, encoder, alive, logits.float())
            rows = [row for row, draft in enumerate(alive) if not draft.finish]
            if not rows:
                return
            if len(rows) < len(alive):
                chosen = torch.tensor(rows)
                cache.batch_select_indices(chosen)
                alive, mask = [alive[row] for row in rows], mask[chosen]
            last = torch.tensor([[draft.tokens[-1]] for draft in alive])
            mask = torch.cat([mask, torch.ones((len(alive), 1), dtype=torch.long)], 1)
            positions = mask.sum(-1, keepdim=True) - 1
            output = forward.network(
                input_ids=last, attention_mask=mask, position_ids=positions, past_key_values=cache, use_cache=True
            )
            logits, cache = output.logits[:, -1], output.past_key_values


def _start(forward: Forward, group: Sequence[Draft]) -> tuple[list[Draft], Any, Any, Any]:
    """Compute every distinct prompt once, padded on the left, and hand its keys and values to all its texts."""
    import torch

    prompts = list(dict.fromkeys(draft.prompt for draft in group))
    longest = max(map(len, prompts))
    numbers = torch.zeros((len(prompts), longest), dtype=torch.long)
    mask = torch.zeros((len(prompts), longest), dtype=torch.long)
    for row, prompt in enumerate(prompts):
        numbers[row, longest - len(prompt) :] = torch.tensor(prompt)
        mask[row, longest - len(prompt) :] = 1
    positions = (mask.cumsum(-1) - 1).clamp(min=0)
    output = forward.network(
        input_ids=numbers, attention_mask=mask, position_ids=positions, use_cache=True, **forward.last_alone
    )
    place = {prompt: row for row, prompt in enumerate(prompts)}
    chosen = torch.tensor([place[draft.prompt] for draft in group])
    cache = output.past_key_values
    cache.batch_select_indices(chosen)
    return list(group), output.logits[chosen, -1], cache, mask[chosen]


def _take(forward: Forward, encoder: TextEncoder, drafts: Sequence[Draft], logits: Any) -> None:
    """Draw the next token of each text."""
    by_setting: dict[Sampling, list[int]] = {}
    for row, draft in enumerate(drafts):
        if draft.wanted.top and not draft.tokens:
            draft.first = _first(encoder, logits[row], draft.wanted.top)
        by_setting.setdefault(draft.wanted.sampling, []).append(row)
    for sampling, rows in by_setting.items():
        ours, block = [drafts[row] for row in rows], logits[rows]
        noise = np.stack([draft.noise.standard_exponential(block.shape[-1]) for draft in ours])
        tokens = _winners(block, sampling, noise)
        for row in np.flatnonzero(tokens == IN_DOUBT).tolist():
            block[row] = forward.logits([[*ours[row].prompt, *ours[row].tokens]])[0, -1].float()
            race = log_distribution(block[row], sampling).numpy() - np.log(noise[row])
            tokens[row] = race.argmax()
        _append(ours, tokens, block, sampling)


def _winners(logits: Any, sampling: Sampling, noise: NDArray[np.float64]) -> NDArray[np.int64]:
    """The token that wins each race, or IN_DOUBT where it wins by so little that the batch must not decide."""
    logprobs, sure = near_support(logits, sampling)
    race = logprobs.numpy() if sampling.temperature == 0 else logprobs.numpy() - np.log(noise)
    rows = np.arange(len(race))
    tokens = race.argmax(-1)
    lead = race[rows, tokens].copy()
    race[rows, tokens] = -inf
    clear = sure.numpy()[rows, tokens] & (lead - race.max(-1) >= LEAD)
    return np.where(clear, tokens, IN_DOUBT)


def _append(drafts: Sequence[Draft], tokens: NDArray[np.int64], logits: Any, sampling: Sampling) -> None:
    import torch

    values = token_logprobs(logits, torch.from_numpy(tokens), sampling).tolist()
    for row, (draft, token, value) in enumerate(zip(drafts, tokens.tolist(), values, strict=True)):
        if token in draft.end:
            # Any token that ends a text ends this one: its end has the probability of all of them.
            draft.logprob += float(log_distribution(logits[row], sampling)[list(draft.end)].logsumexp(0))
            draft.finish = "end"
            continue
        draft.logprob += value
        draft.tokens.append(token)
        if len(draft.tokens) == draft.wanted.max_tokens:
            draft.finish = "length"


def _first(encoder: TextEncoder, logits: Any, n: int) -> tuple[tuple[str, float], ...]:
    import torch

    values, tokens = torch.log_softmax(logits.double(), -1).topk(min(n, logits.shape[-1]))
    return tuple(zip(encoder.spelled(tuple(tokens.tolist())), values.tolist(), strict=True))


def _finished(encoder: TextEncoder, draft: Draft) -> Drawn:
    text = encoder.decode(tuple(draft.tokens))
    again = encoder.encode(draft.wanted.prompt, text, draft.wanted.bos, "joint")
    same = not again.reason and again.text == tuple(draft.tokens)
    logprob = min(draft.logprob, 0.0)
    read_again = logprob if same else nan
    return Drawn(text, logprob, len(draft.tokens), draft.finish or "length", read_again, draft.first)
