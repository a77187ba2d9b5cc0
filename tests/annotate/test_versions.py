"""Versions of a protocol: what was asked stays with the answer, and names stay with what they name."""

from pathlib import Path

from starlette.testclient import TestClient

import assay
from assay.annotate.protocol import Protocol
from assay.annotate.service import Service
from assay.annotate.serving import study_of
from assay.annotate.web.app import application
from tests.annotate.served import SAME, URL, Page, protocol_of
from tests.annotate.studies import enrolled, page_of
from tests.annotate.test_after_the_start import RATING
from tests.annotate.test_web import begin


def test_a_page_is_asked_and_recorded_in_the_words_it_was_given_under(tmp_path: Path) -> None:
    """Also when it is sent after the protocol changed, and when another server changed it."""
    truth = '[criteria.truth]\nquestion = "Is it true?"\nlabels = ["no", "yes"]\n'
    one_unit = "[pages]\nunits = 1\njudgments = 1\n"
    before = protocol_of(tmp_path, "rating", RATING.format(high=5) + one_unit)
    with study_of(before) as service, client_of(service, before) as client:
        shown = begin(client)
        assert "How good?" in shown.words and "How well?" not in shown.words
        cookies = dict(client.cookies)
    after = protocol_of(tmp_path, "rating", RATING.replace("good", "well").format(high=5) + truth + one_unit)
    for served_now in (after, before):  # the last server does not know the version in force
        with study_of(after) as service, client_of(service, served_now) as client:
            client.cookies.update(cookies)
            if served_now is after:
                again = Page(client.get("/work").text)
                assert "How good?" in again.words and "Is it true?" not in again.words
                problem = Page(client.post(shown.action, data={}).text)
                assert "How good?" in problem.words and "How well?" not in problem.words
                following = Page(client.post(shown.action, data={"u1.quality": "4"}).text)
                assert "How well?" in following.words and "Is it true?" in following.words
                revised = Page(client.get("/revise/" + shown.action.removeprefix("/work/")).text)
                assert "How good?" in revised.words and "Is it true?" not in revised.words
                client.post(revised.action, data={"u1.quality": "5"})
            else:
                assert "How well?" in Page(client.get("/work").text).words
                client.post(following.action, data={"u1.quality": "2", "u1.truth": following.fields["u1.truth"][1]})
                said = [(one.criterion, one.value, one.version) for one in service.judgments()]
                assert said == [("quality", 5.0, 1), ("quality", 2.0, 2), ("truth", 1.0, 2)]
                assert service.verify() == []


def test_extending_keeps_the_protocol_in_force(tmp_path: Path) -> None:
    first = protocol_of(tmp_path, "rating", RATING.format(high=5))
    study_of(first).close()
    changed = protocol_of(tmp_path, "rating", 'instruction = "Read."\n' + RATING.format(high=5))
    with study_of(changed) as service:
        service.extend(7)
        assert service.protocol_text() == changed.text and service.terms().sha == changed.sha
        assert service.terms().rules.judgments_per_unit == 7 and service.terms().version == 3


def test_the_name_of_a_written_text_stays_when_others_are_rejected(tmp_path: Path) -> None:
    protocol = protocol_of(tmp_path, "writing", "[options]\ntexts = 2\n[pages]\nunits = 1\njudgments = 1\n")
    with study_of(protocol) as service:
        one = enrolled(service)
        for n in range(2):
            page = page_of(service, one)
            answers = {f"{kind}{place}": f"{kind} {place} of {n}" for kind in ("high", "low") for place in (1, 2)}
            said = {a.id: protocol.form.judgments(a.unit.payload, a.order_seed, answers) for a in page.assignments}
            service.submit(one, page.nonce, {"n": n}, said)
        before = written_texts(tmp_path)
        service.decide([service.answered_pages(one)[0]], accepted=False)
        after = written_texts(tmp_path)
    assert len(before) == 8 and len(after) == 4 and after.items() < before.items()


def written_texts(folder: Path) -> dict[str, str]:
    """The texts of annotators by their name."""
    outputs = assay.load(folder / "protocol.sqlite").outputs
    return {name: text for name, text in zip(outputs.id, outputs.text, strict=True) if name.startswith("a1.")}


def client_of(service: Service, protocol: Protocol) -> TestClient:
    return TestClient(application(service, protocol, URL), base_url=URL, headers=SAME, follow_redirects=True)
