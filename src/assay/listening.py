"""The contract of listeners: evaluators that read an utterance and say which of the item's choices is meant.

A listener returns the whole distribution over the choices, `Heard`; what of it becomes the score is the parameter
`score` of every listener:

    probability   L(target | u); of a speaker with beliefs S, the mean of L under S
    surprisal     -log L(target | u), in nats; in general the cross-entropy of S and L
    kl            KL(S || L), in nats; equal to the surprisal where one choice is meant
    hit           1 if the likeliest choice is the target; k equally likely ones count 1/k

The distribution and what was meant are the text beside the score, as JSON: `{"heard": [0.9, 0.1], "meant": 0}`.
So they survive every seam (score tables, caches, executors, `Batch.used`), and analyses and other listeners read them
with `beliefs_of`. They are written when they are first read: as text, the distributions take longer than the scores.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import DataError, EvaluatorError
from assay.evaluator import Batched, Direction, Scored, Uses, batched
from assay.kernels.ragged import Ragged, running_offsets
from assay.kernels.statistics.beliefs import cross_entropy, entropy, expected_probability, hits
from assay.records.choices import CHOICE
from assay.records.columns import numbers_of
from assay.scores import Column, Gaps
from assay.shapes import Field
from assay.text.normalizers import rstrip
from assay.text.strings import LateStrings, Strings

ListenerScore = Literal["probability", "surprisal", "kl", "hit"]

CAUTION = "a listener is blind to grammar: read it beside a fluency score (assay communicate shuffles the words)"
"""Of every listener: what readers of its scores must know."""

NO_CHOICES, NO_TARGET, EMPTY = "no choices", "no target", "empty utterance"
NO_CHANCE = "infinite: the listener gives no chance to what is meant"


@dataclass(frozen=True, eq=False)
class Heard:
    """What a listener understands.

    Attributes:
        beliefs: a probability for each choice of each output's item, in the order of the item's choices.
        reasons: why the probabilities of an output mean nothing, each reason with a mask over the outputs.
    """

    beliefs: Ragged
    reasons: Mapping[str, NDArray[np.bool_]]

    @classmethod
    def of(cls, beliefs: Ragged) -> Heard:
        """Beliefs about every output."""
        return cls(beliefs, {})


Listen = Callable[[Batch], Heard]


def listener(
    listen: Listen,
    score: ListenerScore,
    *,
    whole: bool = False,
    settled: Mapping[str, Any] | None = None,
    uses: Uses = (),
    reads: Sequence[Field] | None = None,
) -> Batched:
    """The shape of a listener that does not learn; one that does passes `scored` to `fitted`."""
    return batched(
        lambda batch: scored(listen(batch), batch, score),
        whole=whole,
        settled=settled,
        uses=uses,
        direction=direction(score),
        reads=reads,
    )


def direction(score: ListenerScore) -> Direction:
    """Whether higher scores are better."""
    return lambda _: score in ("probability", "hit")


def scored(heard: Heard, batch: Batch, score: ListenerScore) -> Scored:
    """Score what a listener understands against what is meant, and put both beside the score."""
    meant = batch.dataset.items.target.take(items_of(batch))
    n_choices = choices_of(batch).lengths
    if not np.array_equal(heard.beliefs.lengths, n_choices):
        raise ValueError("a listener must give one probability for each choice of each output")
    reasons = {NO_CHOICES: n_choices == 0, EMPTY: _are_empty(batch), **heard.reasons}
    return scored_against(meant, Heard(heard.beliefs, reasons), score)


def scored_against(meant: Ragged, heard: Heard, score: ListenerScore) -> Scored:
    """The same where what is meant does not come from the data."""
    n = len(meant)
    has_target = meant.lengths > 0
    rows = np.flatnonzero(has_target & (heard.beliefs.lengths > 0))
    values = np.full(n, np.nan)
    values[rows] = _SCORES[score](meant.take(rows), heard.beliefs.take(rows))
    gaps = Gaps.where(n, {**heard.reasons, NO_TARGET: ~has_target, NO_CHANCE: np.isinf(values)})
    values[gaps.codes != 0] = np.nan
    unheard = np.logical_or.reduce(list(heard.reasons.values())) if heard.reasons else np.zeros(n, bool)
    return Scored(values, gaps, LateStrings(n, lambda: Strings.of(_texts(meant, heard.beliefs, unheard))))


def items_of(batch: Batch) -> NDArray[np.int64]:
    """The row of each output's item."""
    return batch.dataset.outputs.item[batch.rows]


def choices_of(batch: Batch) -> Ragged:
    """The choices of each output, as positions in `dataset.items.choices.texts`."""
    return batch.dataset.items.choices.numbers.take(items_of(batch))


