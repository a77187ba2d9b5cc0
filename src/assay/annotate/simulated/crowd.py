"""Many bots at once: load for measurements, and people as they are, who send twice, come late and leave."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.client import HTTPException
from threading import Event, Lock, Thread

import numpy as np

from assay.annotate.simulated.bots import WORK, Answering, Bot
from assay.annotate.simulated.browser import Browser, Reply

# How long a bot waits for a server that does not answer before it tries again.
PATIENCE = 0.05


@dataclass(frozen=True)
class Habits:
    """How bots behave.

    Attributes:
        arriving: seconds over which annotators come, each at a random moment.
        thinking: mean seconds before a page is sent, exponentially distributed.
        copies: how often each page is sent.
        reordered: the share of pages that are sent once more after the next one.
        leaving: the share of annotators who leave in the middle, with a page open.
        most: pages of one annotator at most.
    """

    arriving: float = 0.0
    thinking: float = 0.0
    copies: int = 1
    reordered: float = 0.0
    leaving: float = 0.0
    most: int | None = None


@dataclass
class Load:
    """What a crowd did.

    Attributes:
        acknowledged: nonces of the pages whose saving was acknowledged.
        sent: when each was sent, as `time.perf_counter` has it.
        seconds: how long each took.
        failed: requests that got no answer.
        problems: what went wrong otherwise.
    """

    acknowledged: list[str] = field(default_factory=list)
    sent: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    failed: int = 0
    problems: list[str] = field(default_factory=list)


def crowd(
    urls: Sequence[str],
    answer: Answering,
    annotators: int,
    habits: Habits | None = None,
    *,
    seed: int = 0,
    stop: Event | None = None,
) -> Load:
    """Let annotators take part at the same time, until there is no more or `stop` is set.

    A request that fails, as when a server is killed, is sent again as it was, to the next server.
    """
    load, lock, ended = Load(), Lock(), stop or Event()
    threads = [
        Thread(target=_Person(urls, answer, habits or Habits(), [seed, number], load, lock, ended).live, daemon=True)
        for number in range(annotators)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return load


class _Person:
    def __init__(
        self,
        urls: Sequence[str],
        answer: Answering,
        habits: Habits,
        seed: Sequence[int],
        load: Load,
        lock: Lock,
        ended: Event,
    ) -> None:
        self._habits, self._load, self._lock, self._ended = habits, load, lock, ended
        self._rng = np.random.default_rng(seed)
        turn = seed[-1] % len(urls)
        self._urls = [*urls[turn:], *urls[:turn]]
        self._bot = Bot(Browser(self._urls[0]), answer)

    def live(self) -> None:
        """Take part, and say what went wrong."""
        try:
            self._live()
        except Exception as error:
            with self._lock:
                self._load.problems.append(f"{type(error).__name__}: {error}")
        finally:
            self._bot.browser.close()

    def _live(self) -> None:
        habits, rng, late = self._habits, self._rng, None
        leaves_after = int(rng.integers(3)) if rng.random() < habits.leaving else None
        if habits.arriving and self._ended.wait(rng.uniform(0, habits.arriving)):
            return
        reply, n = self._trying(self._bot.begin), 0
        while reply is not None and not self._ended.is_set():
            sent = self._bot.filled(reply)
            if sent is None or n == leaves_after:
                return
            if habits.thinking and self._ended.wait(rng.exponential(habits.thinking)):
                return
            for _ in range(habits.copies):
                self._save(*sent)
            if late is not None:
                self._save(*late)
            late = sent if rng.random() < habits.reordered else None
            n += 1
            if n == habits.most:
                return
            reply = self._trying(lambda: self._bot.browser.get("/work"))

    def _save(self, path: str, fields: dict[str, str]) -> None:
        start = time.perf_counter()
        reply = self._trying(lambda: self._bot.browser.post(path, fields, follow=False))
        if reply is None:
            return
        with self._lock:
            if reply.status == 303:
                self._load.acknowledged.append(path.removeprefix(WORK))
                self._load.sent.append(start)
                self._load.seconds.append(time.perf_counter() - start)
            else:
                self._load.problems.append(f"status {reply.status} after {path}")

    def _trying(self, request: Callable[[], Reply]) -> Reply | None:
        """Ask until there is an answer; None if the crowd goes home before."""
        while not self._ended.is_set():
            try:
                reply = request()
            except (OSError, HTTPException):
                with self._lock:
                    self._load.failed += 1
                self._urls = [*self._urls[1:], self._urls[0]]
                self._bot.browser.move(self._urls[0])
                self._ended.wait(PATIENCE)
                continue
            if reply.status != 503:
                return reply
            self._ended.wait(PATIENCE)
        return None
