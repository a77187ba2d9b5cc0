"""Data in parts for tests, and what must be equal however data is cut and wherever it is scored."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay import Part, ScoreTable, load_scores
from assay.run.parts import ScoredParts
from tests.contracts.worlds import records
from tests.io.test_score_tables import assert_same


def rows() -> list[dict[str, Any]]:
    """The ordinary world without judgments that compare, so that any output can be in any part."""
    found = records()
    for row in found:
        row["judgments"] = [one for one in row["judgments"] if "other" not in one]
    return found


def write_parts(folder: Path, rows: Sequence[Mapping[str, Any]], size: int) -> Path:
    """Write rows as JSON lines, `size` to a file."""
    folder.mkdir()
    for number, start in enumerate(range(0, len(rows), size)):
        lines = [json.dumps(row) + "\n" for row in rows[start : start + size]]
        (folder / f"part-{number:03d}.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder


def assert_equal(whole: ScoreTable, scored: ScoredParts) -> None:
    """The scores in parts are those of all data at once, of units and of systems, to the last bit."""
    assert not scored.failures
    stored = load_scores(scored.folder)
    # Reasons are listed by first appearance, in a part or in all data; which unit has which is in the codes.
    for name, column in whole.columns.items():
        assert [column.gaps[row] for row in range(len(whole))] == [stored[name].gaps[row] for row in range(len(whole))]
    stripped = replace(stored, columns={name: replace(stored[name], gaps=whole[name].gaps) for name in whole.columns})
    assert_same(replace(whole, notes=()), replace(stripped, notes=()))
    assert scored.systems.notes == whole.notes
    if whole.kind == "system":
        return
    systems = whole.by_system()
    assert scored.systems.unit == systems.unit
    for name, column in systems.columns.items():
        own = scored.systems[name]
        assert own.values.tobytes() == column.values.tobytes(), name
        assert (own.signature, own.higher_is_better) == (column.signature, column.higher_is_better)
        assert [own.gaps[row] for row in range(len(systems))] == [column.gaps[row] for row in range(len(systems))]


def assert_same_parts(found: Mapping[str, Part], expected: Mapping[str, Part]) -> None:
    """Analyses say the same, to the last digit that is written."""
    for name, part in expected.items():
        assert json.dumps(found[name].to_json()) == json.dumps(part.to_json()), name


def out_of_memory(*_: object) -> None:
    """In the place of a function that may not be called, or for which there is no room."""
    raise MemoryError
