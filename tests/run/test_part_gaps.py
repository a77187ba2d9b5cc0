"""Data in parts: what some parts lack, and others have, is a gap there, as it is in all the data at once."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import assay
from assay import registry
from assay.errors import AssayError, DataError, EvaluatorError
from assay.io.parts import DataParts
from assay.run.learning import Learning
from assay.run.part_plan import make_plan
from assay.run.parts import score_parts
from tests.contracts.worlds import example
from tests.run.parts import assert_equal, rows, write_parts
from tests.run.test_cluster_contract import NEURAL

FIELDS = {
    "references": {"references"},
    "context": {"context"},
    "choices": {"choices", "target"},
    "logprobs": {"logprobs"},
    "judgments": {"judgments"},
    "columns": {"quality", "params", "set_columns"},
}
SOME = ["perplexity", "perplexity(under='a')", "huse(k=3)", "huse_q(k=3)", "huse_d(k=3)", "human_listener", "length"]


def without(*lacking: str, late: bool) -> list[dict[str, Any]]:
    """The ordinary rows, of which the first or the second half of the items lacks some fields."""
    keys = set[str]().union(*(FIELDS[field] for field in lacking))
    return [
        {key: value for key, value in row.items() if key not in keys or (row["item"] < "i3") == late} for row in rows()
    ]


def scored_alike(told: Sequence[dict[str, Any]], asked: Sequence[str], folder: Path, **how: Any) -> None:
    """Parts of whole items give what all the data at once gives."""
    folder.mkdir(exist_ok=True)
    parts = write_parts(folder / "parts", told, 6)
    assert_equal(assay.score(assay.load(parts), asked, **how), score_parts(parts, asked, folder / "scores", **how))


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("unit", ["output", "system"])
@pytest.mark.parametrize("field", ["logprobs", "judgments"])
def test_of_log_probabilities_and_judgments(field: str, unit: str, late: bool, tmp_path: Path) -> None:
    asked = [one for one in SOME if unit == "system" or not one.startswith("huse")]
    scored_alike(without(field, late=late), asked, tmp_path, unit=unit)


def test_parts_that_have_nothing_in_common(tmp_path: Path) -> None:
    """No part has what both evaluators need, and all parts together do."""
    told = without("references", late=True)
    for row in told:
        if "references" in row:
            del row["logprobs"]
    parts = write_parts(tmp_path / "parts", told, 6)
    asked = ["bleu", "perplexity"]
    plan = make_plan(DataParts.find(parts), asked, None, Learning())
    assert [part.name for part in plan.first.parts] == ["part-000", "part-003"]
    assert_equal(assay.score(assay.load(parts), asked), score_parts(parts, asked, tmp_path / "scores"))


def test_a_system_that_no_part_has_is_refused(tmp_path: Path) -> None:
    parts = write_parts(tmp_path / "parts", rows(), 12)
    with pytest.raises(EvaluatorError, match=r"no system 'aa'\. Did you mean 'a'"):
        score_parts(parts, ["perplexity(under='aa')"], tmp_path / "scores")
    with pytest.raises(EvaluatorError, match="no system 'aa'"):
        assay.score(assay.load(parts), ["perplexity(under='aa')"])


def test_pools_lose_no_references(tmp_path: Path) -> None:
    """Texts without neighbors say nothing of references in other parts; neither do items that have none at all."""
    same = [{**row, "text": "one text"} for row in without("references", late=False)]
    parts = write_parts(tmp_path / "parts", same, 7)
    scored = score_parts(parts, ["bleu(references=nearest(2, among='all'))", "bleu"], tmp_path / "scores")
    assert not [note for note in scored.systems.notes if "references" in note]


@pytest.mark.parametrize("asked", ["human('typicality')", "neighbors(criterion='typicality')"])
def test_a_bad_line_is_named_with_its_file_where_all_parts_are_read_together(asked: str, tmp_path: Path) -> None:
    parts = write_parts(tmp_path / "parts", rows(), 12)
    bad = parts / "part-001.jsonl"
    bad.write_text(bad.read_text().replace('"annotator": "w0"', '"annotator": ["w0"]', 1))
    with pytest.raises(DataError, match=r"^part-001\.jsonl line 1: "):
        score_parts(parts, [asked], tmp_path / "scores")


@pytest.mark.slow
@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("unit", [None, "system"])
@pytest.mark.parametrize("field", FIELDS)
def test_of_every_evaluator(field: str, unit: str | None, late: bool, tmp_path: Path) -> None:
    """Those that the data allows without that field in half of its items."""
    told, n = without(field, late=late), 0
    for name in registry.BUILTIN:
        if name not in NEURAL and _is_allowed(told, example(name), unit):
            scored_alike(told, [example(name)], tmp_path / name, unit=unit)
            n += 1
    assert n > 30


def _is_allowed(told: Sequence[dict[str, Any]], asked: str, unit: str | None) -> bool:
    try:
        assay.score(assay.Dataset.from_records(told), [asked], unit=unit)
    except AssayError:
        return False
    return True
