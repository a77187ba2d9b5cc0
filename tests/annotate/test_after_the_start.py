"""What comes after the start or after the end: changed protocols and data, late answers, people who left."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

import assay
from assay.annotate.custody import backup
from assay.annotate.panel_map import PanelMap
from assay.annotate.panels.signed import is_genuine
from assay.annotate.protocol import Protocol
from assay.annotate.protocol_file import parse_protocol
from assay.annotate.records import Conflict, Done, Expired, Progress, Receipt, Rules, StoreError
from assay.annotate.service import Service
from assay.annotate.serving import study_of
from assay.annotate.standing import notes_of, pay
from assay.annotate.web.app import application
from assay.cli import cli
from assay.errors import DataError
from tests.annotate.served import SAME, URL, protocol_of, records
from tests.annotate.studies import Clock, answer, enrolled, page_of, rows, study
from tests.annotate.test_web import begin

RATING = '[criteria.quality]\nquestion = "How good?"\nlow = 1\nhigh = {high}\n'


def rate(service: Service, protocol: Protocol, annotator: str) -> None:
    """Answer a page of the form `rating` with the highest answer."""
    page = page_of(service, annotator)
    high = protocol.form.criteria[0].high
    judgments = {
        one.id: protocol.form.judgments(one.unit.payload, one.order_seed, {"quality": f"{high:g}"})
        for one in page.assignments
    }
    assert isinstance(service.submit(annotator, page.nonce, {}, judgments), Receipt)


def test_new_data_comes_with_a_changed_protocol(tmp_path: Path) -> None:
    first = protocol_of(tmp_path, "rating", RATING.format(high=5))
    with study_of(first) as service:
        rate(service, first, enrolled(service))
    more = [*records(), {"id": "new", "item": "z", "system": "model", "text": "A new text."}]
    changed = protocol_of(tmp_path, "rating", 'instruction = "Read."\n' + RATING.format(high=5), more)
    with study_of(changed) as service:
        while not isinstance(service.next_page(one := enrolled(service)), Done):
            rate(service, changed, one)
        assert service.progress().complete and service.verify() == []
    judged = assay.load(tmp_path / "protocol.sqlite")
    assert "new" in list(judged.outputs.id) and len(judged.judgments) == 9
    assay.annotate.export(str(tmp_path / "protocol.sqlite"), tmp_path / "judged.jsonl")
    assert assay.load(tmp_path / "judged.jsonl") == judged


@pytest.mark.parametrize(
    ("form", "more", "message"),
    [
        ("rating", RATING.format(high=7), "scale of the criterion 'quality'"),
        ("typicality", "", "form was 'rating' when the study began"),
        ("rating", RATING.format(high=5) + '[pages]\npolicy = "blocks"\n', "policy was 'balanced'"),
        ("rating", RATING.format(high=5) + '[payment]\ncurrency = "EUR"\n', "currency was 'USD'"),
    ],
)
def test_what_cannot_change_changes_nothing(tmp_path: Path, form: str, more: str, message: str) -> None:
    with study_of(protocol_of(tmp_path, "rating", RATING.format(high=5))) as service:
        before = service.progress().units
    data = [*records(), {"id": "new", "item": "z", "system": "model", "text": "A new text."}]
    with pytest.raises(StoreError, match=message):
        study_of(protocol_of(tmp_path, form, more, data))
    with Service.open(tmp_path / "protocol.sqlite") as service:
        assert service.terms().version == 1 and service.progress().units == before


def test_each_page_pays_what_its_protocol_said(fresh_store: Callable[[], str], tmp_path: Path) -> None:
    where = fresh_store()
    rules = {"judgments_per_unit": 2, "page_size": 6}
    with study(where, Rules(**rules, price_per_page=0.1)) as service:
        one = service.enroll({"panel": "prolific", "person": "p1"}).annotator
        answer(service, one, page_of(service, one))
        assert service.amend("dearer", "1" * 64, Rules(**rules, price_per_page=0.5))[0] == 2
        answer(service, one, page_of(service, one))
        service.decide(service.answered_pages(one), accepted=True)
        assert service.progress().spent == 0.6
    protocol = parse_protocol('form = "typicality"\ndata = "x.jsonl"\n', tmp_path / "p.toml")
    paid = pay(protocol, tmp_path / "pay", store=where)
    assert paid.unknown == () and (tmp_path / "pay" / "bonus.csv").read_text() == "p1,0.60\n"
    assert "They were paid 0.50 USD per page, 0.60 in all." in notes_of(protocol, where)


def test_who_withdrew_answers_and_changes_nothing(tmp_path: Path) -> None:
    with study(tmp_path / "s.sqlite", Rules(page_size=3, revise_seconds=1000.0)) as service:
        one = enrolled(service)
        saved = page_of(service, one)
        answer(service, one, saved)
        left = page_of(service, one)
        service.withdraw(one)
        assert isinstance(service.submit(one, left.nonce, {"v": 1}, rows(left)), Expired)
        assert isinstance(service.revise(one, saved.nonce, 1, {"v": 1}, rows(saved, 5.0)), Expired)
        assert [j.value for j in service.judgments()] == [3.0] * 3 and service.verify() == []


def test_a_late_answer_is_within_the_limit_of_pages_and_has_its_own_number(tmp_path: Path) -> None:
    clock = Clock()
    rules = Rules(page_size=3, lease_seconds=10.0, max_pages_per_annotator=2)
    with study(tmp_path / "s.sqlite", rules, 40, clock=clock) as service:
        one, two = enrolled(service), enrolled(service)
        late = []
        for _ in range(2):
            late.append(page_of(service, one))
            clock.now += 11.0
            service.next_page(two)  # releases the page of the first
        answer(service, one, page_of(service, one))
        answer(service, one, late[0])
        assert isinstance(service.submit(one, late[1].nonce, {"v": 1}, rows(late[1])), Expired)
        numbers = [page for name, page in dict.fromkeys((j.annotator, j.page) for j in service.judgments())]
        assert sorted(numbers) == [1, 2] and service.verify() == []


def test_a_pause_keeps_nobody_from_their_code(tmp_path: Path) -> None:
    with study(tmp_path / "s.sqlite", Rules(page_size=3, max_pages_per_annotator=1)) as service:
        one, two = enrolled(service), enrolled(service)
        answer(service, one, page_of(service, one))
        service.pause()
        assert service.next_page(one) == Done("complete") and service.next_page(two) == Done("paused")


def test_the_time_of_a_page_ends_with_its_first_answer(tmp_path: Path) -> None:
    clock = Clock()
    with study(tmp_path / "s.sqlite", Rules(page_size=3, revise_seconds=1000.0), clock=clock) as service:
        one = enrolled(service)
        page = page_of(service, one)
        clock.now += 20.0
        answer(service, one, page)
        clock.now += 500.0
        assert isinstance(service.revise(one, page.nonce, 1, {"v": 2}, rows(page, 5.0)), Receipt)
        assert service.progress().seconds == (20.0,)
        assert isinstance(service.revise(one, page.nonce, 2**70, {"v": 3}, rows(page)), Conflict)


def test_answers_beyond_the_number_of_one_unit_complete_no_other() -> None:
    units = (("u1", "a", 2, 2), ("u2", "a", 0, 0))
    assert not Progress(units, {"a": (2, 2, 2)}, {}, {}, 0.0, 0.0, "USD", (), paused=False).complete


def test_one_key_for_all_who_come_at_once(tmp_path: Path) -> None:
    barrier = Barrier(8)

    def hashed(_: int) -> str:
        barrier.wait(60)
        return PanelMap(tmp_path / "s.sqlite").hashed("prolific", "p1")

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(hashed, range(8)))) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["s.sqlite.key"]
    (tmp_path / "s.sqlite.key").write_text("")
    with pytest.raises(StoreError, match="holds no key"):
        PanelMap(tmp_path / "s.sqlite").hashed("prolific", "p1")


def test_strange_addresses_are_unknown_pages(fresh_store: Callable[[], str], tmp_path: Path) -> None:
    protocol = protocol_of(tmp_path, "typicality")
    answers = {"u1.typicality": "3", "u2.typicality": "3"}
    with (
        study_of(protocol, fresh_store()) as service,
        TestClient(application(service, protocol, URL), base_url=URL, headers=SAME, follow_redirects=True) as client,
    ):
        page = begin(client)
        assert client.post(page.action, data=answers).status_code == 200
        revise = page.action.replace("work", "revise")
        for path in (f"{revise}/{'9' * 5000}", f"{revise}/{10**18}", f"{revise}/-1", "/work/%00x"):
            assert client.post(path, data=answers).status_code == 404
        assert len(list(service.judgments())) == 2


def test_a_timestamp_of_any_length_is_refused() -> None:
    assert not is_genuine("secret", "9" * 5000, b"", "", 1000.0)


def test_a_file_that_is_no_store_and_an_address_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "protocol.toml").write_text(protocol_of(tmp_path, "typicality").text)
    (tmp_path / "empty.sqlite").touch()
    for command in (["serve", "protocol.toml", "--port", "0"], ["forget", "protocol.toml", "a1"]):
        refused = CliRunner().invoke(cli, ["annotate", *command, "--store", "empty.sqlite"])
        assert isinstance(refused.exception, StoreError) and "not the store of a study" in str(refused.exception)
    for url in ("https://study.example.org:99999", "https://[study"):
        refused = CliRunner().invoke(cli, ["annotate", "serve", "protocol.toml", "--port", "0", "--url", url])
        assert isinstance(refused.exception, DataError) and "not an address" in str(refused.exception)
    assert not (tmp_path / "protocol.sqlite").exists()


@pytest.mark.parametrize("line", ["[payment]\nper_page = {}", "[pages]\nlease_minutes = {}"])
@pytest.mark.parametrize("value", ["nan", "inf", "-1"])
def test_numbers_that_are_none(tmp_path: Path, line: str, value: str) -> None:
    text = f'form = "rating"\ndata = "x.jsonl"\n{line.format(value)}\n'
    with pytest.raises(DataError, match=f"line 4: .* is {value}. Give 0 or more"):
        parse_protocol(text, tmp_path / "p.toml")


def test_the_codebook_names_the_columns_of_the_export(tmp_path: Path) -> None:
    protocol = protocol_of(tmp_path, "rating", RATING.format(high=5))
    with study_of(protocol) as service:
        rate(service, protocol, enrolled(service))
    store = str(tmp_path / "protocol.sqlite")
    assay.annotate.export(store, tmp_path / "judged.jsonl")
    written = {name for line in (tmp_path / "judged.jsonl").read_text().splitlines()
               for one in json.loads(line).get("judgments", ()) for name in one}  # fmt: skip
    listed = {line.split("|")[1].strip() for line in notes_of(protocol, store).splitlines() if line.startswith("| ")}
    assert listed - {"column", "---", "kind", "unit", "other", "ms"} <= written


def test_the_codebook_says_what_was_asked_and_writes_out_no_texts(tmp_path: Path) -> None:
    for form, more, said in (
        ("rating", RATING.format(high=5), "- **quality**: How good? (1 to 5) Answers: 5.0 (2)"),
        ("writing", "[options]\ntexts = 2\n", "- **high**: 4 texts that annotators wrote"),
    ):
        folder = tmp_path / form
        folder.mkdir()
        protocol = protocol_of(folder, form, more)
        with study_of(protocol) as service:
            one = enrolled(service)
            if form == "rating":
                rate(service, protocol, one)
            else:
                page = page_of(service, one)
                texts = {"high1": "one\ntext", "high2": "two", "low1": "three", "low2": "four"}
                judgments = {a.id: protocol.form.judgments(a.unit.payload, 0, texts) for a in page.assignments}
                service.submit(one, page.nonce, {}, judgments)
        notes = notes_of(protocol, str(folder / "protocol.sqlite"))
        assert said in notes and "one\ntext" not in notes


def test_fixed_pages_are_counted_as_they_are(tmp_path: Path) -> None:
    more = '[pages]\nunits = 3\njudgments = 2\npolicy = "pages"\n[payment]\nper_page = 1.0\n'
    protocol = protocol_of(tmp_path, "typicality", more)  # 8 units: pages of 3, 3 and 2
    assert assay.annotate.check(protocol).headline["pages"] == 6
    with study_of(protocol) as service:
        assert service.progress().to_come == 6.0
        one = enrolled(service)
        answered = 0
        while not isinstance(page := service.next_page(one), Done):
            service.submit(one, page.nonce, {}, {})
            answered += 1
            assert service.progress().to_come == 6.0 - answered
        assert answered == 3


def test_files_that_are_not_there_or_say_nothing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such store"):
        assay.annotate.export(str(tmp_path / "none.sqlite"), tmp_path / "judged.jsonl")
    (tmp_path / "empty.sqlite").touch()
    with pytest.raises(StoreError, match="not the store of a study"):
        backup(str(tmp_path / "empty.sqlite"), tmp_path / "copy.sqlite")
    assert not (tmp_path / "copy.sqlite").exists()
    (tmp_path / "s.sqlite.people.jsonl").write_text('{"annotator": "a1"}\n{"annot')
    with pytest.raises(StoreError, match="line 2: says nobody's ids"):
        PanelMap(tmp_path / "s.sqlite").people()
