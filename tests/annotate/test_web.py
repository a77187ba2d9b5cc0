"""The application without a browser: every form from consent to code, once each, and nothing for strangers."""

import asyncio
import json
import socket
from concurrent.futures import Future
from pathlib import Path
from random import Random

import pytest

import assay
from assay.annotate.records import NotSaved
from assay.annotate.web.answering import page_of
from assay.annotate.web.security import Secured
from assay.forms import QUESTIONNAIRES
from assay.forms.posted import posted_of
from assay.forms.random_answers import random_answers
from tests.annotate.served import SAME, URL, Page, protocol_of, running, served

SURVEY = "[[survey]]\nname = 'age'\nquestion = 'How old are you?'\nkind = 'choice'\nanswers = ['young', 'old']\n"


def begin(client, query: str = "") -> Page:
    consent = Page(client.get(f"/{query}").text)
    return Page(client.post(consent.action).text)


def fill(service, protocol, client, draw: Random) -> dict[str, list[str]]:
    """Answers to the page that is open, as a browser posts them."""
    given = service.next_page(service.annotator(client.cookies["assay"]).id)
    posted = {}
    for card in page_of(protocol.form, given.assignments).cards:
        posted |= posted_of(card, random_answers(card, draw, "answer\n\u202e"))
    return posted


@pytest.mark.parametrize("form", QUESTIONNAIRES)
def test_every_form_from_consent_to_code(tmp_path: Path, form: str) -> None:
    protocol, draw = protocol_of(tmp_path, form, f"{SURVEY}[instructions]\ntext = 'Read.'\n"), Random(form)
    with served(protocol) as (service, client):
        page = begin(client)
        assert "Read." in page.words and page.action == "/stage/instructions"
        page = Page(client.post(page.action).text)
        n_pages = 0
        while page.action.startswith("/work/"):
            empty = client.post(page.action, data={})
            assert empty.status_code == 422 and "Not saved yet" in empty.text
            posted = fill(service, protocol, client, draw)
            assert set(posted) <= set(page.fields)
            done = client.post(page.action, data={**posted, "ms": "1234"})
            assert done.history[0].status_code == 303 and done.status_code == 200
            page, n_pages = Page(done.text), n_pages + 1
        assert page.action == "/stage/survey" and "completion code" not in page.words
        assert client.post(page.action, data={"age": "middle"}).status_code == 422
        page = Page(client.post(page.action, data={"age": "old"}).text)
        annotator = service.annotator(client.cookies["assay"])
        assert annotator.state == "complete" and annotator.stages["survey"] == {"age": "old"}
        assert service.next_page(annotator.id).completion_code in page.words
        assert annotator.pages == n_pages > 0
        stored = list(service.judgments())
        assert stored and {one.annotator for one in stored} == {annotator.id} and {one.ms for one in stored} == {1234}
        assert {one.criterion for one in stored if one.kind != "written"} <= {
            one.name for one in protocol.form.criteria
        }
        assert not service.verify()


def test_the_same_again_is_stored_once_and_another_is_a_conflict(tmp_path: Path) -> None:
    protocol = protocol_of(tmp_path, "typicality")
    with served(protocol) as (service, client):
        page = begin(client)
        posted = fill(service, protocol, client, Random(0))
        for ms in ("1", "2", "3"):
            assert client.post(page.action, data={**posted, "ms": ms}).status_code == 200
        n = len(list(service.judgments()))
        other = {name: "0" if value != ["0"] else "5" for name, value in posted.items()}
        conflict = client.post(page.action, data=other)
        assert conflict.status_code == 409 and "already answered" in conflict.text
        assert all(f">{value}<" in conflict.text for values in posted.values() for value in values)
        assert len(list(service.judgments())) == n == 2


