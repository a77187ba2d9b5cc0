"""Checks of a model's log-probabilities: what goes wrong silently elsewhere is looked for before a number is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isnan, sqrt
from typing import Literal

import numpy as np

from assay.backends.language.drawing import Draft, drafts_drawn
from assay.backends.language.encoding import ACROSS_BORDER, Encoded
from assay.backends.language.local import LocalModel
from assay.backends.language.protocol import ToSample, ToScore
from assay.backends.language.scoring import score_texts
from assay.backends.language.truncation import AT_ONCE, log_distribution

# Texts looked at, texts drawn, and tokens of each.
SIZES = {"quick": (8, 12, 12), "full": (64, 100, 32)}
SUM_LIMIT, BATCH_LIMIT, Z_LIMIT, DECODE_LIMIT = 1e-6, 1e-3, 4.0, 0.05


@dataclass(frozen=True)
class Check:
    """A check with what was measured; `remedy` says what to do if it failed."""

    name: str
    passed: bool
    value: float
    limit: float
    about: str
    remedy: str = ""


def check_model(
    model: LocalModel, wanted: Sequence[ToScore], how: Literal["quick", "full"] = "quick", seed: int = 0
) -> list[Check]:
    """Run every check on some of the texts to be scored."""
    n_texts, n_drawn, n_tokens = SIZES[how]
    fitting = [one for one in wanted if _fits(model, _encoded(model, one), n_tokens)]
    some = [fitting[int(place)] for place in np.linspace(0, len(fitting) - 1, min(n_texts, len(fitting)))]
    return [
        _one_beginning(model, wanted),
        _border(model, wanted),
        _decodes(model, wanted),
        *(
            [_sums_to_one(model, some), _any_batch(model, some), *_sampled(model, some, n_drawn, n_tokens, seed)]
            if some
            else []
        ),
    ]


def _fits(model: LocalModel, encoded: Encoded, n_tokens: int) -> bool:
    """Whether a text has tokens, and so many could be drawn after its prompt."""
    window = model.forward.window
    return not encoded.reason and (window is None or len(encoded.prompt) + n_tokens <= window)


def _encoded(model: LocalModel, one: ToScore) -> Encoded:
    return model.encoder.encode(one.prompt, one.text, one.reading.bos, one.reading.border)


def _one_beginning(model: LocalModel, wanted: Sequence[ToScore]) -> Check:
    """A beginning-of-text token comes at most once, at the very beginning."""
    bos = model.encoder.bos
    doubled = 0
    for one in wanted:
        tokens = model.encoder.prompt(one.prompt, one.reading.bos)
        if isinstance(one.prompt, str):
            doubled += tokens[1:].count(bos) if bos is not None else 0
        else:
            doubled += bos is not None and tokens[:2] == (bos, bos)
    return Check(
        "one beginning of text",
        doubled == 0,
        doubled,
        0,
        "prompts with a second one",
        "Leave the token out of the template, or use --bos never.",
    )


def _border(model: LocalModel, wanted: Sequence[ToScore]) -> Check:
    """The tokens of the prompt begin the tokens of prompt and text together."""
    across = sum(
        model.encoder.encode(one.prompt, one.text, one.reading.bos, "joint").reason == ACROSS_BORDER for one in wanted
    )
    share = across / max(1, len(wanted))
    # Apart, texts are read as the model would have written them, and the border cannot be crossed.
    passed = share < 0.5 or all(one.reading.border == "separate" for one in wanted)
    return Check(
        "no token across the border",
        passed,
        share,
        0.5,
        f"{across} of {len(wanted)} texts",
        "End the template in white space or a line break before {text}, or use --border separate.",
    )


def _decodes(model: LocalModel, wanted: Sequence[ToScore]) -> Check:
    """The tokens of a text are the text."""
    changed = 0
    for one in wanted:
        encoded = _encoded(model, one)
        changed += not encoded.reason and model.encoder.decode(encoded.text).lstrip() != one.text.lstrip()
    share = changed / max(1, len(wanted))
    return Check(
        "tokens decode back",
        share <= DECODE_LIMIT,
        share,
        DECODE_LIMIT,
        f"{changed} of {len(wanted)} texts do not",
        "The tokenizer changes texts (case, accents, unknown characters): what is scored is not what was written.",
    )


def _sums_to_one(model: LocalModel, some: Sequence[ToScore]) -> Check:
    """The probabilities of all tokens sum to 1 at every position."""
    worst = 0.0
    for one in some:
        encoded = _encoded(model, one)
        tokens = (*encoded.prompt, *encoded.text)[: one.reading.window or model.forward.window]
        logits = model.forward.logits([tokens])[0].float()
        for part in logits.split(AT_ONCE):
            sums = log_distribution(part, one.reading.sampling).exp().sum(-1)
            worst = max(worst, float((sums - 1).abs().max()))
    return Check(
        "the vocabulary sums to 1",
        worst < SUM_LIMIT,
        worst,
        SUM_LIMIT,
        "largest difference from 1",
        "The network gives no distribution: the folder is not that of a language model, or is damaged.",
    )


def _any_batch(model: LocalModel, some: Sequence[ToScore]) -> Check:
    """A text has the same value alone, in a batch, and padded on either side."""
    alone = [model.score([one])[0].logprob for one in some]
    together = [one.logprob for one in model.score(some)]
    left = [one.logprob for one in score_texts(model.forward, model.encoder, some, side="left")]
    worst = max(_difference(alone, together), _difference(alone, left))
    return Check(
        "the same in any batch",
        worst <= BATCH_LIMIT,
        worst,
        BATCH_LIMIT,
        "largest difference in nats",
        "The network does not mask its padding, or its precision is too low: use --dtype float32.",
    )


def _difference(left: Sequence[float], right: Sequence[float]) -> float:
    pairs = [(a, b) for a, b in zip(left, right, strict=True) if not (isnan(a) and isnan(b)) and not a == b == -inf]
    return max((abs(a - b) for a, b in pairs), default=0.0)


def _sampled(model: LocalModel, some: Sequence[ToScore], n: int, n_tokens: int, seed: int) -> list[Check]:
    """Drawn tokens have, on average, minus the entropy as log-probability, and the value that scoring gives them."""
    reading = some[0].reading
    limit = min(n_tokens, reading.max_tokens or n_tokens)
    wanted = [
        ToSample(some[k % len(some)].prompt, f"check/{seed}/{k}", limit, reading.sampling, reading.bos, reading.end)
        for k in range(n)
    ]
    total = variance = worst = 0.0
    for draft in drafts_drawn(model.forward, model.encoder, wanted):
        surprise, spread, rescored = _against_entropy(model, draft)
        total, variance = total + surprise, variance + spread
        worst = max(worst, abs(rescored - draft.logprob))
    # Without randomness (temperature 0) both are 0.
    z = abs(total) / sqrt(variance) if variance > 1e-12 else 0.0 if abs(total) < 1e-6 else inf
    remedy = "The network samples another distribution than it scores. Report this with the model's name."
    return [
        Check("drawn texts score minus their entropy", z < Z_LIMIT, z, Z_LIMIT, f"z over {n} drawn texts", remedy),
        Check(
            "drawn texts score the same", worst <= BATCH_LIMIT, worst, BATCH_LIMIT, "largest difference in nats", remedy
        ),
    ]


def _against_entropy(model: LocalModel, draft: Draft) -> tuple[float, float, float]:
    """Sum over positions of log p + entropy, of the variance of log p, and of log p itself."""
    tokens = [*draft.prompt, *draft.tokens]
    logits = model.forward.logits([tokens])[0, len(draft.prompt) - 1 :].float()
    surprise = spread = rescored = 0.0
    n_drawn = len(draft.tokens) + (draft.finish == "end")
    for place in range(n_drawn):
        logprobs = log_distribution(logits[place], draft.wanted.sampling).numpy()
        if draft.end:
            # All ends are one event, as they are when a text is scored.
            ends = list(draft.end)
            together = np.logaddexp.reduce(logprobs[ends])
            logprobs[ends] = -inf
            logprobs[ends[0]] = together
        token = draft.tokens[place] if place < len(draft.tokens) else draft.end[0]
        possible = logprobs[logprobs > -inf]
        p = np.exp(possible)
        entropy = -float((p * possible).sum())
        spread += float((p * possible * possible).sum()) - entropy**2
        surprise += float(logprobs[token]) + entropy
        rescored += float(logprobs[token])
    return surprise, spread, rescored
