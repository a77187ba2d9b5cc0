"""The evaluator contract: the decorator and the shapes that authors use.

An author writes one factory; its parameters become the signature:

    @evaluator(units=("output",), higher_is_better=True, needs=("references",), scale="0 to 1")
    def exact_match(*, lowercase: bool = True, references: References = given()) -> Shape:
        '''Whether the text equals one of its references.'''

        def score(output: Output) -> float: ...

        return per_unit(score)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, update_wrapper
from math import nan
from pickle import PicklingError
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.batch import MAX_PAIRS, Batch
from assay.errors import lies_in_data, pass_on_interrupt
from assay.factory import Configured, Factory
from assay.records import Dataset, Output
from assay.references import References
from assay.scores import FOR_NOW, Finish, Gaps
from assay.text.strings import Strings


class Answer(NamedTuple):
    """A score with a text beside it: an explanation, a span, a chosen answer.

    A `value` of NaN is a gap; `reason` says why.
    """

    value: float = nan
    text: str = ""
    reason: str = ""


class NotAsked(Exception):
    """Raised by `send` to skip a request, such as over a budget: a gap, but no failure; the next run asks again."""


@dataclass(frozen=True, eq=False)
class Scored:
    """Values, one row per unit, with a reason for every NaN, and texts if the evaluator returns any."""

    values: NDArray[np.float64]
    gaps: Gaps
    texts: Strings | None = None

    def take(self, rows: NDArray[np.int64]) -> Scored:
        """Return the given rows."""
        return Scored(self.values[rows], self.gaps.take(rows), None if self.texts is None else self.texts.take(rows))

    @classmethod
    def of_answers(cls, answers: Sequence[Answer]) -> Scored:
        """Collect answers, one per unit."""
        texts = [answer.text for answer in answers]
        values = np.array([answer.value for answer in answers], np.float64)
        gaps = Gaps.of([answer.reason for answer in answers])
        return with_gaps(cls(values, gaps, storable(texts) if any(texts) else None))


# What an author's function may return: plain values, where NaN means "undefined", or values with reasons.
Result = NDArray[np.float64] | Scored
Score = Callable[[Batch], Result]
Offers = Callable[[Dataset], tuple[str, ...]]
Direction = Callable[[Dataset], bool | None]
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

UNEQUAL_SETS = "unequal sets"
"""Key of the caution about sets or systems with unequal numbers of texts."""


@dataclass(frozen=True)
class Shape:
    """How scores are computed.

    Attributes:
        offers: the units it scores, if that depends on the data.
        whole: whether it needs all units in one batch (document frequencies); others get chunks.
        settled: values of parameters that were left open, as the signature prints them.
        uses: the evaluators whose scores are in `Batch.used`, or a function of the data that returns them.
        direction: whether higher is better, if that depends on the data.
    """

    offers: Offers | None = field(default=None, kw_only=True)
    whole: bool = field(default=False, kw_only=True)
    settled: Mapping[str, Any] = field(default_factory=dict, kw_only=True)
    uses: Uses = field(default=(), kw_only=True)
    direction: Direction | None = field(default=None, kw_only=True)


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
    apart: Literal["text", "context"] = "text"
    save: Callable[[Any], State] | None = None
    load: Callable[[State], Any] | None = None


def per_unit(score: Callable[[Output], float | Answer] | Callable[[list[Output]], float | Answer]) -> PerUnit:
    """Score units one by one with a Python function. NaN is a gap; an exception is a gap with its message.

    Raise a ValueError for a unit that cannot be scored: that gap is cached. An exception other than ValueError,
    TypeError, LookupError, ArithmeticError or AssertionError may be transient (a rate limit, out of memory) and is
    never cached; see `assay.errors.lies_in_data`.
    """
    return PerUnit(score)


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
) -> Additive:
    """Score from statistics that add up over units; `pooled` if sums are finished differently."""
    return Additive(statistics, finish, pooled or finish, settled=settled or {}, uses=uses)


def batched(
    score: Score,
    *,
    whole: bool = False,
    offers: Offers | None = None,
    settled: Mapping[str, Any] | None = None,
    uses: Uses = (),
    direction: Direction | None = None,
) -> Batched:
    """Score a batch of units from arrays, and from the scores of the evaluators it uses."""
    return Batched(score, whole=whole, offers=offers, settled=settled or {}, uses=uses, direction=direction)


def fitted(
    fit: Callable[[Batch, np.random.Generator], Any],
    score: Callable[[Any, Batch], Result],
    *,
    learns_from: Sequence[str] = (),
    apart: Literal["text", "context"] = "text",
    save: Callable[[Any], State] | None = None,
    load: Callable[[State], Any] | None = None,
    settled: Mapping[str, Any] | None = None,
    uses: Uses = (),
    offers: Offers | None = None,
    direction: Direction | None = None,
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
        apart: what a training set must not share with the scored data: texts, or contexts too.
        save: turns the model into a `State` (arrays, `Strings` and JSON values), if `fit` returns something else.
        load: the inverse of `save`.
        settled: values of parameters that were left open.
        uses: evaluators whose scores are in both batches.
        offers: the units it scores, if that depends on the data.
        direction: whether higher is better, if that depends on the data.
    """
    return Fitted(
        fit,
        score,
        tuple(learns_from),
        apart,
        save,
        load,
        whole=True,
        settled=settled or {},
        uses=uses,
        offers=offers,
        direction=direction,
    )