def test_a_saved_page_may_be_changed_for_a_while(tmp_path: Path) -> None:
    protocol = protocol_of(tmp_path, "typicality")
    with served(protocol) as (service, client):
        page = begin(client)
        posted = fill(service, protocol, client, Random(0))
        after = client.post(page.action, data=posted)
        nonce = page.action.removeprefix("/work/")
        assert f'href="/revise/{nonce}"' in after.text
        revision = Page(client.get(f"/revise/{nonce}").text)
        assert revision.action == f"/revise/{nonce}/1"
        assert client.post(revision.action, data={}).status_code == 422
        changed = dict.fromkeys(posted, "2")
        assert client.post(revision.action, data=changed).status_code == 200
        assert {(one.value, one.revision) for one in service.judgments()} == {(2.0, 2)}
        assert client.post(revision.action, data=changed).status_code == 200
        assert client.post(revision.action, data=posted).status_code == 409
        assert client.get("/revise/nothing").status_code == 404


CHECKED = (
    "[pages]\nunits = 2\njudgments = 1\nchecks = 1\n"
    "[[checks]]\ntext = 'Choose 5 here.'\nanswers = {typicality = 5}\n"
    "[[checks]]\ntext = 'Choose 0 here.'\nanswers = {typicality = 0}\n"
)


def test_checks_are_compared_and_never_judgments(tmp_path: Path) -> None:
    protocol = protocol_of(tmp_path, "typicality", CHECKED)
    with served(protocol) as (service, client):
        page = begin(client)
        given = service.next_page(service.annotator(client.cookies["assay"]).id)
        assert len(given.assignments) == 3
        client.post(page.action, data={f"u{n}.typicality": "5" for n in (1, 2, 3)})
        gold = next(one.unit for one in given.assignments if one.unit.gold)
        (record,) = [one for one in service.pages() if one.body is not None]
        assert record.checks == {gold.id: "5" in gold.payload["text"]}
        assert not [one for one in service.judgments() if one.unit.startswith("check")]


@pytest.mark.parametrize("form", ["preference", "diversity_ranking"])
def test_a_check_of_two_is_passed_by_its_own_order(tmp_path: Path, form: str) -> None:
    name = QUESTIONNAIRES[form].criteria[0].name
    shown = (
        "first = ['good', 'fine']\nsecond = ['bad', 'bad']"
        if form == "diversity_ranking"
        else "texts = ['good', 'bad']"
    )
    check = f"[[checks]]\n{shown}\nanswers = {{{name} = 'A'}}\n"
    protocol = protocol_of(tmp_path, form, f"[pages]\nunits = 1\njudgments = 9\nchecks = 1\nmost = 1\n{check}")
    orders = set()
    with served(protocol) as (service, client):
        for _ in range(6):
            client.cookies.clear()
            page = begin(client)
            given = service.next_page(service.annotator(client.cookies["assay"]).id)
            place = next(at for at, one in enumerate(given.assignments) if one.unit.gold)
            card = page_of(protocol.form, given.assignments).cards[place]
            answer = "A" if card.shown[0].content == "good" else "B"
            orders.add(answer)
            client.post(page.action, data={f"u{n}.{name}": answer for n in (1, 2)})
        assert [list(one.checks.values()) for one in service.pages() if one.checks] == [[True]] * 6
    assert orders == {"A", "B"}


TESTED = (
    "[qualification]\npass = 0.5\nattempts = 2\n"
    "[[qualification.units]]\ntext = 'one'\nanswers = {typicality = [4, 5]}\n"
    "[[practice]]\ntext = 'odd'\nanswers = {typicality = 0}\nwhy = 'It makes no sense.'\n"
)


def test_practice_is_explained_and_a_test_may_be_failed(tmp_path: Path) -> None:
    protocol = protocol_of(tmp_path, "typicality", TESTED)
    with served(protocol) as (service, client):
        page = begin(client)
        assert page.action == "/stage/practice" and page.texts == ["odd"]
        told = Page(client.post(page.action, data={"u1.typicality": "3"}).text)
        assert "It makes no sense." in told.words and "We expected another answer: 0." in told.words
        page = Page(client.get("/work").text)
        assert page.action == "/stage/qualification"
        again = client.post(page.action, data={"u1.typicality": "1"})
        assert again.status_code == 422 and "0 of 1" in again.text
        assert Page(client.post(page.action, data={"u1.typicality": "5"}).text).action.startswith("/work/")
    (tmp_path / "protocol.sqlite").unlink()
    with served(protocol) as (service, client):
        client.post(begin(client).action, data={"u1.typicality": "0"})
        for _ in range(2):
            page = client.post("/stage/qualification", data={"u1.typicality": "1"})
        assert "not passed" in page.text
        assert service.annotator(client.cookies["assay"]).state == "not qualified"


