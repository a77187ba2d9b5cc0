"""The report on a phone and on a wide screen, light and dark: whole figures, labels apart, nothing scrolls aside."""

import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.sample import PATH
from tests.browsers import offline_browser

# What is wrong with the figures and tables that are visible, as sentences.
MEASURE = (Path(__file__).parent / "measure_report.js").read_text(encoding="utf-8")
WORDS = "the a small large river house red blue runs walks eats sees market door evening child bird train city".split()
STUDY = """data = "outputs.jsonl"
resamples = 100
[generators]
evaluators = ["human(criterion='overall')", "bleu"]
diversity = "bleu"
cost = "column('cost')"
[scores]
evaluators = ["human(criterion='overall')", "human(criterion='fluency')", "bleu", "ter", "length"]
[examples]
evaluators = ["human(criterion='overall')", "bleu"]
[meta]
targets = ["human(criterion='overall')"]
evaluators = ["human(criterion='fluency')", "human(criterion='relevance')", "bleu", "chrf", "rouge", "ter", "length"]
groupings = ["pooled", "item"]
[health]
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with offline_browser() as opened:
        yield opened


def run(folder: Path, *command: str) -> str:
    done = subprocess.run([sys.executable, "-m", "assay", *command], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of 16 systems, half of them with long names, 100 items with 11 references, and 4 criteria."""
    folder, rng = tmp_path_factory.mktemp("crowded"), random.Random(0)
    rows = []
    for item in range(100):
        references = [" ".join(rng.choices(WORDS, k=rng.randint(6, 14))) for _ in range(11)]
        for system in range(16):
            name = f"transformer-base-checkpoint-{system * 1000:06d}" if system % 2 else f"sys{system}"
            kept = 0.3 + 0.04 * system
            text = [word if rng.random() < kept else rng.choice(WORDS) for word in rng.choice(references).split()]
            judgments = [
                {
                    "annotator": f"a{annotator}",
                    "criterion": criterion,
                    "value": max(1, min(5, round(rng.gauss(2 + 0.15 * system, 1)))),
                }
                for criterion in ("overall", "fluency", "relevance", "coherence")
                for annotator in range(3)
            ]
            row = {"item": f"i{item}", "system": name, "text": " ".join(text), "references": references}
            rows.append(row | {"judgments": judgments, "cost": 0.01 * system + 0.001 * rng.random()})
    (folder / "outputs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "study.toml").write_text(STUDY)
    run(folder, "run", "study.toml")
    return folder / "out" / "report.html"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study that `assay init` proposes for the embedded sample."""
    folder = tmp_path_factory.mktemp("sample")
    (folder / "outputs.jsonl").write_bytes(PATH.read_bytes())
    (folder / "study.toml").write_text(run(folder, "init", "outputs.jsonl"))
    run(folder, "run", "study.toml")
    return folder / "out" / "report.html"


def complaints(browser: Any, report: Path, width: int, scheme: str) -> list[str]:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(report.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    found: list[str] = page.evaluate(MEASURE)
    page.close()
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_a_crowded_study_fits(browser: Any, crowded: Path, width: int, scheme: str) -> None:
    assert complaints(browser, crowded, width, scheme) == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_sample_fits(browser: Any, sample: Path, width: int, scheme: str) -> None:
    assert complaints(browser, sample, width, scheme) == []


def test_the_leaderboard_is_ranked_by_any_evaluator(browser: Any, crowded: Path) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(crowded.as_uri())
    table = page.locator("#table-scores")
    names = [name.strip().removesuffix("↕").strip() for name in table.locator("thead th").all_inner_texts()]
    options = table.locator(".rank-by option").all_inner_texts()
    assert options == ["human(criterion='overall')", "human(criterion='fluency')", "bleu", "ter"]
    for name, sign in (("ter", 1), ("bleu", -1)):
        table.locator(".rank-by select").select_option(label=name)
        cells = table.locator(f"tbody tr td:nth-child({names.index(name) + 1})").all_inner_texts()
        values = [sign * float(cell) for cell in cells]
        assert values == sorted(values)
        assert table.locator("tbody tr td:first-child").all_inner_texts() == [str(rank) for rank in range(1, 17)]
    page.close()


def test_quality_diversity_and_cost_are_drawn_two_at_a_time(crowded: Path) -> None:
    figures = {path.stem for path in (crowded.parent / "figures").glob("*.svg")}
    assert {"quality-diversity", "quality-cost", "diversity-cost"} <= figures


def test_an_example_opens_beside_the_other_answers(browser: Any, crowded: Path) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 900})
    page.goto(crowded.as_uri())
    example = page.locator("#examples .example").first
    assert not example.locator(".reply").first.is_visible()
    example.locator("summary").click()
    assert example.locator(".reply").count() == 16
    first = example.locator(".reply").first
    assert re.search(r"overall: \d, \d, \d", first.inner_text())
    whys = page.locator("#examples summary b").all_inner_texts()
    assert sorted(set(whys)) == ["best", "most disputed", "worst"]
    page.close()


def test_it_prints_to_a_pdf(browser: Any, crowded: Path) -> None:
    page = browser.new_page()
    page.goto(crowded.as_uri())
    pdf = page.pdf(format="A4")
    page.close()
    assert pdf.startswith(b"%PDF") and pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") >= 3
