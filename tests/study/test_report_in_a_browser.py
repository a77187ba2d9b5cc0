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


def test_figures_are_drawn(page: Any) -> None:
    figures = page.locator("figure svg")
    assert figures.count() > 0
    for number in range(figures.count()):
        box = figures.nth(number).bounding_box()
        assert box["width"] > 200 and box["height"] > 100


def test_a_click_on_a_header_sorts(page: Any) -> None:
    table = page.locator("#table-scores table")
    column = table.locator("thead th").all_inner_texts().index("bleu")
    for direction in (1, -1):
        table.locator("th button").nth(column).click()
        cells = table.locator(f"tbody tr td:nth-child({column + 1})").all_inner_texts()
        values = [float(cell) for cell in cells if cell != "–"]
        assert values == sorted(values, reverse=direction < 0)


def test_a_search_hides_the_other_rows(page: Any) -> None:
    search = page.locator(".table input").first
    rows = page.locator(".table", has=page.locator("input")).first.locator("tbody tr")
    word = rows.first.locator("td").first.inner_text()
    search.fill(word)
    visible = [row.inner_text() for row in rows.all() if row.is_visible()]
    assert visible and all(word in text for text in visible)
    search.fill("no such words anywhere")
    assert not any(row.is_visible() for row in rows.all())


def test_hovering_over_a_mark_tells_what_it_is(page: Any) -> None:
    mark = page.locator("[data-hit]").last
    mark.evaluate("mark => mark.scrollIntoView({block: 'center'})")
    box = mark.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert page.locator("#tip").inner_text() != ""


def test_nothing_is_wider_than_a_phone(page: Any) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_dark_is_a_button_away(page: Any) -> None:
    before = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.locator("#theme").click()
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") != before
