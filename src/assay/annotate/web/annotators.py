"""The pages of annotators: consent, instructions, practice, test, the questionnaire, survey, and the end."""

from __future__ import annotations

from asyncio import wrap_future
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from assay.annotate.operations.answers import Sent
from assay.annotate.protocol import INSTRUCTIONS, PRACTICE, QUALIFICATION, SURVEY, Protocol
from assay.annotate.records import Annotator, Conflict, Done, Expired, GivenPage, Page
from assay.annotate.service import Service
from assay.annotate.web.answering import AS_WRITTEN, answered, examples_answered, page_of, posted_fields
from assay.annotate.web.rendering import Renderer
from assay.annotate.web.versions import Versions
from assay.forms.pages import FormPage
from assay.forms.survey import read_survey, survey_card

WEEKS = 8 * 7 * 24 * 3600
MOST_PARAMETER = 200

Handler = Callable[[Request, Annotator], Awaitable[Response]]
PageHandler = Callable[[Request, Annotator, GivenPage | None], Awaitable[Response]]


class Annotators:
    """The handlers. Whoever has no valid token sees no study."""

    def __init__(self, service: Service, protocol: Protocol, renderer: Renderer, *, https: bool) -> None:
        self.service, self.protocol, self.render = service, protocol, renderer
        self.versions = Versions(service, protocol, renderer)
        self.https = https
        self.cookie = "__Host-assay" if https else "assay"

    def routes(self) -> list[Route]:
        """Where each handler is."""
        known = self._known
        return [
            Route("/", self.welcome),
            Route("/begin", self.begin, methods=["POST"]),
            Route("/work", known(self.work)),
            Route("/work/{nonce}", self._with_page(self.submit), methods=["POST"]),
            Route("/revise/{nonce}", self._with_page(self.show_revision)),
            Route("/revise/{nonce}/{base}", self._with_page(self.revise), methods=["POST"]),
            Route("/stage/{stage}", known(self.save_stage), methods=["POST"]),
            Route("/withdraw", known(self.ask_to_withdraw)),
            Route("/withdraw", known(self.withdraw), methods=["POST"]),
        ]

    def _known(self, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            annotator = await self._annotator(request)
            if annotator is None or annotator.consented is None:
                return self.render.notice("unknown", 403)
            return await handler(request, annotator)

        return endpoint

    def _with_page(self, handler: PageHandler) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            nonce = request.path_params["nonce"]
            if not (nonce.isascii() and nonce.isprintable()):  # PostgreSQL takes no NUL
                return self.render.notice("unknown", 404)
            token = request.cookies.get(self.cookie, "")
            annotator, given = await self.service.call(self.service.visit, token, nonce)
            if annotator is None or annotator.consented is None:
                return self.render.notice("unknown", 403)
            return await handler(request, annotator, given)

        return endpoint

    async def _annotator(self, request: Request) -> Annotator | None:
        token = request.cookies.get(self.cookie, "")
        return await self.service.call(self.service.annotator, token) if token else None

    # Coming and going

    async def welcome(self, request: Request) -> Response:
        """Consent. Nobody is enrolled by a link alone, which programs open too."""
        if await self._annotator(request) is not None:
            return _go("/work")
        return self.render.page("consent.html", query=_query(request))

    async def begin(self, request: Request) -> Response:
        """Enroll somebody who agreed."""
        annotator = await self._annotator(request)
        if annotator is not None:
            return _go("/work")
        enrolled = await self.service.call(self.service.enroll, self.protocol.panel.read(_query(request)))
        await self.service.call(self.service.consent, enrolled.annotator)
        response = _go("/work")
        response.set_cookie(
            self.cookie, enrolled.token, max_age=WEEKS, path="/", secure=self.https, httponly=True, samesite="lax"
        )
        return response

    async def ask_to_withdraw(self, request: Request, annotator: Annotator) -> Response:
        """Ask whether it is meant."""
        return self.render.page("withdraw.html")

    async def withdraw(self, request: Request, annotator: Annotator) -> Response:
        """End the participation."""
        await self.service.call(self.service.withdraw, annotator.id)
        return _go("/work")

    # Stages

    async def work(self, request: Request, annotator: Annotator) -> Response:
        """Whatever comes next for an annotator."""
        if annotator.state == "active":
            stage = self._stage_before_pages(annotator)
            if stage:
                return self._show_stage(stage)
        found = await wrap_future(self.service.queue_next_page(annotator.id))
        if isinstance(found, Page):
            saved = request.query_params.get("saved", "")[:MOST_PARAMETER]
            return await self._show_page(found, saved=saved)
        return await self._end(found, annotator)

    def _stage_before_pages(self, annotator: Annotator) -> str:
        stages = {
            INSTRUCTIONS: bool(self.protocol.instructions),
            PRACTICE: bool(self.protocol.practice),
            QUALIFICATION: bool(self.protocol.qualification),
        }
        return next((name for name, wanted in stages.items() if wanted and name not in annotator.stages), "")

    async def _end(self, done: Done, annotator: Annotator) -> Response:
        """The end, with the completion code if the completion is stored."""
        if done.reason in ("withdrawn", "not qualified", "paused"):
            return self.render.notice(done.reason.replace(" ", "_"), drafts_over=done.reason != "paused")
        if done.reason == "no work left" and not annotator.pages:
            return self.render.notice("no_work")
        if self.protocol.survey and SURVEY not in annotator.stages and annotator.state == "active":
            return self._show_stage(SURVEY)
        finished = await self.service.call(self.service.finish, annotator.id)
        link = self.protocol.panel.completion_url.replace("{code}", finished.completion_code or "")
        return self.render.notice("done", code=finished.completion_code, link=link, drafts_over=True)

    def _show_stage(self, stage: str, status: int = 200, **values: Any) -> Response:
        title = f"{stage}_title"
        if stage == INSTRUCTIONS:
            return self.render.page("instructions.html", status, **values)
        if stage == SURVEY:
            page = FormPage(self.protocol.interface["survey_help"], (survey_card(self.protocol.survey),))
        else:
            examples = getattr(self.protocol, stage)
            page = self.protocol.form.page([one.payload for one in examples], [AS_WRITTEN] * len(examples))
        return self.render.page("stage.html", status, stage=stage, title=title, page=page, **values)

    async def save_stage(self, request: Request, annotator: Annotator) -> Response:
        """Store the answers of a stage and go on, if they are complete."""
        stage, posted = request.path_params["stage"], await _posted(request)
        if posted is None:
            return _bad_form()
        if annotator.state != "active" or stage in annotator.stages:
            return _go("/work")
        if stage == INSTRUCTIONS:
            await self.service.call(self.service.save_stage, annotator.id, stage, {"read": True})
        elif stage == SURVEY:
            answers, problems = read_survey(self.protocol.survey, posted)
            if problems:
                return self._show_stage(stage, 422, posted=_first(posted), problems=problems)
            await self.service.call(self.service.save_stage, annotator.id, stage, dict(answers))
        elif stage in (PRACTICE, QUALIFICATION):
            return await self._save_examples(stage, annotator, posted)
        return _go("/work")

    async def _save_examples(self, stage: str, annotator: Annotator, posted: Mapping[str, list[str]]) -> Response:
        examples = getattr(self.protocol, stage)
        answers, problems = examples_answered(self.protocol.form, examples, posted)
        if problems:
            return self._show_stage(stage, 422, posted=_first(posted), problems=problems)
        right = [one.passed(given) for one, given in zip(examples, answers, strict=True)]
        result = {"answers": answers, "right": right}
        if stage == PRACTICE:
            await self.service.call(self.service.save_stage, annotator.id, stage, result)
            told = [
                (one, was_right, self._expected(one.answers)) for one, was_right in zip(examples, right, strict=True)
            ]
            return self.render.page("feedback.html", told=told, right=sum(right), of=len(right))
        if sum(right) >= self.protocol.pass_share * len(right):
            await self.service.call(self.service.save_stage, annotator.id, stage, result)
            return _go("/work")
        failed = sum(name.startswith(f"{QUALIFICATION} ") for name in annotator.stages) + 1
        await self.service.call(self.service.save_stage, annotator.id, f"{QUALIFICATION} {failed}", result)
        if failed >= self.protocol.attempts:
            await self.service.call(self.service.disqualify, annotator.id)
            return _go("/work")
        again = self.protocol.word("qualification_again", right=sum(right), all=len(right))
        return self._show_stage(stage, 422, again=again)

    def _expected(self, answers: Mapping[str, tuple[str, ...]]) -> str:
        """The known answers in the words of the form."""
        words = {one.name: one for one in self.protocol.form.criteria}
        said = []
        for name, accepted in answers.items():
            criterion = words.get(name)
            is_scale = criterion is not None and criterion.labels
            said.append(" / ".join(criterion.word(float(one)) if criterion and is_scale else one for one in accepted))
        return ", ".join(said)

    # Pages of the questionnaire

    async def _show_page(self, page: Page, status: int = 200, action: str = "", **values: Any) -> Response:
        form, renderer = await self.versions.of(page.version)
        values |= {"can_withdraw": True} if not action else {"revising": True}
        return renderer.page(
            "work.html",
            status,
            page=page_of(form, page.assignments),
            given=page,
            action=action or f"/work/{page.nonce}",
            **values,
        )

    async def submit(self, request: Request, annotator: Annotator, given: GivenPage | None) -> Response:
        """Store a page, and only then go on to the next."""
        nonce, posted = request.path_params["nonce"], await _posted(request)
        if posted is None:
            return _bad_form()
        if given is None:
            return self.render.notice("unknown", 404)
        form, _ = await self.versions.of(given.page.version)
        said = answered(form, given.page.assignments, posted)
        if said.problems and given.state in ("open", "released"):
            return await self._show_page(given.page, 422, posted=_first(posted), problems=said.problems)
        sent = Sent(said.body, said.judgments, said.checks, _milliseconds(posted))
        outcome = await wrap_future(self.service.queue_submit(annotator.id, nonce, sent))
        return self._after(outcome, nonce)

    async def show_revision(self, request: Request, annotator: Annotator, given: GivenPage | None) -> Response:
        """A saved page, to be changed."""
        if given is None or given.body is None:
            return self.render.notice("unknown", 404)
        action = f"/revise/{given.page.nonce}/{given.revision}"
        return await self._show_page(given.page, action=action, posted=given.body)

    async def revise(self, request: Request, annotator: Annotator, given: GivenPage | None) -> Response:
        """Store a changed page as a new revision."""
        nonce, base, posted = request.path_params["nonce"], request.path_params["base"], await _posted(request)
        if posted is None:
            return _bad_form()
        if given is None or given.body is None or not (base.isascii() and base.isdecimal() and len(base) < 10):
            return self.render.notice("unknown", 404)
        form, _ = await self.versions.of(given.page.version)
        said = answered(form, given.page.assignments, posted)
        if said.problems:
            action = f"/revise/{nonce}/{base}"
            return await self._show_page(given.page, 422, action, posted=_first(posted), problems=said.problems)
        outcome = await self.service.call(
            self.service.revise,
            annotator.id,
            nonce,
            int(base),
            said.body,
            said.judgments,
            said.checks,
            _milliseconds(posted),
        )
        return self._after(outcome, nonce)

    def _after(self, outcome: object, nonce: str) -> Response:
        if isinstance(outcome, Conflict):
            stored, sent = dict(outcome.stored), dict(outcome.sent)
            names = sorted({*stored, *sent})
            rows = [(name, stored.get(name, ""), sent.get(name, "")) for name in names]
            return self.render.page("conflict.html", 409, rows=rows)
        if isinstance(outcome, Expired):
            return self.render.notice("expired", 410, go_on=True)
        return _go("/work?" + urlencode({"saved": nonce}))


def _go(where: str) -> RedirectResponse:
    return RedirectResponse(where, 303)


def _bad_form() -> Response:
    return PlainTextResponse("The request is not a form.", 400)


async def _posted(request: Request) -> dict[str, list[str]] | None:
    """The fields of a form, None if there is none."""
    try:
        return posted_fields(await request.body())
    except (ValueError, UnicodeError):
        return None


def _query(request: Request) -> dict[str, str]:
    return {name: value[:MOST_PARAMETER] for name, value in request.query_params.items()}


def _first(posted: Mapping[str, list[str]]) -> dict[str, str]:
    return {name: values[0] for name, values in posted.items() if values}


def _milliseconds(posted: Mapping[str, list[str]]) -> int | None:
    """How long the page was visible, as the browser says."""
    text = posted.get("ms", [""])[0]
    return min(int(text), 10**9) if text.isascii() and text.isdigit() and len(text) < 15 else None
