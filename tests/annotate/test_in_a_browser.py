"""Every form in a real browser: by mouse, by keyboard alone, on a phone, without scripts; nothing leaves the page."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.forms import QUESTIONNAIRES
from tests.annotate.served import protocol_of, running
from tests.browsers import offline_browser

pytestmark = pytest.mark.slow

MODES = {
    "mouse": {},
    "keyboard": {},
    "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True},
    "no scripts": {"java_script_enabled": False},
}
ONE_PAGE = "[pages]\nunits = 1\njudgments = 9\nmost = 1\n"
ACTIVE = """() => { const one = document.activeElement; return {
    tag: one.tagName, type: one.type || "", name: one.name || "", kind: one.className || "",
    done: one.type === "radio" && [...document.getElementsByName(one.name)].some(other => other.checked) } }"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with offline_browser() as opened:
        yield opened


def watched(browser: Any, **options: Any) -> Any:
    """A page that remembers what it asked for and what it complained about."""
    page = browser.new_context(**options).new_page()
    page.set_default_timeout(60_000)
    page.complaints, page.asked = [], []
    page.on("console", lambda message: page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("dialog", lambda dialog: page.complaints.append(dialog.message))
    page.on("response", lambda response: page.asked.append(response))
    return page


def answer_with_pointer(page: Any) -> None:
    for place, area in enumerate(page.locator("textarea, input[type=text]").all()):
        area.fill(f"my text number {'abcdefghijkl'[place]}")
    for name in page.locator("input[type=radio]").evaluate_all("all => [...new Set(all.map(one => one.name))]"):
        page.locator(f"label.option:has(input[name='{name}'])").last.click()
    for root in page.locator(".spans").all():
        box = root.locator(".marked")
        box.dblclick(position={"x": 30, "y": 20})
        root.locator(".severity").select_option(index=1)
        root.locator(".add").click()
    page.locator("main form button:not([type=button])").click()


def answer_with_keys(page: Any) -> None:
    typed = 0
    for _ in range(200):
        page.keyboard.press("Tab")
        at = page.evaluate(ACTIVE)
        if at["type"] == "radio" and not at["done"]:
            page.keyboard.press("Space")
        elif at["tag"] == "TEXTAREA" or at["type"] == "text":
            typed += 1
            page.keyboard.type(f"my text number {'abcdefghijklm'[typed]}")
        elif "marked" in at["kind"]:
            page.keyboard.press("Control+Home")
            for _ in range(3):
                page.keyboard.press("Shift+ArrowRight")
        elif "add" in at["kind"].split():
            page.keyboard.press("Enter")
        elif at["tag"] == "BUTTON" and at["type"] == "submit":
            page.keyboard.press("Enter")
            return
    raise AssertionError("the button cannot be reached by keyboard")


def complete(page: Any, url: str, mode: str) -> None:
    page.goto(url)
    if mode == "keyboard":
        answer_with_keys(page)
    else:
        page.locator("main button").click()
    page.wait_for_url("**/work")
    assert (
        page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
        if mode != "no scripts"
        else 1
    )
    (answer_with_keys if mode == "keyboard" else answer_with_pointer)(page)
    page.wait_for_url("**/work?saved=*")
    assert page.locator(".code").inner_text()


@pytest.mark.parametrize("form", QUESTIONNAIRES)
def test_each_form_in_each_way(browser: Any, tmp_path: Path, form: str) -> None:
    with running(protocol_of(tmp_path, form, ONE_PAGE)) as (service, url):
        modes = {name: options for name, options in MODES.items() if form != "spans" or name != "no scripts"}
        for mode, options in modes.items():
            page = watched(browser, **options)
            complete(page, url, mode)
            assert page.complaints == []
            assert {response.url.split("/")[2] for response in page.asked} == {url.removeprefix("http://")}
            assert not [response.url for response in page.asked if response.status >= 400]
            page.context.close()
        assert len({one.annotator for one in service.judgments()}) == len(modes)
        if form == "spans":
            marked = [one.columns["spans"] for one in service.judgments()]
            assert all('"major"' in spans or "[0, 3," in spans for spans in marked)
        assert all(one.ms is not None or mode == "no scripts" for one in service.judgments())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_barriers_on_any_form(browser: Any, tmp_path: Path, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    survey = "[[survey]]\nname = 'a'\nquestion = 'b?'\n[[survey]]\nname = 'c'\nquestion = 'd?'\nkind = 'number'\n"
    for form in QUESTIONNAIRES:
        (tmp_path / form).mkdir()
        with running(protocol_of(tmp_path / form, form, survey + ONE_PAGE)) as (_, url):
            page = watched(browser, color_scheme=scheme)

            def check(page: Any = page, form: str = form) -> None:
                found = Axe().run(page)
                assert found.violations_count == 0, f"{form}, {page.url}: {found.generate_report()}"

            page.goto(url)
            check()
            page.locator("main button").click()
            page.wait_for_url("**/work")
            check()
            page.locator("form").evaluate("form => form.noValidate = true")
            page.locator("main form button:not([type=button])").click()
            page.wait_for_selector(".summary")
            check()
            answer_with_pointer(page)
            page.wait_for_url("**/work?saved=*")
            check()
            if form == "typicality":
                for path in ("/withdraw", "/nothing"):
                    page.goto(url + path)
                    check()
            page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_barriers_before_the_questions_and_in_conflicts(browser: Any, tmp_path: Path, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    example = "[[{}]]\ntext = 'As usual.'\nanswers = {{ typicality = 5 }}\n"
    stages = "[instructions]\ntext = 'Read.'\n" + example.format("practice") + example.format("qualification.units")
    with running(protocol_of(tmp_path, "typicality", stages + ONE_PAGE)) as (_, url):
        page = watched(browser, color_scheme=scheme)
        headings = []

        def check() -> None:
            headings.append(page.locator("h1").inner_text())
            found = Axe().run(page)
            assert found.violations_count == 0, f"{page.url}: {found.generate_report()}"

        page.goto(url)
        page.locator("main button").click()
        page.wait_for_url("**/work")
        check()  # instructions
        page.locator("main form button").click()
        page.wait_for_selector("fieldset")
        check()  # practice
        answer_with_pointer(page)
        page.wait_for_selector(".right, .wrong")
        check()  # what was right
        page.locator("main a.button").click()
        page.wait_for_selector("fieldset")
        check()  # the test
        answer_with_pointer(page)
        page.wait_for_url("**/work")
        other = page.context.new_page()
        other.goto(url + "/work")
        answer_with_pointer(other)
        other.wait_for_url("**/work?saved=*")
        page.locator("label.option").first.click()
        page.locator("main form button:not([type=button])").click()
        page.wait_for_selector("table")
        check()  # another answer is stored
        assert len(set(headings)) >= 4, headings
        page.context.close()


@pytest.mark.parametrize("form", QUESTIONNAIRES)
def test_five_requests_and_60_kilobytes(browser: Any, tmp_path: Path, form: str) -> None:
    with running(protocol_of(tmp_path, form, "[pages]\nunits = 8\njudgments = 1\n")) as (_, url):
        page = watched(browser)
        page.goto(url)
        page.locator("main button").click()
        page.wait_for_url("**/work")
        fresh = watched(browser, storage_state=page.context.storage_state())
        fresh.goto(f"{url}/work", wait_until="networkidle")
        assert len(fresh.asked) <= 5
        assert sum(len(response.body()) for response in fresh.asked) < 60_000
        page.context.close()
        fresh.context.close()


def test_a_draft_is_kept_until_the_receipt(browser: Any, tmp_path: Path) -> None:
    with running(protocol_of(tmp_path, "speaker", ONE_PAGE.replace("most = 1", "most = 2"))) as (_, url):
        page = watched(browser)
        page.goto(url)
        page.locator("main button").click()
        page.wait_for_url("**/work")
        first = page.locator("input[type=text]").first
        first.fill("half a thought")
        page.reload()
        assert first.input_value() == "half a thought" and page.locator(".restored").is_visible()
        answer_with_pointer(page)
        page.wait_for_url("**/work?saved=*")
        assert page.evaluate("Object.keys(localStorage).length") == 0
        assert first.input_value() == ""


def test_copies_are_pointed_out_while_writing(browser: Any, tmp_path: Path) -> None:
    with running(protocol_of(tmp_path, "writing", ONE_PAGE)) as (_, url):
        page = watched(browser)
        page.goto(url)
        page.locator("main button").click()
        areas, notes = page.locator("textarea"), page.locator(".live")
        areas.nth(0).fill("Once upon a time.")
        areas.nth(1).fill("once upon  a TIME!")
        assert notes.nth(1).inner_text() == "This repeats another of your texts."
        areas.nth(1).fill("Never.")
        assert notes.nth(1).inner_text() == ""


def test_spans_count_characters_and_may_overlap(browser: Any, tmp_path: Path) -> None:
    text = "😀𝕬 e\u0301\r\n<b>&amp;</b> שלום end"
    rows = [{"id": "t", "item": "i", "text": text}]
    with running(protocol_of(tmp_path, "spans", ONE_PAGE, rows)) as (service, url):
        page = watched(browser)
        page.goto(url)
        page.locator("main button").click()
        page.wait_for_url("**/work")
        for start, end in ((0, 1), (1, 9), (5, len(text))):
            page.locator(".marked").evaluate(
                """(box, [start, end]) => { const units = n => [...box.textContent].slice(0, n).join("").length;
                const range = document.createRange(); range.setStart(box.firstChild, units(start));
                range.setEnd(box.firstChild, units(end)); getSelection().removeAllRanges();
                getSelection().addRange(range) }""",
                [start, end],
            )
            page.wait_for_function("() => getSelection().toString().length > 0")
            page.locator(".add").click()
        assert page.locator(".found li").count() == 3
        page.locator(".found button").nth(1).click()
        page.locator("main form button:not([type=button])").click()
        page.wait_for_url("**/work?saved=*")
        (stored,) = service.judgments()
        assert stored.columns["spans"] == f'[[0, 1, "accuracy", "minor"], [5, {len(text)}, "accuracy", "minor"]]'


def test_hostile_texts_in_the_page_are_the_stored_ones(browser: Any, tmp_path: Path) -> None:
    from tests.annotate.test_web import hostile_texts

    texts = hostile_texts()
    rows = [{"id": f"t{n}", "item": f"i{n}", "text": text} for n, text in enumerate(texts)]
    protocol = protocol_of(tmp_path, "typicality", "[pages]\nunits = 500\njudgments = 1\n", rows)
    shown: dict[str, str] = {}
    with running(protocol) as (service, url):
        for place in range(1, 5):
            page = watched(browser)
            page.goto(url)
            page.locator("main button").click(no_wait_after=True)
            page.wait_for_url("**/work", wait_until="domcontentloaded", timeout=120_000)
            seen = page.evaluate(
                """() => [...document.querySelectorAll(".unit .text")].map(box => [...box.childNodes].map(
                node => node.nodeType === 3 ? node.data : node.className === "nul" ? "\\0" : "?!").join(""))"""
            )
            given = service.next_page(f"a{place}")
            shown |= {one.unit.id: text for one, text in zip(given.assignments, seen, strict=True)}
            assert page.complaints == [] and page.locator("main script, main img, main style").count() == 0
            page.context.close()
    assert shown == {f"t{n}": text for n, text in enumerate(texts)}
