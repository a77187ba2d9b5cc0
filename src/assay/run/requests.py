"""Evaluators that ask a service: each question once, several at a time, and nothing that was ever answered.

A reply is in the store before the next request of its thread is sent. A process that is killed loses the requests
under way and no reply.
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
from typing import Any

from assay.batch import Batch
from assay.errors import AssayError, lies_in_data, pass_on_interrupt
from assay.evaluator import Answer, NotAsked, PerRequest, Scored, as_answer, failure
from assay.io.answers import AnswerStore, Json, Question, canonical
from assay.scores import FOR_NOW, NOT_ASKED

Progress = Callable[[int, int], None]

# Seconds before the first retry and, doubled each time, at most; a service that asks for more gets that.
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
# No service is waited for longer, whatever it asks for.
MOST_WAIT = 600.0
# After this many requests that failed in a row, retries included, the rest are not sent.
GIVE_UP_AFTER = 10


@dataclass(frozen=True)
class Requests:
    """How requests are sent.

    Attributes:
        at_once: how many may be under way together. The scores do not depend on it.
        retries: how often a request is sent again whose failure may pass.
        most: the most requests that one run sends, retries included; None sends all.
        offline: send nothing; only the store answers.
        store: where replies are kept.
    """

    at_once: int = 8
    retries: int = 5
    most: int | None = None
    offline: bool = False
    store: AnswerStore = field(default_factory=AnswerStore)

    def __post_init__(self) -> None:
        if self.at_once < 1 or self.retries < 0 or (self.most is not None and self.most < 0):
            raise AssayError("at least 1 request at a time, and 0 or more retries and requests, make sense.")


@dataclass(frozen=True)
class _Unanswered:
    """Why a question has no reply."""

    reason: str


class Sender:
    """Sends the requests of one run: its evaluators share what may be sent."""

    def __init__(self, how: Requests) -> None:
        self.how = how
        self.n_sent = 0
        self._lock = Lock()

    @classmethod
    def of(cls, how: Requests | Sender | None) -> Sender:
        """A sender as it is, else a new one."""
        return how if isinstance(how, Sender) else cls(how or Requests())

    def replies(
        self, shape: PerRequest, questions: Sequence[Question], progress: Progress | None
    ) -> dict[bytes, Json | _Unanswered]:
        """The reply to each question, by its key: from the store, else from the service."""
        known: dict[bytes, Json | _Unanswered] = self.how.store.get(questions)
        unknown = [question for question in questions if question.key not in known]
        if self.how.offline:
            reason = _Unanswered(f"{NOT_ASKED}offline, and no earlier answer is kept")
            return known | {question.key: reason for question in unknown}
        if unknown:
            with self.how.store.held_open(), closing(_Sending(self, shape, unknown).run()) as sending:
                for n_done, replies in sending:
                    known |= replies
                    if progress:
                        progress(len(questions) - len(unknown) + n_done, len(questions))
        return known

    def take(self, n: int) -> int:
        """Count requests about to be sent, and say how many of them may be."""
        with self._lock:
            allowed = n if self.how.most is None else min(n, self.how.most - self.n_sent)
            self.n_sent += allowed
            return allowed


class _Sending:
    """Questions on their way to a service, in a window of as many calls as may be under way together."""

    def __init__(self, sender: Sender, shape: PerRequest, questions: Sequence[Question]) -> None:
        self.sender = sender
        self.shape = shape
        self.groups = [questions[start : start + shape.batch] for start in range(0, len(questions), shape.batch)]
        self.at_once = min(sender.how.at_once, shape.at_once or sender.how.at_once, len(self.groups))
        self.stop = Event()
        self.n_failed_in_a_row = 0
        self.given_up = ""

    def run(self) -> Generator[tuple[int, dict[bytes, Json | _Unanswered]], None, None]:
        """Send all; give replies as they come and are in the store, with how many questions are settled."""
        waiting = iter(self.groups)
        under_way: dict[Future[list[bytes | _Unanswered]], Sequence[Question]] = {}
        n_done = 0
        with ThreadPoolExecutor(self.at_once) as pool:
            try:
                while True:
                    while len(under_way) < self.at_once and (questions := next(waiting, None)) is not None:
                        under_way[pool.submit(self._answers, questions)] = questions
                    if not under_way:
                        return
                    done = wait(under_way, return_when=FIRST_COMPLETED).done
                    settled = self._settled({future: under_way[future] for future in done})
                    for future in done:
                        del under_way[future]
                    n_done += len(settled)
                    yield n_done, settled
            except BaseException:
                # Ctrl-C, a full disk: what is under way may be paid for, so it is waited for and kept.
                self.stop.set()
                self._settled({future: under_way[future] for future in wait(under_way).done})
                raise

    def _settled(
        self, done: dict[Future[list[bytes | _Unanswered]], Sequence[Question]]
    ) -> dict[bytes, Json | _Unanswered]:
        """Put replies into the store before anything else is done with them."""
        fresh: dict[Question, bytes] = {}
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
        """Count calls that failed in a row, and give up after too many."""
        failed = [reply for reply in replies if isinstance(reply, _Unanswered) and reply.reason.startswith(FOR_NOW)]
        if len(failed) < len(replies):
            self.n_failed_in_a_row = 0
            return
        self.n_failed_in_a_row += 1
        if self.n_failed_in_a_row == GIVE_UP_AFTER:
            self.given_up = f"{FOR_NOW}not sent after {GIVE_UP_AFTER} failures in a row"
            self.stop.set()

    def _answers(self, questions: Sequence[Question]) -> list[bytes | _Unanswered]:
        """Send requests together until they are answered or no retry is left; runs in a thread."""
        how = self.sender.how
        unsent: list[bytes | _Unanswered] = []
        for attempt in range(how.retries + 1):
            if self.stop.is_set():
                return [_Unanswered(self.given_up or f"{FOR_NOW}interrupted")] * len(questions) + unsent
            allowed = self.sender.take(len(questions))
            over = _Unanswered(f"{NOT_ASKED}all {how.most} requests of this run are sent")
            unsent += [over] * (len(questions) - allowed)
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

    def _sent(self, questions: Sequence[Question]) -> list[bytes | _Unanswered]:
        requests = [question.request for question in questions]
        replies = self.shape.send(requests) if self.shape.batch > 1 else [self.shape.send(requests[0])]
        if len(replies) != len(requests):
            raise ValueError(f"{len(replies)} replies to {len(requests)} requests")
        return [canonical(reply) for reply in replies]


def _pause(attempt: int, error: Exception) -> float:
    """Seconds until the next attempt: exponential, with jitter so that threads do not come back together."""
    backed_off = min(FIRST_WAIT * 2**attempt, LONGEST_WAIT) * random.uniform(0.5, 1.0)
    wanted = getattr(error, "retry_after", None)
    return min(max(backed_off, wanted), MOST_WAIT) if isinstance(wanted, int | float) else backed_off


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


def _questions(shape: PerRequest, unit: Any) -> tuple[Question] | list[Question] | _Unanswered:
    """What to ask about a unit, one question or a list of them, or why nothing can be asked."""
    try:
        requests = shape.request(unit)
        if requests == []:
            raise ValueError("no request for this unit")
        questions = [Question(shape.service, one) for one in (requests if isinstance(requests, list) else [requests])]
        for question in questions:
            _ = question.key  # raises where the request is no JSON value
        return questions if isinstance(requests, list) else (questions[0],)
    except AssayError:
        raise
    except Exception as error:
        pass_on_interrupt(error)
        return _Unanswered(failure(error))


def _read(shape: PerRequest, unit: Any, reply: Json | _Unanswered) -> Answer:
    """Turn the reply about a unit, or the list of replies, into its answer; what cannot be read is the gap's text."""
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
