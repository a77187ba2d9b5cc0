"""The report in a real browser, offline: no request leaves it, and what should move moves."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.part.html import MOST_PRINTED
from tests.contracts.worlds import records

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NASTY = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the package playwright")
    if CHROMIUM is None:
        # Continuous integration installs a browser and says so: there a missing one is a failure.
        (pytest.fail if os.environ.get("ASSAY_BROWSER") == "required" else pytest.skip)("no chromium is installed")
    with playwright.sync_playwright() as engine:
        opened = engine.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
        )
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of data with a nasty text and a nasty system."""
    folder = tmp_path_factory.mktemp("study")
    rows = records()
    for row in rows:
        row["system"] = NASTY if row["system"] == "b" else row["system"]
        row["logprobs"] = {NASTY if name == "b" else name: value for name, value in row["logprobs"].items()}
    rows[3]["text"] = NASTY
    (folder / "outputs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for command in (["init", "outputs.jsonl"], ["run", "study.toml"]):
        done = subprocess.run([sys.executable, "-m", "assay", *command], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        if command[0] == "init":
            (folder / "study.toml").write_text(done.stdout)
    return folder / "out" / "report.html"


@pytest.fixture
def page(browser: Any, report: Path) -> Iterator[Any]:
    context = browser.new_context(offline=True, viewport={"width": 1200, "height": 900})
    opened = context.new_page()
    opened.requests, opened.complaints = [], []
    opened.on("request", lambda request: opened.requests.append(request.url))
    opened.on("console", lambda message: opened.complaints.append(message.text))
    opened.on("pageerror", lambda error: opened.complaints.append(str(error)))
    opened.on("dialog", lambda dialog: opened.complaints.append(f"dialog: {dialog.message}"))
    opened.goto(report.as_uri())
    yield opened
    context.close()


def test_no_request_leaves_the_page_and_nothing_complains(page: Any, report: Path) -> None:
    page.wait_for_timeout(200)
    assert page.requests == [report.as_uri()]
    assert page.complaints == []


def test_user_texts_are_shown_as_texts(page: Any) -> None:
    assert page.locator("script").count() == 1
    assert page.locator("td", has_text=NASTY).count() > 0


def test_every_id_is_there_once(page: Any) -> None:
    ids = page.locator("[id]").evaluate_all("all => all.map(element => element.id)")
    assert len(ids) == len(set(ids))


def test_figures_are_drawn(page: Any) -> None:
    assert page.locator("figure svg").count() > 0
    for figure in page.locator("figure svg").all():
        box = figure.bounding_box()
        assert box is None or (box["width"] > 200 and box["height"] > 100)


def test_a_click_on_a_header_sorts_and_says_so(page: Any) -> None:
    table = page.locator("#table-scores table")
    names = [text.removesuffix("\u00a0↕") for text in table.locator("thead th").all_inner_texts()]
    column = names.index("bleu")
    header = table.locator("th").nth(column)
    for direction in ("ascending", "descending"):
        header.locator("button").click()
        cells = table.locator(f"tbody tr td:nth-child({column + 1})").all_inner_texts()
        values = [float(cell) for cell in cells if cell != "–"]
        assert values == sorted(values, reverse=direction == "descending")
        assert header.get_attribute("aria-sort") == direction
    table.locator("th button").first.click()
    assert header.get_attribute("aria-sort") is None


def test_a_search_hides_the_other_rows_and_counts_them(page: Any) -> None:
    table = page.locator("#table-huse_failures")
    rows, count = table.locator("tbody tr"), table.locator(".count")
    n = rows.count()
    assert count.inner_text() == f"{n} rows"
    word = rows.first.locator("td").nth(1).inner_text()
    table.locator("input").fill(word)
    visible = [row.inner_text() for row in rows.all() if row.is_visible()]
    assert 0 < len(visible) < n and all(word in text for text in visible)
    assert count.inner_text() == f"{len(visible)} of {n} rows match"
    table.locator("input").fill("no such words anywhere")
    assert count.inner_text() == f"0 of {n} rows match"
    table.locator("input").fill("")
    assert count.inner_text() == f"{n} rows"


def test_a_long_table_scrolls_in_its_box_under_its_header(page: Any) -> None:
    box = page.locator("#table-huse_failures .box")
    assert box.evaluate("box => box.scrollHeight > box.clientHeight && box.clientHeight < 600")
    box.evaluate("box => box.scrollTop = box.scrollHeight")
    below = box.evaluate("box => box.querySelector('th').getBoundingClientRect().top - box.getBoundingClientRect().top")
    assert 0 <= below <= 2


def centre(page: Any, mark: Any) -> tuple[float, float]:
    mark.evaluate("mark => mark.scrollIntoView({block: 'center', inline: 'center'})")
    box = mark.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_hovering_over_a_mark_tells_what_it_is_until_the_pointer_leaves(page: Any) -> None:
    mark, note = page.locator("#huse .drawing:not(.on-phone) circle[data-note]").last, page.locator("#note")
    page.mouse.move(*centre(page, mark))
    assert note.inner_text() != ""
    page.mouse.move(1, 1)
    assert note.is_hidden()


def test_a_click_pins_the_note_until_escape(page: Any) -> None:
    mark, note = page.locator("#huse .drawing:not(.on-phone) circle[data-note]").last, page.locator("#note")
    page.mouse.click(*centre(page, mark))
    page.mouse.move(1, 1)
    assert note.locator("span").inner_text() == mark.get_attribute("data-note")
    page.keyboard.press("Escape")
    assert note.is_hidden()
    page.mouse.click(*centre(page, mark))
    note.locator("button").click()
    assert note.is_hidden()


def test_a_tap_beside_a_mark_means_the_nearest(page: Any) -> None:
    mark, note = page.locator("#generators figure").last.locator(".on-page [data-note]").first, page.locator("#note")
    x, y = centre(page, mark)
    page.mouse.click(x, y - 10)
    assert note.locator("span").inner_text() == mark.get_attribute("data-note")
    page.locator("#generators h2").click()
    assert note.is_hidden()


def test_arrow_keys_read_the_marks_of_a_figure(page: Any) -> None:
    drawing, note = page.locator("#generators .drawing").first, page.locator("#note")
    drawing.focus()
    told = []
    for _ in range(drawing.locator("[data-note]").count()):
        page.keyboard.press("ArrowRight")
        told.append(note.locator("span").inner_text())
    assert sorted(told) == sorted(mark.get_attribute("data-note") for mark in drawing.locator("[data-note]").all())
    page.keyboard.press("Escape")
    assert note.is_hidden()


def test_methods_are_copied_or_at_least_selected(page: Any) -> None:
    block = page.locator(".paste").last
    text = block.locator("pre").inner_text()
    assert text.startswith("@inproceedings{")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    block.locator(".copy").click()
    page.wait_for_function("document.querySelector('.paste:last-child .copy').textContent === 'Copied'")
    assert page.evaluate("navigator.clipboard.readText()") == text
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('denied')) }")
    block.locator(".copy").click()
    page.wait_for_function("document.querySelector('.paste:last-child .copy').textContent.startsWith('Selected')")
    assert page.evaluate("getSelection().toString()").strip() == text.strip()