@dataclass(frozen=True)
class About:
    """What is known of an evaluator before it gets parameters.

    Attributes:
        units: the kinds of unit it scores by itself, the preferred one first; coarser ones are pooled.
        higher_is_better: the direction, None if there is none.
        needs: what the scored data must have: references, judgments, logprobs, context, choices, human.
        scale: the range of scores in words.
        cite: the source of the definition.
        stored: whether scores are worth caching on disk.
        cautions: notes for readers of the scores, by kind of unit or UNEQUAL_SETS.
    """

    units: tuple[str, ...]
    higher_is_better: bool | None = True
    needs: tuple[str, ...] = ()
    scale: str = ""
    cite: str = ""
    stored: bool = True
    cautions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, repr=False)
class Evaluator(Configured):
    """An evaluator with its parameters; equal to another with the same signature."""

    name: str
    params: Mapping[str, Any]
    about: About
    shape: Shape
    origin: str = "local"

    def __reduce__(self) -> tuple[Callable[[str], Evaluator], tuple[str]]:
        """Pickle as a signature."""
        from assay.registry import parse, travels

        if not travels(self):
            raise PicklingError(f"{self!r} depends on functions of this session, and cannot be rebuilt elsewhere")
        return parse, (self.signature,)

    @property
    def references(self) -> References | None:
        """Its source of references, if it uses any."""
        source = self.params.get("references")
        return source if isinstance(source, References) else None

    def higher_is_better(self, dataset: Dataset) -> bool | None:
        """Whether higher is better on this data, None if neither is."""
        return self.shape.direction(dataset) if self.shape.direction else self.about.higher_is_better

    def offered(self, dataset: Dataset) -> tuple[str, ...]:
        """The kinds of unit it scores by itself on this data."""
        return self.shape.offers(dataset) if self.shape.offers else self.about.units

    def uses(self, dataset: Dataset) -> tuple[Use, ...]:
        """The evaluators it uses on this data."""
        uses = self.shape.uses
        return tuple(uses(dataset) if callable(uses) else uses)

    def parts(self, dataset: Dataset) -> Iterator[Evaluator]:
        """Itself and, recursively, the evaluators it uses on this data."""
        yield self
        for use in self.uses(dataset):
            yield from use.evaluator.parts(dataset)

    def learns(self, dataset: Dataset) -> bool:
        """Whether it, or an evaluator it uses, is fitted."""
        return any(isinstance(part.shape, Fitted) for part in self.parts(dataset))

    def asks(self, dataset: Dataset) -> bool:
        """Whether it, or an evaluator it uses, calls a service."""
        return any(isinstance(part.shape, PerRequest) for part in self.parts(dataset))

    def score(self, batch: Batch) -> Scored:
        """Score a batch directly, without what a run adds: cache, fitting, used evaluators, containment of failures."""
        match self.shape:
            case Additive(statistics=statistics, finish=finish):
                sums = with_gaps(statistics(batch))
                return with_gaps(Scored(finish(sums.values), sums.gaps))
            case Batched(score=score):
                return with_gaps(score(batch))
            case PerUnit(score=of_unit):
                return score_one_by_one(of_unit, batch)
            case PerRequest():
                raise TypeError(f"{self.name} asks {self.shape.service}: use assay.score")
        raise TypeError(f"{self.name} must be fitted before it scores")


