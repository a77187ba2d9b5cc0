"""The shapes of evaluators: how scores are computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.batch import MAX_PAIRS, Batch
from assay.kernels.overlap.key_counts import KeyCounts
from assay.records import Dataset, Output
from assay.scored import Answer, Result
from assay.scores import Finish

if TYPE_CHECKING:
    from assay.evaluator import Evaluator

Score = Callable[[Batch], Result]
Offers = Callable[[Dataset], tuple[str, ...]]
Direction = Callable[[Dataset], bool | None]
Check = Callable[[Dataset], None]
# What of the data an evaluator may read, beside the names of outputs, items, systems and sets, and who is human.
Field = Literal["text", "context", "references", "choices", "logprobs", "judgments", "columns"]
# What a training set must not share with the scored data.
Apart = Literal["text", "context", "game"]
# A fitted model: arrays, columns of texts (`Strings`) and JSON values by name.
State = Mapping[str, Any]


@dataclass(frozen=True)
class Use:
    """An evaluator whose scores a shape gets in `Batch.used`, and the units they are about.

    Attributes:
        evaluator: any evaluator; a fitted one is cross-fitted, or fitted on the training set of the run.
        unit: `output`, the outputs of each unit; `pair`, the unordered pairs of outputs in it; None, the unit itself.
        max_pairs: the most pairs per unit; more are sampled with a fixed seed.
        both_ways: whether each pair is followed by its reverse.
    """

    evaluator: Evaluator
    unit: Literal["output", "pair"] | None = None
    max_pairs: int = MAX_PAIRS
    both_ways: bool = False


Uses = Sequence[Use] | Callable[[Dataset], Sequence[Use]]


@dataclass(frozen=True)
class Shape:
    """How scores are computed.

    Attributes:
        offers: the units it scores, if that depends on the data.
        whole: whether it needs all units in one batch (document frequencies); others get chunks.
        settled: values of parameters that were left open, as the signature prints them.
        uses: the evaluators whose scores are in `Batch.used`, or a function of the data that returns them.
        direction: whether higher is better, if that depends on the data.
        reads: all that it reads of the data itself, beside what it needs, its references and what keeps training data
            apart; None if that may be anything. Of data in parts nothing else is brought together for it.
        check: raises an EvaluatorError if the data lacks what a parameter names. A part of the data may lack it: its
            units are gaps.
    """

    offers: Offers | None = field(default=None, kw_only=True)
    whole: bool = field(default=False, kw_only=True)
    settled: Mapping[str, Any] = field(default_factory=dict, kw_only=True)
    uses: Uses = field(default=(), kw_only=True)
    direction: Direction | None = field(default=None, kw_only=True)
    reads: Sequence[Field] | None = field(default=None, kw_only=True)
    check: Check | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class PerUnit(Shape):
    """A Python function of one output, or of the list of outputs of any larger unit."""

    score: Callable[[Any], float | Answer]


@dataclass(frozen=True)
class Additive(Shape):
    """Statistics per unit; `finish` turns a row into a unit's score, `pooled` a sum of rows into a pooled score."""

    statistics: Score
    finish: Finish
    pooled: Finish


@dataclass(frozen=True)
class Batched(Shape):
    """A function of a batch: one number per unit."""

    score: Score


@dataclass(frozen=True)
class Counted(Batched):
    """Scores from counts over all units, such as document frequencies; see `counted`."""

    count: Callable[[Batch], KeyCounts]
    by_counts: Callable[[Batch, KeyCounts], Result]

    def given(self, counts: KeyCounts) -> Batched:
        """The same with counts that were made before: it scores unit by unit."""
        by_counts = self.by_counts
        return Batched(
            lambda batch: by_counts(batch, counts),
            offers=self.offers,
            settled=self.settled,
            uses=self.uses,
            direction=self.direction,
        )


class NotAsked(Exception):
    """Raised by `send` to skip a request, such as over a budget: a gap, but no failure; the next run asks again."""


@dataclass(frozen=True)
class PerRequest(Shape):
    """Requests to a costly service; see `per_request`."""

    service: str
    request: Callable[[Any], Any]
    send: Callable[[Any], Any]
    read: Callable[[Any, Any], float | Answer]
    at_once: int | None = None
    batch: int = 1


@dataclass(frozen=True)
class Fitted(Shape):
    """A function that learns from a batch of other units, and one that scores with the model; see `fitted`."""

    fit: Callable[[Batch, np.random.Generator], Any]
    score: Callable[[Any, Batch], Result]
    learns_from: tuple[str, ...] = ()
    apart: Apart = "text"
    save: Callable[[Any], State] | None = None
    load: Callable[[State], Any] | None = None
    scoring: tuple[str, ...] = ()

    def given(self, model: Any) -> Batched:
        """The same with a fitted model: it scores unit by unit."""
        score = self.score
        return Batched(
            lambda batch: score(model, batch), settled=self.settled, uses=self.uses, direction=self.direction
        )


