"""How servers return the log-probabilities of a given text, and what is wrong when they only seem to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isnan, nan
from typing import Any

from assay.backends.language.encoding import ACROSS_BORDER, NO_START
from assay.backends.language.protocol import TextScore, ToScore

PROBE_PROMPT, PROBE_TEXT = "The capital of France is", " Paris, of course."


@dataclass(frozen=True)
class Profile:
    """What a server can do: which routes and fields it takes, and how it scores a given text."""

    chat: bool
    completions: bool
    limit_field: str
    temperature: bool
    system: bool
    generated_logprobs: bool
    scoring: str
    no_scoring: str = ""

    def __str__(self) -> str:
        routes = "+".join(name for name in ("chat", "completions") if getattr(self, name))
        fields = [self.limit_field, *(name for name in ("temperature", "system") if getattr(self, name))]
        return f"{routes};{'+'.join(fields)};scoring={self.scoring}"


def scored_by_echo(reply: Mapping[str, Any], one: ToScore) -> TextScore:
    """Read a completion that repeats its prompt: tokens, values, and where each token begins."""
    given = _choice(reply).get("logprobs")
    if not isinstance(given, Mapping) or not given.get("tokens"):
        raise ValueError("no log-probabilities in the reply")
    tokens, values = list(given["tokens"]), list(given.get("token_logprobs") or [])
    whole = f"{one.prompt}{one.text}"
    starts = list(given.get("text_offset") or _starts(tokens))
    if len(values) != len(tokens) or len(starts) != len(tokens):
        raise ValueError("as many tokens as log-probabilities were expected")
    spelled = "".join(tokens)
    if not spelled.startswith(whole) and not (starts[0] == 0 and starts[-1] >= len(whole)):
        raise ValueError("log-probabilities of generated tokens only")
    return _text_score(tokens, values, starts, one)


def scored_by_prompt_logprobs(reply: Mapping[str, Any], one: ToScore) -> TextScore:
    """Read vLLM's field: a mapping for each token of the prompt, null for the first, the token itself before others."""
    given = _choice(reply).get("prompt_logprobs")
    if not isinstance(given, list) or not any(given):
        raise ValueError("no prompt_logprobs in the reply")
    entries = [next(iter(entry.values())) for entry in given if entry]
    tokens = [str(entry.get("decoded_token")) for entry in entries]
    whole = f"{one.prompt}{one.text}"
    if not whole.endswith("".join(tokens)):
        raise ValueError("the tokens do not decode back to the text")
    start = len(whole) - sum(map(len, tokens))
    unseen = [whole[:start]] if start else []
    values = [None] * len(unseen) + [entry.get("logprob") for entry in entries]
    tokens = unseen + tokens
    return _text_score(tokens, values, _starts(tokens), one)


def _text_score(tokens: Sequence[str], values: Sequence[Any], starts: Sequence[int], one: ToScore) -> TextScore:
    """The sum over the tokens of the text; a token across the border, or a missing value, is a gap."""
    border, stop = len(str(one.prompt)), len(str(one.prompt)) + len(one.text)
    inside = [place for place, start in enumerate(starts) if border <= start < stop]
    if not one.text:
        return TextScore(nan, 0, reason="empty text, and its end is not counted")
    if not inside or starts[inside[0]] != border:
        return TextScore(nan, len(inside), reason=ACROSS_BORDER)
    ours = [values[place] for place in inside]
    if ours[0] is None:
        return TextScore(nan, len(inside), reason=NO_START)
    if not all(isinstance(value, int | float) and not isnan(value) and value <= 1e-6 for value in ours):
        raise ValueError("a log-probability is missing, or is none")
    of_given = [value for value, start in zip(values, starts, strict=True) if start < stop]
    if len(of_given) > 1 and not any(of_given):
        raise ValueError("every log-probability is 0")
    impossible = next((place for place, value in enumerate(ours) if value == -inf), -1)
    return TextScore(
        min(float(sum(ours)), 0.0),
        len(ours),
        impossible,
        tuple(tokens[place] for place in inside) if one.per_token else (),
        tuple(map(float, ours)) if one.per_token else (),
    )


def _choice(reply: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = reply.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise ValueError("the reply has no choice")
    return choices[0]


def _starts(tokens: Sequence[str]) -> list[int]:
    starts, place = [], 0
    for token in tokens:
        starts.append(place)
        place += len(token)
    return starts