class EvaluatorFactory:
    """A decorated factory: call it with parameters to get an evaluator."""

    def __init__(self, function: Callable[..., Shape], about: About, origin: str = "local") -> None:
        self.factory = Factory(function.__name__, function)
        self.about = about
        self.origin = origin
        update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Evaluator:
        """Make an evaluator. A fitted one takes `model=...`, a folder written by `assay.fit`."""
        if "model" in kwargs and "model" not in self.factory.parameters:
            from assay.applied import apply_model

            return apply_model(self, args, kwargs)
        params = self.factory.bind(args, kwargs)
        shape = self.factory.function(**params)
        return Evaluator(self.factory.name, {**params, **shape.settled}, self.about, shape, self.origin)

    @cached_property
    def description(self) -> str:
        """What it measures, in one line."""
        return self.factory.description


def evaluator(
    *,
    units: Sequence[str] = ("output",),
    higher_is_better: bool | None = True,
    needs: Sequence[str] = (),
    scale: str = "",
    cite: str = "",
    stored: bool = True,
    cautions: Mapping[str, str] | None = None,
) -> Callable[[Callable[..., Shape]], EvaluatorFactory]:
    """Decorate a factory of evaluators; see `About` for the arguments."""
    about = About(tuple(units), higher_is_better, tuple(needs), scale, cite, stored, cautions or {})
    return lambda function: EvaluatorFactory(function, about)


def with_gaps(result: Result) -> Scored:
    """Give every NaN a reason, and every reason a NaN."""
    scored = result if isinstance(result, Scored) else Scored(np.asarray(result, np.float64), Gaps.none(len(result)))
    values, gaps = scored.values, scored.gaps
    undefined = np.isnan(values) if values.ndim == 1 else np.isnan(values).any(axis=1)
    unexplained = undefined & (gaps.codes == 0)
    if unexplained.any():
        codes = np.where(unexplained, len(gaps.reasons), gaps.codes).astype(np.int32)
        gaps = Gaps(codes, (*gaps.reasons, "undefined"))
    if (gaps.codes != 0).any():
        values = values.copy()
        values[gaps.codes != 0] = np.nan
    return Scored(values, gaps, scored.texts)


def score_one_by_one(score: Callable[[Any], float | Answer], batch: Batch) -> Scored:
    """Call a function on each unit; an exception becomes the reason of a gap."""

    def answer(unit: Any) -> Answer:
        try:
            return as_answer(score(unit))
        except Exception as error:
            pass_on_interrupt(error)
            return Answer(reason=failure(error))

    return Scored.of_answers([answer(unit) for unit in batch.iter_units()])


def as_answer(result: float | Answer) -> Answer:
    """Check the result of a function of one unit, and make it an Answer."""
    answer = result if isinstance(result, Answer) else Answer(result)
    if not (isinstance(answer.text, str) and isinstance(answer.reason, str)):
        raise TypeError("the text and the reason of an Answer must be str")
    return answer._replace(value=float(answer.value))


def storable(texts: Sequence[str]) -> Strings:
    """Make texts valid UTF-8: a lone surrogate becomes a question mark."""
    return Strings.of([text.encode("utf-8", "replace").decode("utf-8") for text in texts])


def failure(error: Exception) -> str:
    """The reason of the gap that an exception leaves, marked FOR_NOW unless it lies in the data."""
    message = f"{type(error).__name__}: {error}".removesuffix(": ")
    return f"{'failed: ' if lies_in_data(error) else FOR_NOW}{message}"[:200]
