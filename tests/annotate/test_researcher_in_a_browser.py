"""The researcher's page in a real browser: accessible, without sideways scrolling, light and dark, wide and narrow."""

import threading
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from assay.annotate.records import JudgmentRow
from assay.annotate.service import Page
from assay.annotate.serving import listening, study_of
from assay.annotate.store import store_of
from assay.annotate.web.app import application
from assay.annotate.web.researcher import Researcher
from tests.annotate.served import protocol_of
from tests.browsers import offline_browser


@pytest.mark.slow
def test_the_page_is_accessible_and_fits(tmp_path: Path) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs the package axe-playwright-python")
    rows = [
        {"id": f"{item}{system}", "item": f"i{item}", "context": "c", "system": system, "text": f"{system} of {item}"}
        for item in range(30)
        for system in ("people", "a model with a rather long name")
    ]
    protocol = protocol_of(tmp_path, "typicality", "[pages]\nunits = 10\njudgments = 3\n", rows)
    with listening("127.0.0.1", 0) as listener, study_of(protocol) as service:
        for annotator in range(4):
            name = service.enroll().annotator
            while isinstance(page := service.next_page(name), Page):
                judged = {
                    one.id: [JudgmentRow("output", one.unit.id, "typicality", float((one.id * 7 + annotator) % 6))]
                    for one in page.assignments
                }
                service.submit(name, page.nonce, {}, judged, {}, 9_000)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        researcher = Researcher(service, protocol, store_of(protocol.path), https=False)
        app = application(service, protocol, url, routes=researcher.routes())
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            with offline_browser() as browser:
                context = browser.new_context()
                page = context.new_page()
                said: list[str] = []
                page.on("console", lambda message: said.append(message.text))
                page.on("requestfailed", lambda request: said.append(request.url))
                asked: list[Any] = []
                page.on("response", lambda response: asked.append(response))
                page.goto(f"{url}/researcher/open/{researcher.key}")
                assert "180 of 180 answers are in." in page.inner_text("main")
                page.wait_for_load_state("networkidle")
                shown = [response for response in asked if response.status == 200]
                assert len(shown) <= 5 and sum(len(response.body()) for response in shown) < 60_000
                for width in (360, 1280):
                    for scheme in ("light", "dark"):
                        page.set_viewport_size({"width": width, "height": 900})
                        page.emulate_media(color_scheme=scheme)
                        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), (
                            width,
                            scheme,
                        )
                        result = axe.Axe().run(page)
                        assert result.violations_count == 0, result.generate_report()
                assert not said
                page.screenshot(path=tmp_path / "researcher.png", full_page=True)
        finally:
            server.should_exit = True
            thread.join(30)
