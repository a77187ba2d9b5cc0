"""How a study stands: the tables add up, and live agreement and scores are those of the data."""

from pathlib import Path

import numpy as np

import assay
from assay.annotate.methods import codebook, methods_paragraph
from assay.annotate.overview import overview
from assay.annotate.protocol_file import parse_protocol
from assay.annotate.records import JudgmentRow
from assay.annotate.service import Page, Rules, Service
from tests.annotate.studies import SYSTEMS, enrolled, study

N_ITEMS = 24
RULES = Rules(judgments_per_unit=3, page_size=8, checks_per_page=1, price_per_page=0.5, currency="EUR")


def judged(service: Service) -> assay.Dataset:
    """The data of the study with its judgments, as an export writes it."""
    records = {f"o{item}{system}": {"id": f"o{item}{system}", "item": f"i{item}", "system": system, "text": "x"}
               for item in range(N_ITEMS) for system in SYSTEMS}  # fmt: skip
    for one in service.judgments():
        given = {"annotator": one.annotator, "criterion": one.criterion, "value": one.value}
        records[one.unit].setdefault("judgments", []).append(given)  # type: ignore[attr-defined]
    return assay.Dataset.from_records(list(records.values()))


def answer_pages(service: Service, annotator: str, rng: np.random.Generator, most: int, *, passes: bool = True) -> None:
    for _ in range(most):
        page = service.next_page(annotator)
        if not isinstance(page, Page):
            return
        rows = {
            one.id: [
                JudgmentRow("output", one.unit.id, "quality", float(SYSTEMS.index(one.unit.stratum) + rng.integers(3)))
            ]
            for one in page.assignments
            if one.unit.gold is None
        }
        checks = {one.unit.id: passes for one in page.assignments if one.unit.gold is not None}
        service.submit(annotator, page.nonce, {"n": len(rows)}, rows, checks, 8_000)


def test_a_study_at_work(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    with study(tmp_path / "study.sqlite", RULES, N_ITEMS, checks=2) as service:
        empty = overview("Quality", service.progress(), service.judgments(), service.checks(), judged(service))
        assert empty.summary.startswith("0 of 216 answers are in.") and not empty.notes
        for number in range(5):
            answer_pages(service, enrolled(service), rng, 4, passes=number > 0)
        data, judgments, progress = judged(service), list(service.judgments()), service.progress()
        part = overview("Quality", progress, judgments, service.checks(), data)
    assert part.summary.startswith("160 of 216 answers are in. 10.00 EUR are spent, about 3.50 are to come.")
    assert "Look at the answers of a1." in part.summary
    rows = {row[0]: row for row in part.table("progress").rows}
    assert sum(row[3] for row in rows.values()) == 160 and all(row[2] == 72 for row in rows.values())
    units = part.table("units").rows
    assert len(units) == 72 and units[0][2] == min(row[2] for row in units)
    worker = part.table("annotators at work").rows[0]
    assert worker[0] == "a1" and worker[4] == "0 of 2" and worker[3] == 1.0
    assert part.table("agreement") == assay.agree(data).table("agreement")
    assert part.table("ranking") == assay.compare(data, ["human(criterion='quality')"]).table("ranking")


def test_the_methods_paragraph_and_the_codebook(tmp_path: Path) -> None:
    data = tmp_path / "outputs.jsonl"
    data.write_text('{"id": "o0a", "text": "x", "context": "y"}\n')
    protocol = parse_protocol(f'form = "typicality"\ndata = "{data}"\n[payment]\nper_page = 0.5\n', tmp_path / "p.toml")
    with study(tmp_path / "study.sqlite", RULES, 2, checks=1) as service:
        answer_pages(service, enrolled(service), np.random.default_rng(1), 9)
        judgments, progress, checks = list(service.judgments()), service.progress(), service.checks()
    text = methods_paragraph(protocol, progress, judgments, checks)
    assert text.startswith('1 annotator gave 6 judgments on 6 units (form "typicality", protocol ')
    assert "from 1970-01-01 to 1970-01-01" in text and "1 of 1 attention checks were passed" in text
    assert "paid 0.50" in text
    book = codebook(protocol, judgments)
    assert "- **quality**: Answers: " in book and "| probability |" in book
    assert "(0 to 5: 0 = not a valid text, 1 = very untypical, 3 =" in book and "Answers: none yet" in book
