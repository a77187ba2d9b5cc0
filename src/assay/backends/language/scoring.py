"""Log-probabilities of texts under a causal network."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, isnan, nan
from typing import Any, Literal, NamedTuple

from assay.backends.language.encoding import Encoded, TextEncoder
from assay.backends.language.forward import Forward, by_length
from assay.backends.language.prefixes import shared_beginnings
from assay.backends.language.protocol import Reading, TextScore, ToScore
from assay.backends.language.truncation import log_distribution, token_logprobs

EMPTY = "empty text, and its end is not counted"


@dataclass(frozen=True)
class Row:
    """Tokens seen together, and which of the predictions after them are wanted.

    `first` is the place of the first wanted prediction in `tokens`, `targets` the tokens it and the following ones are
    about; a last target of -1 is the end of the text.
    """

    request: int
    tokens: tuple[int, ...]
    first: int
    targets: tuple[int, ...]


END = -1
REMEMBERED = 8
"""Tokens whose memory takes the room of one that is computed."""


def score_texts(
    forward: Forward, encoder: TextEncoder, wanted: Sequence[ToScore], side: Literal["right", "left"] = "right"
) -> list[TextScore]:
    """Score texts in batches of similar length, padded on one side."""
    encoded = [encoder.encode(one.prompt, one.text, one.reading.bos, one.reading.border) for one in wanted]
    settled: dict[int, TextScore] = {}
    rows: list[Row] = []
    for number, (one, tokens) in enumerate(zip(wanted, encoded, strict=True)):
        end = encoder.end(one.reading.end)
        cut = _without_forward(tokens, one.reading, end)
        if cut is not None:
            settled[number] = cut
            continue
        ends = bool(end) and (one.reading.max_tokens is None or len(tokens.text) < one.reading.max_tokens)
        cut_rows = windows(number, tokens, ends, one.reading, forward.window)
        if isinstance(cut_rows, str):
            settled[number] = TextScore(nan, len(tokens.text), reason=cut_rows)
        else:
            rows += cut_rows
    values = _predictions(forward, encoder, wanted, rows, side)
    return [
        settled[number] if number in settled else _scored(one, encoder, encoded[number], values[number])
        for number, one in enumerate(wanted)
    ]


def _without_forward(tokens: Encoded, reading: Reading, end: tuple[int, ...]) -> TextScore | None:
    """The result for texts that need no network: gaps, and what the sampler cannot say whatever the model."""
    n_tokens = len(tokens.text)
    if tokens.reason:
        return TextScore(nan, n_tokens, reason=tokens.reason)
    if not n_tokens and not end:
        return TextScore(nan, 0, reason=EMPTY)
    ends_early = next((place for place, token in enumerate(tokens.text) if token in end), None)
    if ends_early is not None:
        return TextScore(-inf, n_tokens, ends_early)
    if reading.max_tokens is not None and n_tokens > reading.max_tokens:
        return TextScore(-inf, n_tokens, reading.max_tokens)
    return None


def windows(number: int, tokens: Encoded, ends: bool, reading: Reading, limit: int | None) -> list[Row] | str:
    """Cut a text into rows that fit the window, or say why it does not fit."""
    whole = tokens.prompt + tokens.text
    targets = (*whole[1:], END)
    n_seen = len(whole) if ends else len(whole) - 1
    size = min(filter(None, (reading.window, limit)), default=n_seen)
    start, stop = len(tokens.prompt) - 1, n_seen
    if n_seen <= size:
        return [Row(number, whole[:n_seen], start, targets[start:stop])]
    if reading.stride is None:
        return f"longer than the window ({n_seen} > {size} tokens)"
    if reading.stride >= size:
        return f"the stride of {reading.stride} is not below the window of {size} tokens"
    rows: list[Row] = []
    done, begin = start, 0
    while done < stop:
        last = min(begin + size, stop)
        if last > done:
            rows.append(Row(number, whole[begin:last], done - begin, targets[done:last]))
            done = last
        begin += reading.stride
    return rows


def _predictions(
    forward: Forward,
    encoder: TextEncoder,
    wanted: Sequence[ToScore],
    rows: Sequence[Row],
    side: Literal["right", "left"],
) -> dict[int, list[float]]:
    """The log-probability of every wanted token, by request, in the order of the text."""
    import torch

    by_row: list[list[float]] = [[] for _ in rows]
    # What differs in the last token alone, as short answers to one question do, is seen by one row.
    seen: dict[tuple[tuple[int, ...], int], list[int]] = {}
    for place, row in enumerate(rows):
        seen.setdefault((row.tokens, row.first), []).append(place)
    alike = list(seen.values())
    for one in _passes(forward, [rows[places[0]] for places in alike], side):
        found = ((line, place) for line, number in enumerate(one.numbers) for place in alike[number])
        for line, place in found:
            reading, tokens = wanted[rows[place].request].reading, rows[place].targets[one.done :]
            ours = one.logits[line, one.starts[line] :].float()
            tokens, ours = tokens[: len(ours)], ours[: len(tokens)]
            last = nan
            if tokens[-1] == END:
                end = list(encoder.end(reading.end))
                last = float(log_distribution(ours[-1], reading.sampling)[end].logsumexp(0))
                ours, tokens = ours[:-1], tokens[:-1]
            if tokens:
                by_row[place] += token_logprobs(ours, torch.tensor(tokens), reading.sampling).tolist()
            if not isnan(last):
                by_row[place].append(last)
    values: dict[int, list[float]] = {}
    for row, ours in zip(rows, by_row, strict=True):
        values.setdefault(row.request, []).extend(ours)
    return values


class Pass(NamedTuple):
    """Rows computed together, by number, and their logits.

    `starts` is where in the logits the first wanted prediction of each row is; of a row that is computed part by part
    the first `done` predictions were in other parts.
    """

    numbers: list[int]
    logits: Any
    starts: list[int]
    done: int = 0


def _passes(forward: Forward, rows: Sequence[Row], side: Literal["right", "left"]) -> Iterator[Pass]:
    """Compute all rows: those with a shared beginning after it, the others as they are, long ones part by part."""
    apart = set(range(len(rows)))
    for places, length in shared_beginnings([row.tokens[: row.first] for row in rows]):
        seen = forward.seen(rows[places[0]].tokens[:length])
        if seen is None:
            break
        apart.difference_update(places)
        for group in by_length([_size(len(rows[place].tokens), length) for place in places]):
            ours = [places[number] for number in group]
            if forward.in_turn(len(rows[ours[0]].tokens) - length):
                yield from _in_turn(forward, rows, ours[0], seen, length)
                continue
            firsts = [rows[place].first - length for place in ours]
            keep = _columns(rows, ours, firsts)
            logits = forward.logits_after(seen, length, [rows[place].tokens[length:] for place in ours], keep)
            yield Pass(ours, logits, [bisect_left(keep, first) for first in firsts])
    others = sorted(apart)
    for group in by_length([len(rows[place].tokens) for place in others]):
        ours = [others[number] for number in group]
        if forward.in_turn(len(rows[ours[0]].tokens)):
            yield from _in_turn(forward, rows, ours[0])
            continue
        longest = max(len(rows[place].tokens) for place in ours)
        padding = [longest - len(rows[place].tokens) if side == "left" else 0 for place in ours]
        firsts = [rows[place].first + left for place, left in zip(ours, padding, strict=True)]
        keep = _columns(rows, ours, firsts)
        logits = forward.logits([rows[place].tokens for place in ours], side, keep)
        yield Pass(ours, logits, [bisect_left(keep, first) for first in firsts])


def _in_turn(forward: Forward, rows: Sequence[Row], place: int, seen: Any = None, n_seen: int = 0) -> Iterator[Pass]:
    """A long row, which is alone, part by part."""
    first = rows[place].first - n_seen
    for column, logits in forward.logits_in_turn(rows[place].tokens[n_seen:], first, seen, n_seen):
        yield Pass([place], logits[None], [0], column - first)


def _size(n_tokens: int, n_shared: int) -> int:
    """How much of a pass a row takes that goes on from a shared beginning: its memory is copied for every row."""
    return max(n_tokens - n_shared, n_tokens // REMEMBERED)


def _columns(rows: Sequence[Row], places: Sequence[int], firsts: Sequence[int]) -> list[int]:
    """The columns of padded rows after which a prediction of any row is wanted."""
    return sorted(
        {
            first + number
            for place, first in zip(places, firsts, strict=True)
            for number in range(len(rows[place].targets))
        }
    )


def _scored(one: ToScore, encoder: TextEncoder, tokens: Encoded, values: Sequence[float]) -> TextScore:
    impossible = next((place for place, value in enumerate(values) if value == -inf), -1)
    return TextScore(
        min(sum(values), 0.0),
        len(tokens.text),
        impossible,
        tuple(encoder.spelled(tokens.text)) if one.per_token else (),
        tuple(values) if one.per_token else (),
    )