def test_withdrawing(tmp_path: Path) -> None:
    protocol = protocol_of(tmp_path, "typicality")
    with served(protocol) as (service, client):
        begin(client)
        assert "Withdraw from the study?" in client.get("/withdraw").text
        assert "You have withdrawn" in client.post("/withdraw").text
        assert service.annotator(client.cookies["assay"]).state == "withdrawn"
        assert "You have withdrawn" in client.get("/work").text and "code" not in client.get("/work").text


PANEL = (
    "[panel]\nname = 'prolific'\nperson = 'PROLIFIC_PID'\nsession = 'SESSION_ID'\nparameters = ['STUDY_ID']\n"
    "completion_url = 'https://panel.example/done?cc={code}'\n"
)


def test_ids_of_a_panel_come_by_the_link_and_return_with_the_code(tmp_path: Path) -> None:
    protocol = protocol_of(tmp_path, "typicality", PANEL + "[pages]\nunits = 8\njudgments = 1\nmost = 1\n")
    with served(protocol) as (service, client):
        page = begin(client, "?PROLIFIC_PID=p1&SESSION_ID=s1&STUDY_ID=t1&evil=%22%3E")
        first = service.annotator(client.cookies["assay"]).id
        assert service.panel_map.people()[first]["STUDY_ID"] == "t1"
        client.cookies.clear()
        assert begin(client, "?PROLIFIC_PID=p1&SESSION_ID=s1").action == page.action
        assert service.annotator(client.cookies["assay"]).id == first
        done = client.post(page.action, data=fill(service, protocol, client, Random(0)))
        code = service.next_page(first).completion_code
        assert code and f'href="https://panel.example/done?cc={code}"' in done.text


