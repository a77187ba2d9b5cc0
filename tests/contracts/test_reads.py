"""What is said to be read is all that is read: without the rest of the data there are the same scores and folds."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import assay
from assay import Dataset, registry
from assay.evaluator import Shape, evaluator, fitted
from assay.io.part_fields import EVERYTHING, Fields
from assay.io.parts import DataParts
from assay.references import References, given
from assay.registry import parse
from assay.run.folds import Folds
from assay.run.part_plan import fields_read
from tests.contracts.worlds import example, records, training


@cache
def world() -> Dataset:
    """With gaps, which decide scores too."""
    told = records()
    for number, row in enumerate(told):
        if number % 5 == 2:
            del row["logprobs"]
        if number % 7 == 3:
            row["judgments"] = [one for one in row["judgments"] if one["criterion"] != "typicality"]
        if number % 3:
            row["n_tokens"] = 1 + number % 4
    return Dataset.from_records(told)


SAYING = [name for name in registry.BUILTIN if fields_read([parse(example(name))], world()) != EVERYTHING]


GIVEN = given()


def without_the_rest(data: Dataset, read: Fields, folder: Path) -> Dataset:
    assay.partition(data, folder, rows=10_000)
    return DataParts.find(folder).load(read)


def test_many_say_what_they_read() -> None:
    assert {"nb", "neighbors", "huse", "mauve", "human", "column", "self_bleu", "distinct"} <= set(SAYING)


def test_what_is_needed_or_keeps_training_data_apart_is_read_too() -> None:
    def shape(*, references: References = GIVEN) -> Shape:
        return fitted(lambda batch, rng: {}, lambda model, batch: batch.rows, apart="context", reads=("logprobs",))

    own = evaluator(needs=("choices", "human"))(shape)()
    expected = {"text", "context", "references", "choices", "logprobs"}
    assert fields_read([own], world()) == expected
    assert fields_read([own, parse("nb")], world()) == expected


def test_functions_read_what_they_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    code = "def one(text): return 1\ndef two(text, context): return 2\ndef sets(texts, context): return 3\n"
    (tmp_path / "taking.py").write_text(code)
    for name, expected in (("one", {"text"}), ("two", EVERYTHING), ("sets", {"text", "context"})):
        assert fields_read([parse(f"taking:{name}")], world()) == expected


def test_of_pairs_no_references_are_read() -> None:
    assert fields_read([parse("reduce(bleu)")], world()) == {"text"}


@pytest.mark.parametrize("unit", [None, "system"])
@pytest.mark.parametrize("name", SAYING)
def test_scores_need_nothing_else(name: str, unit: str | None, tmp_path: Path) -> None:
    asked = example(name)
    read = fields_read([parse(asked)], world())
    data = without_the_rest(world(), read, tmp_path / "data")
    train = without_the_rest(training(), read, tmp_path / "train")
    expected = assay.score(world(), [asked], unit=unit, train=training())
    found = assay.score(data, [asked], unit=unit, train=train)
    assert found.unit == expected.unit and found.kind == expected.kind
    assert found[asked].values.tobytes() == expected[asked].values.tobytes()
    assert [found[asked].gaps[row] for row in range(len(found))] == [
        expected[asked].gaps[row] for row in range(len(expected))
    ]
    assert found[asked].higher_is_better == expected[asked].higher_is_better


@pytest.mark.parametrize("leave_out", ["item", "system", "annotator", "column:topic"])
def test_folds_need_nothing_else(leave_out: str, tmp_path: Path) -> None:
    data = Dataset.from_records(
        {
            "item": f"i{item}",
            "system": system,
            "human": system == "people",
            "text": f"{system} wrote about {item}",
            "topic": "ab"[item % 2],
            "references": ["Nobody reads this."],
            "judgments": [{"annotator": f"w{item % 3}", "criterion": "typicality", "value": item % 5}],
        }
        for item in range(8)
        for system in ("people", "x", "y")
    )
    folds = Folds(leave_out, 2)
    expected = folds.assign(data, seed=5)
    assert len(np.unique(expected)) == 2
    assert (folds.assign(without_the_rest(data, folds.reads, tmp_path / "data"), seed=5) == expected).all()
