"""Requests to a service: each question once, several in flight, and nothing that is already in the store.

A reply is stored before its thread sends the next request, so a killed process loses only the requests in flight.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, field
from math import isnan
from threading import Event, Lock
from time import sleep
from typing import Any, TypeVar

from assay.batch import Batch
from assay.errors import AssayError, lies_in_data, pass_on_interrupt
from assay.io.answers import AnswerStore, Json, ServiceRequest, canonical
from assay.scored import Answer, Scored, as_answer, failure
from assay.scores import FOR_NOW, NOT_ASKED
from assay.shapes import NotAsked, PerRequest

Progress = Callable[[int, int], None]
T = TypeVar("T")

# Exponential backoff in seconds: first and longest wait. A `retry_after` may be longer,
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
# but no longer than this.
MOST_WAIT = 600.0
# After this many consecutive failed calls, retries included, the rest are not sent.
GIVE_UP_AFTER = 10


@dataclass(frozen=True)
class Requests:
    """How requests are sent.

    Attributes:
        at_once: how many may be in flight. The scores do not depend on it.
        retries: how often a request is retried after a transient failure.
        most: the most requests sent in one run, retries included; None for no limit.
        offline: send nothing, use stored replies only.
        store: where replies are kept.
    """

    at_once: int = 8
    retries: int = 5
    most: int | None = None
    offline: bool = False
    store: AnswerStore = field(default_factory=AnswerStore)

    def __post_init__(self) -> None:
        if self.at_once < 1 or self.retries < 0 or (self.most is not None and self.most < 0):
            raise AssayError("at_once must be at least 1, retries and most at least 0.")


@dataclass(frozen=True)
class _Unanswered:
    """Why a question has no reply."""

    reason: str


class Sender:
    """Sends the requests of one run; its evaluators share one budget."""

    def __init__(self, how: Requests) -> None:
        self.how = how
        self.n_sent = 0
        self._lock = Lock()

    @classmethod
    def of(cls, how: Requests | Sender | None) -> Sender:
        """A sender as it is, else a new one."""
        return how if isinstance(how, Sender) else cls(how or Requests())

    def replies(
        self, shape: PerRequest, questions: Sequence[ServiceRequest], progress: Progress | None
    ) -> dict[bytes, Json | _Unanswered]:
        """The reply to each question by key, from the store or from the service."""
        replies: dict[bytes, Json | _Unanswered] = self.how.store.get(questions)
        unknown = [question for question in questions if question.key not in replies]
        if self.how.offline:
            reason = _Unanswered(f"{NOT_ASKED}offline, and no answer is stored")
            return replies | {question.key: reason for question in unknown}
        if unknown:
            with self.how.store.held_open(), closing(_Sending(self, shape, unknown).run()) as sending:
                for n_done, settled in sending:
                    replies |= settled
                    if progress:
                        progress(len(questions) - len(unknown) + n_done, len(questions))
        return replies

    def insist(self, name: str, call: Callable[[], T]) -> T:
        """What a call to a service returns, with the retries of a request; an AssayError where it never returns."""
        for attempt in range(self.how.retries + 1):
            try:
                return call()
            except AssayError:
                raise
            except Exception as error:
                pass_on_interrupt(error)
                if lies_in_data(error) or attempt == self.how.retries:
                    raise AssayError(f"{name}: {error or type(error).__name__}.") from None
                sleep(_pause(attempt, error))
        raise AssertionError("the last attempt returns")

    def take(self, n: int) -> int:
        """Reserve up to n requests of the budget; return how many may be sent."""
        with self._lock:
            allowed = n if self.how.most is None else min(n, self.how.most - self.n_sent)
            self.n_sent += allowed
            return allowed


class _Sending:
    """Questions on their way to a service, a limited number of calls in flight."""

    def __init__(self, sender: Sender, shape: PerRequest, questions: Sequence[ServiceRequest]) -> None:
        self.sender = sender
        self.shape = shape
        self.groups = [questions[start : start + shape.batch] for start in range(0, len(questions), shape.batch)]
        self.at_once = min(sender.how.at_once, shape.at_once or sender.how.at_once, len(self.groups))
        self.stop = Event()
        self.n_failed_in_a_row = 0
        self.given_up = ""

    def run(self) -> Generator[tuple[int, dict[bytes, Json | _Unanswered]], None, None]:
        """Send all; yield replies once stored, with the number of questions settled so far."""
        waiting = iter(self.groups)
        in_flight: dict[Future[list[bytes | _Unanswered]], Sequence[ServiceRequest]] = {}
        n_done = 0
        with ThreadPoolExecutor(self.at_once) as pool:
            try:
                while True:
                    while len(in_flight) < self.at_once and (questions := next(waiting, None)) is not None:
                        in_flight[pool.submit(self._answers, questions)] = questions
                    if not in_flight:
                        return
                    done = wait(in_flight, return_when=FIRST_COMPLETED).done
                    settled = self._settled({future: in_flight[future] for future in done})
                    for future in done:
                        del in_flight[future]
                    n_done += len(settled)
                    yield n_done, settled
            except BaseException:
                # Ctrl-C or a full disk: calls in flight may cost money, so their replies are awaited and stored.
                self.stop.set()
                self._settled({future: in_flight[future] for future in wait(in_flight).done})
                raise

    def _settled(
        self, done: dict[Future[list[bytes | _Unanswered]], Sequence[ServiceRequest]]
    ) -> dict[bytes, Json | _Unanswered]:
        """Store replies before anything else is done with them."""
        fresh: dict[ServiceRequest, bytes] = {}
        settled: dict[bytes, Json | _Unanswered] = {}
        for future, questions in done.items():
            if future.exception() is None:
                for question, reply in zip(questions, future.result(), strict=True):
                    if isinstance(reply, _Unanswered):
                        settled[question.key] = reply
                    else:
                        fresh[question] = reply
        settled |= self.sender.how.store.put(fresh) if fresh else {}
        for future in done:
            self._note(future.result())  # raises an AssayError, which stops the run
        return settled

    def _note(self, replies: list[bytes | _Unanswered]) -> None:
        """Count consecutive failures, and give up after too many."""
        failed = [reply for reply in replies if isinstance(reply, _Unanswered) and reply.reason.startswith(FOR_NOW)]
        if len(failed) < len(replies):
            self.n_failed_in_a_row = 0
            return
        self.n_failed_in_a_row += 1
        if self.n_failed_in_a_row == GIVE_UP_AFTER:
            self.given_up = f"{FOR_NOW}not sent after {GIVE_UP_AFTER} failures in a row"
            self.stop.set()

    def _answers(self, questions: Sequence[ServiceRequest]) -> list[bytes | _Unanswered]:
        """Send requests together, with retries; runs in a thread."""
        how = self.sender.how
        unsent: list[bytes | _Unanswered] = []
        for attempt in range(how.retries + 1):
            if self.stop.is_set():
                return [_Unanswered(self.given_up or f"{FOR_NOW}interrupted")] * len(questions) + unsent
            allowed = self.sender.take(len(questions))
            over_budget = _Unanswered(f"{NOT_ASKED}all {how.most} requests of this run are sent")
            unsent += [over_budget] * (len(questions) - allowed)
            questions = questions[:allowed]
            if not questions:
                return unsent
            try:
                return self._sent(questions) + unsent
            except AssayError:
                raise
            except NotAsked as why:
                return [_Unanswered(f"{NOT_ASKED}{why}"[:200])] * len(questions) + unsent
            except Exception as error:
                pass_on_interrupt(error)
                if lies_in_data(error) and len(questions) > 1:
                    return [answer for question in questions for answer in self._answers([question])] + unsent
                if lies_in_data(error) or attempt == how.retries:
                    return [_Unanswered(failure(error))] * len(questions) + unsent
                self.stop.wait(_pause(attempt, error))
        raise AssertionError("the last attempt returns")

    def _sent(self, questions: Sequence[ServiceRequest]) -> list[bytes | _Unanswered]:
        requests = [question.request for question in questions]
        replies = self.shape.send(requests) if self.shape.batch > 1 else [self.shape.send(requests[0])]
        if len(replies) != len(requests):
            raise ValueError(f"{len(replies)} replies to {len(requests)} requests")
        return [canonical(reply) for reply in replies]


def _pause(attempt: int, error: Exception) -> float:
    """Seconds until the next attempt: exponential backoff with jitter."""
    backoff = min(FIRST_WAIT * 2**attempt, LONGEST_WAIT) * random.uniform(0.5, 1.0)
    retry_after = getattr(error, "retry_after", None)
    return min(max(backoff, retry_after), MOST_WAIT) if isinstance(retry_after, int | float) else backoff


def ask(shape: PerRequest, batch: Batch, sender: Sender, progress: Progress | None) -> Scored:
    """Score a batch by asking a service about each unit."""
    by_unit = [_questions(shape, unit) for unit in batch.iter_units()]
    distinct = {q.key: q for questions in by_unit if not isinstance(questions, _Unanswered) for q in questions}
    replies = sender.replies(shape, list(distinct.values()), progress)
    answers = []
    for unit, questions in zip(batch.iter_units(), by_unit, strict=True):
        match questions:
            case _Unanswered(reason=reason):
                answers.append(Answer(reason=reason))
            case [question] if isinstance(questions, tuple):
                answers.append(_read(shape, unit, replies[question.key]))
            case _:
                answers.append(_read(shape, unit, [replies[question.key] for question in questions]))
    return Scored.of_answers(answers)


def _questions(shape: PerRequest, unit: Any) -> tuple[ServiceRequest] | list[ServiceRequest] | _Unanswered:
    """The question about a unit as a 1-tuple, a list of them, or why nothing can be asked."""
    try:
        requests = shape.request(unit)
        if requests == []:
            raise ValueError("no request for this unit")
        questions = [
            ServiceRequest(shape.service, one) for one in (requests if isinstance(requests, list) else [requests])
        ]
        for question in questions:
            _ = question.key  # raises if the request is not JSON
        return questions if isinstance(requests, list) else (questions[0],)
    except AssayError:
        raise
    except Exception as error:
        pass_on_interrupt(error)
        return _Unanswered(failure(error))


def _read(shape: PerRequest, unit: Any, reply: Json | _Unanswered) -> Answer:
    """Turn the reply or list of replies about a unit into its answer; an unreadable reply is kept as the gap's text."""
    for one in reply if isinstance(reply, list) else [reply]:
        if isinstance(one, _Unanswered):
            return Answer(reason=one.reason)
    try:
        answer = as_answer(shape.read(reply, unit))
    except Exception as error:
        pass_on_interrupt(error)
        answer = Answer(reason=failure(error))
    if isnan(answer.value) and not answer.text:
        return answer._replace(text=reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False))
    return answer
