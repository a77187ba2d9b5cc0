"""The answer cache: every reply of an expensive service, keyed by the request.

A question is a service and a request, both plain values; its key is the hash of their canonical JSON. So a new output
costs one new question, whatever evaluator, dataset or process asked the others. Requests are stored with their replies,
which is why they must not contain credentials.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from assay.errors import AssayError, EvaluatorError
from assay.io.cache import cache_folder
from assay.io.sealed_rows import SealedRows

DAY = 86400.0

# A request or a reply: any JSON value.
Json = Any

# Common names of credential fields.
CREDENTIALS = re.compile(r"(x-)?(api-?key|authorization|auth-?token|access-?token|password|secret|credentials?)")


@dataclass(frozen=True, eq=False)
class ServiceRequest:
    """A request to a service. `service` identifies it: another model makes another question."""

    service: str
    request: Json

    def __post_init__(self) -> None:
        field = _credentials(self.request)
        if field:
            raise EvaluatorError(
                f"the request to {self.service} has a field {field!r}. Requests are kept on disk, so they may not "
                "hold credentials: let the function that sends them add those."
            )

    @cached_property
    def key(self) -> bytes:
        """The hash of the question; TypeError or ValueError if it is not a JSON value."""
        return sha256(canonical([self.service, self.request])).digest()


@dataclass(frozen=True)
class ServiceAnswers:
    """Summary of the answers of one service. Times are Unix timestamps."""

    service: str
    n: int
    n_bytes: int
    oldest: float
    newest: float


class AnswerStore:
    """Replies by question, in `answers.sqlite` in the cache folder or another one."""

    def __init__(self, folder: str | Path | None = None) -> None:
        self.path = (Path(folder) if folder else cache_folder()) / "answers.sqlite"
        self._rows = SealedRows(self.path, "answers", dear=True)

    def get(self, questions: Iterable[ServiceRequest]) -> dict[bytes, Json]:
        """The cached replies, by the key of the question."""
        stored = self._rows.get([question.key for question in questions])
        return {key: _reply(content) for key, content in stored.items()}

    def put(self, replies: Mapping[ServiceRequest, bytes]) -> dict[bytes, Json]:
        """Store replies, as canonical JSON. Return those now in the cache: the first reply to a question wins."""
        rows = {
            question.key: canonical({"service": question.service, "request": question.request})[:-1]
            + b',"reply":'
            + reply
            + b"}"
            for question, reply in replies.items()
        }
        return {key: _reply(content) for key, content in self._rows.put(rows).items()}

    def held_open(self) -> AbstractContextManager[None]:
        """Keep the file open across many writes."""
        return self._rows.held_open()

    def summary(self) -> list[ServiceAnswers]:
        """The cached answers, summarized by service."""
        services: dict[str, list[tuple[float, int]]] = {}
        for _, stored, content in self._rows.every():
            services.setdefault(json.loads(content)["service"], []).append((stored, len(content)))
        return [
            ServiceAnswers(service, len(rows), sum(n for _, n in rows), rows[0][0], rows[-1][0])
            for service, rows in sorted(services.items())
        ]

    def forget(self, *, service: str | None = None, before: float | None = None) -> int:
        """Remove answers of a service, stored before a time, or both; return how many."""
        keys = [
            key
            for key, stored, content in self._rows.every()
            if (service is None or json.loads(content)["service"] == service) and (before is None or stored < before)
        ]
        if keys:
            self._rows.remove(keys)
        return len(keys)


def canonical(value: Json) -> bytes:
    """A value as canonical JSON; TypeError or ValueError if it is not one."""
    written = json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return written.encode("utf-8")


def _reply(content: bytes) -> Json:
    return json.loads(content)["reply"]


def _credentials(value: Json) -> str:
    """The first credential field; empty if there is none."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            if isinstance(name, str) and CREDENTIALS.fullmatch(name.lower().replace("_", "-")):
                return name
            if inner := _credentials(part):
                return inner
    elif isinstance(value, list | tuple):
        return next(filter(None, map(_credentials, value)), "")
    return ""


def answers(
    service: str | None = None, *, older_than: float | None = None, forget: bool = False
) -> list[ServiceAnswers]:
    """The cached replies of services, by service; with `forget`, delete some of them first.

    Args:
        service: only answers of this service.
        older_than: delete only answers older than so many days.
        forget: delete them; a service or an age must be named.
    """
    store = AnswerStore()
    if forget:
        if service is None and older_than is None:
            raise AssayError("name the answers to delete: --service NAME, --older-than DAYS or both.")
        store.forget(service=service, before=None if older_than is None else time.time() - older_than * DAY)
    return [entry for entry in store.summary() if service in (None, entry.service)]