def test_on_paper_tables_are_short_and_say_so_and_paper_is_white(page: Any) -> None:
    page.emulate_media(media="print", color_scheme="dark")
    table = page.locator("#table-huse_failures")
    assert sum(row.is_visible() for row in table.locator("tbody tr").all()) == MOST_PRINTED
    assert "tables/huse_failures.csv has all" in table.locator(".on-paper").inner_text()
    assert table.locator(".box").evaluate("box => box.scrollHeight <= box.clientHeight")
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"


def test_without_scripts_everything_is_there_but_no_dead_controls(browser: Any, report: Path) -> None:
    context = browser.new_context(offline=True, java_script_enabled=False)
    opened = context.new_page()
    opened.goto(report.as_uri())
    assert opened.locator("#table-huse_failures tbody tr").last.is_visible()
    assert not any(control.is_visible() for control in opened.locator("input, .copy, #theme, #note").all())
    context.close()


def test_figures_stand_side_by_side_or_on_a_phone_one_below_another(page: Any) -> None:
    figures = page.locator("#generators figure")
    first, second = (figures.nth(at).bounding_box() for at in (0, 1))
    assert first["y"] == second["y"] and first["x"] + first["width"] <= second["x"]
    page.set_viewport_size({"width": 360, "height": 740})
    first, second = (figures.nth(at).bounding_box() for at in (0, 1))
    assert first["x"] == second["x"] and first["y"] + first["height"] <= second["y"]


@pytest.mark.parametrize("width", [1200, 360])
def test_the_text_of_figures_can_be_read(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    sizes = page.locator("figure svg").evaluate_all(
        "all => all.filter(svg => svg.getBoundingClientRect().width)"
        ".map(svg => 12 * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)"
    )
    assert sizes and min(sizes) >= 10


def test_the_questions_fit_on_the_first_screen(page: Any) -> None:
    # All five, whatever the number of steps; the last answers may go on below.
    headings = page.locator("#answers h2")
    assert headings.count() == 5
    assert max(headings.nth(place).bounding_box()["y"] for place in range(5)) < 800
    assert page.locator("#question-best li").first.evaluate("line => parseFloat(getComputedStyle(line).fontSize)") > 20


def test_nothing_is_wider_than_a_phone(page: Any) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_dark_is_a_button_away(page: Any) -> None:
    before = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.locator("#theme").click()
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") != before
