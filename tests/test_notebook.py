"""The notebook in docs/ runs, and what its cells show fits a page."""

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.sample import copy_to
from tests.browsers import offline_browser

NOTEBOOK = Path(__file__).parent.parent / "docs" / "notebook.ipynb"


def cells() -> Iterator[str]:
    content = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert content["nbformat"] == 4
    yield from ("".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "code")


def shown(code: str, namespace: dict[str, Any]) -> Any:
    """Run a cell as a kernel does: the value of its last expression is what it shows."""
    *body, last = ast.parse(code).body
    exec(compile(ast.Module(body, []), "cell", "exec"), namespace)
    if not isinstance(last, ast.Expr):
        exec(compile(ast.Module([last], []), "cell", "exec"), namespace)
        return None
    return eval(compile(ast.Expression(last.value), "cell", "eval"), namespace)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The notebook as a page: the HTML of every cell."""
    folder = tmp_path_factory.mktemp("notebook")
    copy_to(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        namespace: dict[str, Any] = {"__name__": "__main__"}
        blocks = [_block(value) for code in cells() if (value := shown(code, namespace)) is not None]
    assert len(blocks) >= 6 and all("<table" in block or "<svg" in block for block in blocks)
    file = folder / "notebook.html"
    file.write_text(f"<!doctype html><meta charset=utf-8><body>{''.join(blocks)}</body>", encoding="utf-8")
    return file


def _block(value: Any) -> str:
    """The HTML of a value; a notebook scrolls what pandas shows, ours must fit by itself."""
    html: str = value._repr_html_()
    return html if type(value).__module__.startswith("assay") else f'<div style="overflow-x: auto">{html}</div>'


def test_the_first_lines_are_few() -> None:
    first = [line for code in list(cells())[:4] for line in code.splitlines() if line.strip()]
    assert len(first) <= 10  # with the two imports: load, score, compare, plot


@pytest.mark.parametrize("width", [390, 1280])
def test_it_fits_the_page(page: Path, width: int) -> None:
    with offline_browser() as browser:
        tab = browser.new_page(viewport={"width": width, "height": 900})
        tab.goto(page.as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        text = tab.inner_text("body")
        assert "b'" not in text and "<numpy" not in text and "object at 0x" not in text
        assert tab.locator("svg").count() >= 1