def per_unit(
    score: Callable[[Output], float | Answer] | Callable[[list[Output]], float | Answer],
    *,
    reads: Sequence[Field] | None = None,
) -> PerUnit:
    """Score units one by one with a Python function. NaN is a gap; an exception is a gap with its message.

    Raise a ValueError for a unit that cannot be scored: that gap is cached. An exception other than ValueError,
    TypeError, LookupError, ArithmeticError or AssertionError may be transient (a rate limit, out of memory) and is
    never cached; see `assay.errors.lies_in_data`.
    """
    return PerUnit(score, reads=reads)


def per_request(
    service: str,
    *,
    request: Callable[[Any], Any],
    send: Callable[[Any], Any],
    read: Callable[[Any, Any], float | Answer],
    at_once: int | None = None,
    batch: int = 1,
) -> PerRequest:
    """Score units by asking a service, such as a language model. A run sends only what was never answered before.

    Args:
        service: the service, with everything that changes its replies but is not in a request: the model and its
            version or content hash, the endpoint's host. Part of the key of a stored reply. Never credentials.
        request: a function of a unit that returns a request, a JSON object; or a list of them, for both orders of a
            pair or several samples (tell them apart by a field).
        send: a function of one request that returns the reply, a JSON value; called in threads. A ValueError or the
            like is the request's fault and leaves a gap; `NotAsked` leaves a gap that is no failure; anything else is
            transient and retried, after `retry_after` seconds if the exception has that attribute. Its message becomes
            the reason of the gap, so it must not contain credentials.
        read: a function of the reply (or the list of replies) and the unit that returns a number or an `Answer`. An
            exception leaves a gap, with the reply as its text.
        at_once: the most calls of `send` in flight, such as 1 for a model in this process.
        batch: above 1, `send` takes a list of up to that many requests and returns their replies in order.
    """
    return PerRequest(service, request, send, read, at_once, batch, whole=True)


def additive(
    statistics: Score,
    finish: Finish,
    *,
    pooled: Finish | None = None,
    settled: Mapping[str, Any] | None = None,
    uses: Uses = (),
    reads: Sequence[Field] | None = None,
    check: Check | None = None,
) -> Additive:
    """Score from statistics that add up over units; `pooled` if sums are finished differently."""
    return Additive(statistics, finish, pooled or finish, settled=settled or {}, uses=uses, reads=reads, check=check)


def batched(
    score: Score,
    *,
    whole: bool = False,
    offers: Offers | None = None,
    settled: Mapping[str, Any] | None = None,
    uses: Uses = (),
    direction: Direction | None = None,
    reads: Sequence[Field] | None = None,
) -> Batched:
    """Score a batch of units from arrays, and from the scores of the evaluators it uses."""
    return Batched(
        score, whole=whole, offers=offers, settled=settled or {}, uses=uses, direction=direction, reads=reads
    )


def counted(
    count: Callable[[Batch], KeyCounts],
    score: Callable[[Batch, KeyCounts], Result],
    *,
    settled: Mapping[str, Any] | None = None,
) -> Counted:
    """Count over all units first, then score each from its texts and the counts.

    Data in parts is read twice: every part counts, the counts are added, and every part is scored with the sum. So
    counts must add up over units, and a score must depend on the other units through them alone.
    """
    return Counted(lambda batch: score(batch, count(batch)), count, score, whole=True, settled=settled or {})


def fitted(
    fit: Callable[[Batch, np.random.Generator], Any],
    score: Callable[[Any, Batch], Result],
    *,
    learns_from: Sequence[str] = (),
    apart: Apart = "text",
    save: Callable[[Any], State] | None = None,
    load: Callable[[State], Any] | None = None,
    settled: Mapping[str, Any] | None = None,
    uses: Uses = (),
    offers: Offers | None = None,
    direction: Direction | None = None,
    reads: Sequence[Field] | None = None,
    scoring: Sequence[str] = (),
) -> Fitted:
    """Learn first, then score: `score(fit(train, rng), batch)`. No unit is scored by a model trained on it.

    The training batch has a data set of its own, without anything that is scored, and shares the bank of texts with
    the scored batch: tokens and n-grams have the same numbers in both.

    A fitted evaluator can be saved with `assay.fit`, and then takes the folder as `model=...`.

    Args:
        fit: learns a model from a batch of units, with its own random generator.
        score: scores a batch with the model; the score of a unit must not depend on the others in the batch.
        learns_from: what the training data must have: `judgments` (of outputs and one criterion),
            `judgments:CRITERION`, `criterion:NAME` (judgments of any unit), `human`, `generated`, `column:NAME`
            (numbers, of outputs), `set_column:NAME`, or anything in `About.needs`.
        apart: what a training set must not share with the scored data: texts, or contexts too, or only games (the
            same text with the same choices).
        save: turns the model into a `State` (arrays, `Strings` and JSON values), if `fit` returns something else.
        load: the inverse of `save`.
        settled: values of parameters that were left open.
        uses: evaluators whose scores are in both batches.
        offers: the units it scores, if that depends on the data.
        direction: whether higher is better, if that depends on the data.
        reads: all that both functions read of the data; None if that may be anything.
        scoring: the parameters that `fit` ignores: a saved model takes other values of them.
    """
    return Fitted(
        fit,
        score,
        tuple(learns_from),
        apart,
        save,
        load,
        tuple(scoring),
        whole=True,
        settled=settled or {},
        uses=uses,
        offers=offers,
        direction=direction,
        reads=reads,
    )