def test_a_post_of_another_site_is_refused(tmp_path: Path) -> None:
    protocol = protocol_of(tmp_path, "typicality")
    with served(protocol) as (service, client):
        page = begin(client)
        posted = fill(service, protocol, client, Random(0))
        for headers in (
            {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
            {"Origin": URL, "Sec-Fetch-Site": "cross-site"},
            {"Origin": "null", "Sec-Fetch-Site": "same-origin"},
            {"Origin": "http://127.0.0.1:9000", "Sec-Fetch-Site": "same-origin"},
        ):
            assert client.post(page.action, data=posted, headers=headers).status_code == 403
        del client.headers["Origin"], client.headers["Sec-Fetch-Site"]
        assert client.post(page.action, data=posted).status_code == 403
        assert not list(service.judgments())
        assert client.get("/work", headers={"Host": "evil.example"}).status_code == 400


def test_a_stranger_sees_nothing_and_no_token_opens_another_page(tmp_path: Path) -> None:
    protocol = protocol_of(tmp_path, "typicality")
    with served(protocol) as (service, client):
        page = begin(client)
        posted = fill(service, protocol, client, Random(0))
        token = client.cookies["assay"]
        client.cookies.clear()
        for cookie in ("", "x", "admin", "password", token[:-1]):
            client.headers["Cookie"] = f"assay={cookie}"
            for path in ("/work", "/withdraw", page.action.replace("work", "revise")):
                assert client.get(path).status_code in (403, 404)
            assert client.post(page.action, data=posted).status_code == 403
        del client.headers["Cookie"]
        begin(client)
        assert client.cookies["assay"] != token
        assert client.post(page.action, data=posted).status_code == 404
        assert client.get(page.action.replace("work", "revise")).status_code == 404
        assert not list(service.judgments())
        assert token not in (tmp_path / "protocol.sqlite").read_bytes().decode("latin-1")


def test_cookies_and_headers(tmp_path: Path) -> None:
    protocol = protocol_of(tmp_path, "typicality")
    with served(protocol) as (_, client):
        response = client.post("/begin", follow_redirects=False)
        cookie = response.headers["set-cookie"].lower()
        assert "httponly" in cookie and "samesite=lax" in cookie and "path=/" in cookie
        for path in ("/", "/work", "/static/form.js", "/nothing"):
            headers = client.get(path).headers
            assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
            assert "unsafe" not in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "same-origin"
        assert client.get("/work").headers["cache-control"] == "no-store"
        assert client.get("/static/../app.py").status_code == 404


def test_by_https_the_cookie_belongs_to_the_host_alone(tmp_path: Path) -> None:
    from starlette.testclient import TestClient

    from assay.annotate.serving import study_of
    from assay.annotate.web.app import application

    protocol, url = protocol_of(tmp_path, "typicality"), "https://study.example.org"
    with study_of(protocol) as service, TestClient(application(service, protocol, url), base_url=url) as client:
        response = client.post("/begin", headers={"Origin": url}, follow_redirects=False)
        assert (
            response.headers["set-cookie"].startswith("__Host-assay=") and "; Secure" in response.headers["set-cookie"]
        )
        assert "max-age" in response.headers["strict-transport-security"]
        assert client.post("/begin", headers={"Origin": url.replace("https", "http")}).status_code == 403


def test_a_large_body_is_refused(tmp_path: Path) -> None:
    protocol = protocol_of(tmp_path, "typicality")
    with served(protocol) as (_, client):
        page = begin(client)
        large = "x=" + "y" * 4_000_001
        assert client.post(page.action, content=large).status_code == 413
        assert (
            client.post(page.action, content=(part.encode() for part in (large[:999], large[999:]))).status_code == 413
        )
        assert client.post(page.action, content=b"\xff\xfe").status_code == 400
        assert client.post(page.action, content="&".join(f"a{n}=1" for n in range(6000))).status_code == 400


def test_what_cannot_be_saved_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    protocol = protocol_of(tmp_path, "typicality")
    with served(protocol) as (service, client):
        page = begin(client)
        posted = fill(service, protocol, client, Random(0))

        full: Future[None] = Future()
        full.set_exception(NotSaved("the disk is full"))
        monkeypatch.setattr(service, "queue_submit", lambda *_: full)
        response = client.post(page.action, data=posted)
        assert response.status_code == 503 and "Nothing is lost" in response.text


def test_a_change_of_the_protocol_is_a_new_version(tmp_path: Path) -> None:
    said: list[str] = []
    from assay.annotate.serving import study_of

    for more in ("", "", 'language = "de"\n'):
        with study_of(protocol_of(tmp_path, "typicality", more), say=said.append) as service:
            version = service.terms().version
    assert version == 2 and said[-1] == "the protocol changed: it is version 2 now" and len(said) == 2


def hostile_texts() -> list[str]:
    """2,000 texts that other tools do not show as they are."""
    draw = Random(17)
    pieces = [
        "<script>alert(1)</script>", "</div>", "<!--", "-->", "]]>", "&amp;", "&#0;", "&lt",
        "<img src=x onerror=alert(1)>",
        "{{ 7*7 }}", "{% raw %}", "\u202e", "\u2066", "\u2069", "\u200b", "\u200d", "\ufeff", "\0", "\r", "\r\n", "\n",
        "\t", "\x0b", "\x0c", "\x1b[31m", "\x7f", "\x80", "\x9f", "\u2028", "\u2029", "\u2400", "😀", "𝕬", "é",
        "👩\u200d👩\u200d👧", "e\u0301", "שלום", "مرحبا", "日本語", "\ufffd", "\ufffe", "\U0010ffff", " ", "  ",
        "'", '"', "`", "\\", "javascript:", "<style>*{display:none}</style>", "</textarea>", "<plaintext>", "a" * 300,
    ]  # fmt: skip
    texts = ["".join(draw.choice(pieces) for _ in range(draw.randrange(1, 12))) for _ in range(1999)]
    return [*texts, "<b>\u202e&amp; words of some length " * 35_000 + "\0😀"]


def test_hostile_texts_are_shown_as_they_are_stored(tmp_path: Path) -> None:
    texts = hostile_texts()
    assert len(texts) == 2000 and len(texts[-1].encode()) > 1_000_000
    rows = [{"id": f"t{n}", "item": f"i{n}", "text": text} for n, text in enumerate(texts)]
    protocol = protocol_of(tmp_path, "typicality", "[pages]\nunits = 200\njudgments = 1\n", rows)
    shown: dict[str, str] = {}
    with served(protocol) as (service, client):
        page = begin(client)
        while page.action.startswith("/work/"):
            given = service.next_page(service.annotator(client.cookies["assay"]).id)
            shown |= {one.unit.id: text for one, text in zip(given.assignments, page.texts, strict=True)}
            assert all(texts[int(one.unit.id[1:])] == one.unit.payload["text"] for one in given.assignments)
            page = Page(client.post(page.action, data=fill(service, protocol, client, Random(1))).text)
        assert len(list(service.judgments())) == 2000
    assert shown == {f"t{n}": text for n, text in enumerate(texts)}
    exported = assay.load(tmp_path / "protocol.sqlite")
    assert {one.id: one.text for one in exported.iter_outputs()} == shown
    assert len(exported.judgments) == 2000 and exported.criteria["typicality"].high == 5.0
    assay.annotate.export(str(tmp_path / "protocol.sqlite"), tmp_path / "judged.jsonl")
    assert assay.load(tmp_path / "judged.jsonl") == exported


def test_hostile_answers_come_back_as_they_were_written(tmp_path: Path) -> None:
    protocol = protocol_of(tmp_path, "speaker", "[pages]\nunits = 1\njudgments = 1\n")
    said = "<script>\u202e😀&amp;\u0000 'x' \"y\" {{ 1 }}"
    with served(protocol) as (service, client):
        page = begin(client)
        refused = Page(client.post(page.action, data={"u1.descriptive": said}).text)
        assert refused.fields["u1.descriptive"] == [said]
        client.post(page.action, data={"u1.descriptive": said, "u1.ambiguous": "x"})
        assert [one.value for one in service.judgments()] == [said, "x"]
        assert json.loads(json.dumps(said)) == said


def test_the_weight_of_a_page(tmp_path: Path) -> None:
    protocol = protocol_of(tmp_path, "typicality", "[pages]\nunits = 8\njudgments = 1\n")
    with served(protocol) as (_, client):
        begin(client)
        script = len(client.get("/static/form.js").content)
        assert script < 15_000
        parts = [client.get(path) for path in ("/work", "/static/form.js", "/static/style.css", "/static/icon.svg")]
        assert sum(len(part.content) for part in parts) < 60_000
        assert all(part.status_code == 200 for part in parts) and SAME


def test_a_body_that_breaks_off_is_no_answer() -> None:
    called = []

    async def app(*_: object) -> None:
        called.append(1)

    messages = iter([{"type": "http.request", "body": b"x=1", "more_body": True}, {"type": "http.disconnect"}])

    async def receive() -> dict:
        return next(messages)

    async def send(message: object) -> None:
        called.append(message)

    headers = [(b"host", b"127.0.0.1:8000"), (b"sec-fetch-site", b"same-origin")]
    scope = {"type": "http", "method": "POST", "path": "/work/n", "headers": headers}
    asyncio.run(Secured(app, frozenset(["127.0.0.1:8000"]), https=False)(scope, receive, send))
    assert not called


def test_headers_without_an_end_close_the_connection(tmp_path: Path) -> None:
    with running(protocol_of(tmp_path, "typicality")) as (_, url):
        host, port = url.removeprefix("http://").split(":")
        ordinary = f"GET / HTTP/1.1\r\nHost: {host}:{port}\r\n".encode()
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            for _ in range(2):  # the bytes of each request count for themselves
                connection.sendall(ordinary + b"X: " + b"x" * 50_000 + b"\r\n\r\n")
                reply = b""
                while not reply.endswith(b"</html>"):
                    reply += connection.recv(1 << 16)
                assert reply.startswith(b"HTTP/1.1 200")
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            connection.sendall(ordinary)
            with pytest.raises(OSError):
                for _ in range(1000):
                    connection.sendall(b"X: " + b"x" * 50_000 + b"\r\n")
