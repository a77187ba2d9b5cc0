"""The researcher's page: how the study stands, and what can be decided about it.

It opens by a link that works once; the browser that opened it keeps a cookie until the server stops. There is no
password that could be guessed or left at a default.
"""

from __future__ import annotations

import hmac
import json
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from assay.annotate.operations.study import Terms
from assay.annotate.panels.signed import SIGNATURE, TIMESTAMP, is_genuine
from assay.annotate.protocol import Protocol
from assay.annotate.records import StoredJudgment, StoreError
from assay.annotate.service import Service
from assay.annotate.web.answering import posted_fields
from assay.annotate.web.rendering import Renderer
from assay.forms.questionnaire import WRITTEN
from assay.forms.scales import COMMENT
from assay.io import load
from assay.part import Part, Table
from assay.part.numbers import written_column

MOST_ROWS = 200
"""Of a table on the page; `assay annotate status` and the export have all."""

MOST_JUDGMENTS = 1000
"""More than anybody wants for each unit: a larger number is a typo."""


class Researcher:
    """Handlers of the researcher's page and of web-hooks.

    Attributes:
        key: the secret in the link, which works once.
    """

    def __init__(self, service: Service, protocol: Protocol, store: str, *, https: bool, hook_secret: str = "") -> None:
        self.service, self.protocol, self.store = service, protocol, store
        self.https, self._hook_secret = https, hook_secret
        self.cookie = "__Host-assay-researcher" if https else "assay-researcher"
        self.key = secrets.token_urlsafe(24)
        self._used = False
        self._session = ""
        self._render = Renderer(protocol)

    def routes(self) -> list[Route]:
        """Where each handler is."""
        allowed = self._allowed
        routes = [
            Route("/researcher/open/{key}", self.open),
            Route("/researcher", allowed(self.page)),
            Route("/researcher/pause", allowed(self.pause), methods=["POST"]),
            Route("/researcher/extend", allowed(self.extend), methods=["POST"]),
            Route("/researcher/decide", allowed(self.decide), methods=["POST"]),
        ]
        return [*routes, Route("/hooks/prolific", self.hook, methods=["POST"])] if self._hook_secret else routes

    def _allowed(self, handler: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            given = request.cookies.get(self.cookie, "")
            if not self._session or not hmac.compare_digest(given.encode(), self._session.encode()):
                return self._render.notice("unknown", 403)
            return await handler(request)

        return endpoint

    async def open(self, request: Request) -> Response:
        """Let the first browser in that knows the key."""
        knows = hmac.compare_digest(request.path_params["key"].encode(), self.key.encode())
        # Programs that look where a link leads ask for the head alone.
        if not knows or self._used or request.method != "GET":
            return self._render.notice("unknown", 403)
        self._used, self._session = True, secrets.token_urlsafe(32)
        response = RedirectResponse("/researcher", 303)
        response.set_cookie(self.cookie, self._session, path="/", secure=self.https, httponly=True, samesite="strict")
        return response

    async def page(self, request: Request) -> Response:
        """How the study stands now."""
        part, comments, annotators, terms = await self.service.call(self._standing)
        tables = [_shown(table) for table in part.tables]
        return self._render.page(
            "researcher.html",
            part=part,
            tables=tables,
            comments=comments,
            annotators=annotators,
            rules=terms.rules,
            paused=terms.paused,
            done=request.query_params.get("done", "")[:200],
        )

    def _standing(self) -> tuple[Part, list[tuple[str, str, str, str]], list[str], Terms]:
        # Loaded when it is first asked for: without it a server is up in two thirds of the time.
        from assay.annotate.overview import overview

        judgments = list(self.service.judgments())
        part = overview(
            self.protocol.title, self.service.progress(), judgments, self.service.checks(), load(self.store)
        )
        comments = list(dict.fromkeys(_comments(judgments)))
        people = [one.annotator for one in self.service.payroll() if one.undecided + one.accepted + one.rejected]
        return part, comments[-MOST_ROWS:], people, self.service.terms()

    async def pause(self, request: Request) -> Response:
        """Give no new pages, or give them again."""
        paused = (await _posted(request)).get("paused", "") == "yes"
        await self.service.call(self.service.pause, paused)
        return _done("The study is paused." if paused else "The study goes on.")

    async def extend(self, request: Request) -> Response:
        """Ask for another number of judgments of each unit."""
        text = (await _posted(request)).get("judgments_per_unit", "")
        if not (text.isascii() and text.isdecimal() and len(text) < 5 and 1 <= int(text) <= MOST_JUDGMENTS):
            return PlainTextResponse(f"Give a whole number from 1 to {MOST_JUDGMENTS}.", 422)
        await self.service.call(self.service.extend, int(text))
        return _done(f"Every unit gets {int(text)} judgments.")

    async def decide(self, request: Request) -> Response:
        """Accept or reject all saved pages of an annotator."""
        posted = await _posted(request)
        accepted, reason = posted.get("decision") == "accept", posted.get("reason", "")[:1000]
        if posted.get("decision") not in ("accept", "reject"):
            return PlainTextResponse("Choose accept or reject.", 422)
        try:
            pages = await self.service.call(self.service.answered_pages, posted.get("annotator", ""))
            changed = await self.service.call(lambda: self.service.decide(pages, accepted=accepted, reason=reason))
        except StoreError as error:
            return PlainTextResponse(str(error), 422)
        return _done(f"{changed} pages are {'accepted' if accepted else 'rejected'}.")

    async def hook(self, request: Request) -> Response:
        """A message of the panel: who returned a submission there has left the study here."""
        body = await request.body()
        signature, timestamp = request.headers.get(SIGNATURE, ""), request.headers.get(TIMESTAMP, "")
        if not is_genuine(self._hook_secret, timestamp, body, signature, time.time()):
            return PlainTextResponse("Refused: the signature does not fit.", 403)
        try:
            message = json.loads(body)
            person, status = str(message["participant_id"]), str(message["status"])
        except (ValueError, KeyError, TypeError):
            return PlainTextResponse("Not a message about a participant.", 422)
        if status in ("RETURNED", "TIMED-OUT"):
            known = {ids.get("person"): name for name, ids in self.service.panel_map.people().items()}
            if person in known:
                await self.service.call(self.service.withdraw, known[person])
        return Response(status_code=204)


def _comments(judgments: Iterable[StoredJudgment]) -> Iterator[tuple[str, str, str, str]]:
    """Annotator, unit, what was asked, and the text, of every comment and of every text that was written.

    A comment stands with every criterion that was asked beside it.
    """
    for one in judgments:
        if one.kind == WRITTEN:
            yield one.annotator, one.unit, one.criterion, str(one.value)
        elif one.columns.get(COMMENT):
            yield one.annotator, one.unit, COMMENT, str(one.columns[COMMENT])


def _shown(table: Table) -> dict[str, object]:
    """A table as texts, with its first rows."""
    rows = table.rows[:MOST_ROWS]
    cells = zip(*rows, strict=True) if rows else [()] * len(table.header)
    columns = [written_column(name, column) for name, column in zip(table.header, cells, strict=True)]
    return {
        "name": table.name.replace(" ", "-"),
        "title": table.title,
        "header": table.header,
        "rows": list(zip(*columns, strict=True)),
        "more": len(table.rows) - len(rows),
    }


async def _posted(request: Request) -> dict[str, str]:
    try:
        posted = posted_fields(await request.body())
    except ValueError:
        raise HTTPException(400, "The request is not a form.") from None
    return {name: values[0] for name, values in posted.items() if values}


def _done(what: str) -> Response:
    return RedirectResponse("/researcher?" + urlencode({"done": what}), 303)
