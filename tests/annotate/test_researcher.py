"""The researcher's page: it opens once, shows how the study stands, and decides; web-hooks need their signature."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
from starlette.testclient import TestClient

import assay
from assay.annotate.panels.signed import SIGNATURE, TIMESTAMP, signature_of
from assay.annotate.protocol import Protocol
from assay.annotate.service import Service
from assay.annotate.serving import study_of
from assay.annotate.store import store_of
from assay.annotate.web.app import application
from assay.annotate.web.researcher import Researcher
from tests.annotate.served import SAME, URL, protocol_of
from tests.annotate.test_web import begin, fill

PANEL = '[panel]\nname = "prolific"\nperson = "PROLIFIC_PID"\nsession = "SESSION_ID"\n'


@contextmanager
def researched(protocol: Protocol, secret: str = "") -> Iterator[tuple[Service, Researcher, TestClient, TestClient]]:
    """A study with a client for the annotator and one for the researcher."""
    with study_of(protocol) as service:
        researcher = Researcher(service, protocol, store_of(protocol.path), https=False, hook_secret=secret)
        app = application(service, protocol, URL, routes=researcher.routes())
        with (
            TestClient(app, base_url=URL, headers=SAME, follow_redirects=True) as annotator,
            TestClient(app, base_url=URL, headers=SAME, follow_redirects=True) as browser,
        ):
            yield service, researcher, annotator, browser


def answer_one_page(service: Service, protocol: Protocol, client: TestClient) -> None:
    page = begin(client, "?PROLIFIC_PID=person-7&SESSION_ID=s1")
    client.post(page.action, data=fill(service, protocol, client, Random(1)))


def test_the_link_works_once_and_nobody_else_gets_in(tmp_path: Path) -> None:
    with researched(protocol_of(tmp_path, "typicality")) as (_, researcher, annotator, browser):
        for path in ("/researcher", "/researcher/open/wrong", "/researcher/open/"):
            assert browser.get(path).status_code in (403, 404)
        assert browser.post("/researcher/pause", data={"paused": "yes"}).status_code == 403
        assert browser.head(f"/researcher/open/{researcher.key}").status_code == 403  # a program that looks
        assert "A study" in browser.get(f"/researcher/open/{researcher.key}").text
        assert browser.get("/researcher").status_code == 200
        assert annotator.get(f"/researcher/open/{researcher.key}").status_code == 403
        annotator.cookies.set(researcher.cookie, "guess")
        assert annotator.get("/researcher").status_code == 403
        assert browser.post("/researcher/pause", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403


def test_the_page_shows_the_study_as_the_export_does(tmp_path: Path) -> None:
    protocol = protocol_of(tmp_path, "typicality")
    with researched(protocol) as (service, researcher, annotator, browser):
        answer_one_page(service, protocol, annotator)
        page = browser.get(f"/researcher/open/{researcher.key}").text
        assert "2 of 8 answers are in." in page and "Annotators at work" in page and "people" in page
        assert "<script" not in page
        live = assay.annotate.status(protocol)
    exported = assay.load(tmp_path / "protocol.sqlite")
    assert live.table("agreement") == assay.agree(exported).table("agreement")


def test_comments_are_shown_once_and_as_text(tmp_path: Path) -> None:
    more = '[criteria.a]\nquestion = "A?"\nlow = 1\nhigh = 5\n[criteria.b]\nquestion = "B?"\nlow = 1\nhigh = 5\n'
    protocol = protocol_of(tmp_path, "rating", more + "[options]\ncomment = true\n")
    with researched(protocol) as (_, researcher, annotator, browser):
        page = begin(annotator)
        answers = {name: "3" for name in page.fields if name.endswith((".a", ".b"))}
        annotator.post(page.action, data={**answers, "u1.comment": "why <b>so</b>?", "ms": ""})
        shown = browser.get(f"/researcher/open/{researcher.key}").text
        assert shown.count("why &lt;b&gt;so&lt;/b&gt;?") == 1


def test_decisions(tmp_path: Path) -> None:
    protocol = protocol_of(tmp_path, "typicality")
    with researched(protocol) as (service, researcher, annotator, browser):
        answer_one_page(service, protocol, annotator)
        browser.get(f"/researcher/open/{researcher.key}")
        assert "The study is paused." in browser.post("/researcher/pause", data={"paused": "yes"}).text
        assert service.progress().paused
        assert "The study goes on." in browser.post("/researcher/pause", data={"paused": "no"}).text
        assert browser.post("/researcher/extend", data={"judgments_per_unit": "3"}).status_code == 200
        assert service.terms().rules.judgments_per_unit == 3
        assert browser.post("/researcher/pause", content=b"%ff=%ff").status_code == 400
        for wrong in ("0", "x", "99999999999", "0000000001", ""):
            assert browser.post("/researcher/extend", data={"judgments_per_unit": wrong}).status_code == 422
        reject = {"annotator": "a1", "decision": "reject", "reason": "random answers"}
        assert "1 pages are rejected." in browser.post("/researcher/decide", data=reject).text
        assert not list(service.judgments())
        for wrong in ({"decision": "maybe"}, {"annotator": "nobody"}, {"annotator": "a99"}):
            assert browser.post("/researcher/decide", data=reject | wrong).status_code == 422


@pytest.mark.parametrize("forged", [False, True])
def test_a_signed_message_of_the_panel_ends_a_participation(tmp_path: Path, forged: bool) -> None:
    protocol = protocol_of(tmp_path, "typicality", PANEL)
    with researched(protocol, "shared secret") as (service, _, annotator, browser):
        begin(annotator, "?PROLIFIC_PID=person-7&SESSION_ID=s1")
        message = {"event_type": "submission.status.change", "participant_id": "person-7", "status": "RETURNED"}
        body, now = json.dumps(message).encode(), str(int(time.time()))
        signature = signature_of("another" if forged else "shared secret", now, body)
        headers = {SIGNATURE: signature, TIMESTAMP: now, "Origin": "", "Sec-Fetch-Site": "cross-site"}
        reply = browser.post("/hooks/prolific", content=body, headers=headers)
        assert reply.status_code == (403 if forged else 204)
        token = annotator.cookies["assay"]
        assert service.annotator(token).state == ("active" if forged else "withdrawn")


def test_without_a_secret_there_are_no_hooks(tmp_path: Path) -> None:
    with researched(protocol_of(tmp_path, "typicality")) as (_, _, _, browser):
        assert browser.post("/hooks/prolific", content=b"{}").status_code == 404
