"""The verdict in a reply: one of the answers, alone or on a marked last line, or why there is none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import exp, inf, nan
from typing import NamedTuple

_MARKED = re.compile(r"^\W*(?:verdict|answer|rating|score)\W*[:=]\s*(?P<answer>.+?)\W*$", re.IGNORECASE | re.MULTILINE)
_REFUSALS = re.compile(r"\b(i can(?:no|')t|i am unable|i'm (?:sorry|unable)|i am sorry|as an ai)\b", re.IGNORECASE)


class Verdict(NamedTuple):
    """A number, or a reason why there is none.

    `mass` is the probability that the answers cover where probabilities were read, and `shares` that of each answer
    among them.
    """

    value: float = nan
    reason: str = ""
    mass: float = nan
    shares: tuple[float, ...] = ()


def chosen(reply: str, answers: Mapping[str, float], *, cut: bool) -> Verdict:
    """Read a reply. Only an answer alone, or marked as in `Answer: 4`, counts; `cut` replies ended at a limit."""
    known = {answer.casefold(): value for answer, value in answers.items()}
    alone = _bare(reply)
    if alone in known:
        return Verdict(known[alone])
    marked = [_bare(match["answer"]) for match in _MARKED.finditer(reply)]
    values = {known[answer] for answer in marked if answer in known}
    if len(values) > 1:
        return Verdict(reason="two verdicts")
    if values and marked[-1] in known:
        return Verdict(values.pop())
    if marked:
        return Verdict(reason=f"not one of the answers: {marked[-1][:40]}")
    if not reply.strip():
        return Verdict(reason="an empty reply")
    if cut:
        return Verdict(reason="truncated before a verdict")
    if _REFUSALS.search(reply):
        return Verdict(reason="refused")
    return Verdict(reason="no verdict")


def expected(first: Sequence[tuple[str, float]], answers: Mapping[str, float], least_mass: float) -> Verdict:
    """The mean answer by the probabilities of the first tokens of a reply.

    A token counts for an answer that it is, or that only it begins. Below `least_mass` the model means to say something
    else, and there is no answer.
    """
    mass = total = 0.0
    for token, logprob in first:
        start = token.strip().casefold()
        matches = [value for answer, value in answers.items() if start and answer.casefold() == start]
        matches = matches or [
            value for answer, value in answers.items() if start and answer.casefold().startswith(start)
        ]
        if len(matches) == 1:
            probability = exp(logprob)
            mass += probability
            total += probability * matches[0]
    if mass <= 0 or mass < least_mass:
        return Verdict(reason=f"the answers cover {mass:.2f} of the probability (< {least_mass:g})", mass=mass)
    return Verdict(total / mass, mass=mass)


def compared(logprobs: Sequence[float], answers: Mapping[str, float], least_mass: float) -> Verdict:
    """The mean answer by the probabilities of the whole answers, relative to each other.

    So a model that would rather say something else still has a verdict: which answer it finds likeliest. How little it
    means to give any is the `mass`.
    """
    likeliest = max(logprobs)
    mass = sum(map(exp, logprobs))
    if likeliest == -inf or mass < least_mass:
        return Verdict(reason=f"the answers cover {mass:.2g} of the probability (< {least_mass:g})", mass=mass)
    weights = [exp(one - likeliest) for one in logprobs]
    shares = tuple(weight / sum(weights) for weight in weights)
    value = sum(share * number for share, number in zip(shares, answers.values(), strict=True))
    return Verdict(value, mass=mass, shares=shares)


def _bare(text: str) -> str:
    return text.strip().strip("*_`'\"().[]").strip().casefold()