def clicks_of(batch: Batch, criterion: str = "") -> Ragged:
    """How often the listeners of each output chose each choice: judgments with a column `choice`, an index.

    Judgments are those of `criterion`, or of the criterion that asks for understanding, if one does. One without an
    index of a choice does not count.
    """
    dataset, choices = batch.dataset, choices_of(batch)
    judgments = dataset.judgments.about("output")
    if name := criterion or next(iter(dataset.asking("understanding", "output")), ""):
        judgments = judgments.of(name)
    column = numbers_of(dataset.judgments.columns.get(CHOICE, np.zeros(0)))
    if column is None or not len(column):
        raise EvaluatorError(
            f"no judgment says which choice was picked. Give each a {CHOICE!r}: the index of the choice, from 0."
        )
    position = np.full(len(dataset), -1, np.int64)
    position[batch.rows] = np.arange(len(batch))
    picked, output = column[judgments.rows], position[judgments.unit]
    n_choices = np.append(choices.lengths, 0)[output]
    valid = (picked >= 0) & (picked < n_choices) & (picked == np.floor(picked))
    at = choices.offsets[output[valid]] + picked[valid].astype(np.int64)
    return Ragged(np.bincount(at, minlength=int(choices.offsets[-1])).astype(np.float64), choices.offsets)


@dataclass(frozen=True, eq=False)
class Beliefs:
    """What was meant and what was heard, read back from a column; outputs without either have empty rows."""

    meant: Ragged
    heard: Ragged

    def take(self, rows: NDArray[np.int64]) -> Beliefs:
        """Return the given rows."""
        return Beliefs(self.meant.take(rows), self.heard.take(rows))


def beliefs_of(column: Column) -> Beliefs:
    """Read the distributions beside the scores of a listener."""
    if not has_beliefs(column):
        raise DataError(f"{column.name} is not a column of a listener: there are no distributions beside its scores.")
    parsed = [_parsed(text) for text in column.texts or ()]
    return Beliefs(_ragged(meant for meant, _ in parsed), _ragged(heard for _, heard in parsed))


def has_beliefs(column: Column) -> bool:
    """Whether a column is a listener's."""
    texts = [text for text in column.texts or () if text]
    return bool(texts) and all(text.startswith('{"heard": [') for text in texts)


def share_of_hits(column: Column) -> tuple[float, int]:
    """The share of outputs in which the likeliest choice of a listener is the target, and the number of outputs."""
    beliefs = beliefs_of(column)
    rows = np.flatnonzero((beliefs.meant.lengths > 0) & (beliefs.heard.lengths > 0))
    return (float(np.mean(hits(beliefs.meant.take(rows), beliefs.heard.take(rows)))) if len(rows) else nan), len(rows)


def _kl(meant: Ragged, heard: Ragged) -> NDArray[np.float64]:
    # Rounding may leave the difference of equal distributions just below 0.
    return np.maximum(cross_entropy(meant, heard) - entropy(meant), 0.0)


_SCORES: dict[ListenerScore, Callable[[Ragged, Ragged], NDArray[np.float64]]] = {
    "probability": expected_probability,
    "surprisal": cross_entropy,
    "kl": _kl,
    "hit": hits,
}


def _are_empty(batch: Batch) -> NDArray[np.bool_]:
    return rstrip(batch.texts.take(batch.candidates)).lengths == 0


def _texts(meant: Ragged, heard: Ragged, unheard: NDArray[np.bool_]) -> list[str]:
    """Both distributions of each output as JSON; empty where nothing was heard."""
    written = list(map(repr, heard.values.tolist()))  # all at once: a hot path with many choices
    certain = np.full(len(meant), -1, np.int64)
    sure = np.flatnonzero(meant.values == 1.0)
    certain[meant.row_of[sure]] = sure - meant.offsets[meant.row_of[sure]]
    starts, ends = heard.offsets[:-1].tolist(), heard.offsets[1:].tolist()
    texts = []
    for row, (start, end, place, silent) in enumerate(
        zip(starts, ends, certain.tolist(), unheard.tolist(), strict=True)
    ):
        if silent:
            texts.append("")
            continue
        beliefs = f'{{"heard": [{", ".join(written[start:end])}]'
        if place >= 0:
            texts.append(f'{beliefs}, "meant": {place}}}')
        elif len(meant[row]):
            texts.append(f'{beliefs}, "meant": {json.dumps(meant[row].tolist())}}}')
        else:
            texts.append(f"{beliefs}}}")
    return texts


def _parsed(text: str) -> tuple[list[float], list[float]]:
    if not text:
        return [], []
    record = json.loads(text)
    heard, meant = list(map(float, record["heard"])), record.get("meant", [])
    return ([float(place == meant) for place in range(len(heard))] if isinstance(meant, int) else meant), heard


def _ragged(rows: Iterable[Sequence[float]]) -> Ragged:
    rows = list(rows)
    lengths = np.array([len(row) for row in rows], np.int64)
    return Ragged(np.array([value for row in rows for value in row], np.float64), running_offsets(lengths))
