"""Parts that cannot be scored, or not alone: plain words, and the others are scored."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import assay
from assay.cli import cli
from assay.errors import AssayError, DataError, EvaluatorError
from assay.evaluator import Shape, evaluator, per_unit
from assay.run.parts import score_parts
from tests.run.parts import assert_equal, rows, write_parts


class TestBadParts:
    def test_one_that_cannot_be_read_is_named_and_the_others_are_scored(self, tmp_path: Path) -> None:
        parts = write_parts(tmp_path / "parts", rows(), 12)
        (parts / "part-001.jsonl").write_text('{"id": "x", "system": "s", "text": "broken\n')
        command = ["score", str(parts), "-e", "length", "-o", str(tmp_path / "scores")]
        done = CliRunner().invoke(cli, command)
        assert isinstance(done.exception, AssayError)
        assert "1 part could not be scored" in str(done.exception) and "part-001.jsonl line 1" in str(done.exception)
        assert sorted(file.name for file in (tmp_path / "scores").glob("*.parquet")) == [
            "part-000.parquet", "part-002.parquet",
        ]  # fmt: skip
        assert "scored 2 parts, kept 0" in done.stderr

    def test_duplicate_ids_across_parts(self, tmp_path: Path) -> None:
        twice = rows()
        twice[30]["id"] = twice[0]["id"]
        parts = write_parts(tmp_path / "parts", twice, 12)
        with pytest.raises(DataError, match=r"the id 'o0' is in part-000\.jsonl and part-002\.jsonl"):
            score_parts(parts, ["length"], tmp_path / "scores")
        assert not (tmp_path / "scores").exists()

    def test_other_columns(self, tmp_path: Path) -> None:
        assay.partition(assay.Dataset.from_records(rows()), tmp_path / "parts", rows=12)
        bare = [{"id": "z", "system": "s", "text": "t", "more": "x"}]
        assay.save(assay.Dataset.from_records(bare), tmp_path / "parts" / "part-00009.parquet")
        with pytest.raises(DataError, match=r"part-00009\.parquet has 'more', and part-00000\.parquet has not"):
            score_parts(tmp_path / "parts", ["length"], tmp_path / "scores")

    @pytest.mark.parametrize("name", ["id", "system"])
    def test_every_line_names_its_output_and_system(self, name: str, tmp_path: Path) -> None:
        unnamed = [{key: value for key, value in row.items() if key != name} for row in rows()]
        with pytest.raises(DataError, match=f"no column {name}"):
            score_parts(write_parts(tmp_path / "parts", unnamed, 36), ["length"], tmp_path / "scores")
        some = rows()
        some[3][name] = None
        with pytest.raises(DataError, match=f"part-000.jsonl row 4: no {name}"):
            score_parts(write_parts(tmp_path / "some", some, 36), ["length"], tmp_path / "scores")

    def test_a_set_that_spans_parts(self, tmp_path: Path) -> None:
        parts = write_parts(tmp_path / "parts", rows(), 7)
        with pytest.raises(DataError, match=r"outputs of one set are in .*assay partition"):
            score_parts(parts, ["distinct"], tmp_path / "scores")

    @pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
    def test_marked_references_in_another_part(self, ending: str, tmp_path: Path) -> None:
        marked = [
            {"id": f"{system}{item}", "item": item, "system": system, "text": f"a {system} text", "is_reference": mark}
            for item in "12"
            for system, mark in (("people", True), ("a", False), ("b", False))
        ]
        for number in range(2):
            some = assay.Dataset.from_records(marked[number * 4 : number * 4 + 4])
            (tmp_path / "parts").mkdir(exist_ok=True)
            assay.save(some, tmp_path / "parts" / f"part-{number}{ending}")
        with pytest.raises(DataError, match=r"outputs of one item are in .*is_reference.*assay partition"):
            score_parts(tmp_path / "parts", ["bleu"], tmp_path / "scores", unit="output")
        score_parts(tmp_path / "parts", ["length"], tmp_path / "lengths", unit="output")
        whole = assay.Dataset.from_records(marked)
        assay.partition(whole, tmp_path / "together", rows=3, ending=ending)
        scored = score_parts(tmp_path / "together", ["bleu"], tmp_path / "scores", unit="output")
        assert_equal(assay.score(whole, ["bleu"], unit="output"), scored)

    def test_references_that_stand_in_another_part_are_missed_aloud(self, tmp_path: Path) -> None:
        once = [
            {"id": f"{system}{item}", "item": item, "system": system, "text": "a b c d"}
            | ({"references": ["a b c d"]} if system == "a" else {})
            for item in "123"
            for system in "ab"
        ]
        scored = score_parts(write_parts(tmp_path / "parts", once, 3), ["bleu"], tmp_path / "scores", unit="output")
        said = "bleu: 1 units have no references in their part"
        assert [note for note in scored.systems.notes if said in note]
        whole = score_parts(tmp_path / "parts", ["bleu"], tmp_path / "systems", unit="system")
        assert [note for note in whole.systems.notes if said in note]

    def test_other_references_in_another_part_are_refused(self, tmp_path: Path) -> None:
        own = [
            {"id": f"{system}{item}", "item": f"i{item}", "system": system, "text": "a b", "references": ["a", "b"]}
            for item in range(4)
            for system in "ab"
        ]
        parts = write_parts(tmp_path / "parts", own, 3)
        assert score_parts(parts, ["bleu"], tmp_path / "equal").n_scored == 3
        own[3] = {**own[3], "references": ["b", "a"]}
        parts = write_parts(tmp_path / "others", own, 3)
        with pytest.raises(DataError, match=r"item 'i1' has other references in part-001\.jsonl than in part-000"):
            score_parts(parts, ["bleu"], tmp_path / "scores")
        assert not (tmp_path / "scores").exists()
        assert score_parts(parts, ["length"], tmp_path / "scores").n_scored == 3

    @pytest.mark.parametrize("field", ["context", "choices"])
    def test_what_is_read_of_an_item_must_be_in_every_part_of_it(self, field: str, tmp_path: Path) -> None:
        said = {"context": "What is it?", "choices": ["a", "b"]}
        once = [
            {"id": f"{system}{item}", "item": item, "system": system, "text": "a b"}
            | ({field: said[field]} if system == "a" else {})
            for item in "123"
            for system in "ab"
        ]
        parts = write_parts(tmp_path / "parts", once, 3)
        asked = evaluator()(_of_anything)()
        with pytest.raises(DataError, match=rf"item '2' has other {field} in part-001.jsonl than in part-000"):
            score_parts(parts, [asked], tmp_path / "refused", unit="output")
        scored = score_parts(parts, ["length"], tmp_path / "scores", unit="output")
        assert_equal(assay.score(assay.load(parts), ["length"], unit="output"), scored)
        together = write_parts(tmp_path / "together", once, 2)
        scored = score_parts(together, [asked], tmp_path / "all", unit="output")
        assert_equal(assay.score(assay.load(together), [asked], unit="output"), scored)

    def test_a_system_is_human_in_every_part_or_in_none(self, tmp_path: Path) -> None:
        once = [
            {"id": str(n), "system": "people", "text": "a b"} | ({"human": True} if n < 2 else {}) for n in range(4)
        ]
        score_parts(write_parts(tmp_path / "together", once, 4), ["length"], tmp_path / "whole")
        parts = write_parts(tmp_path / "parts", once, 2)
        with pytest.raises(DataError, match=r"'people' is human in part-000\.jsonl and not in part-001\.jsonl"):
            score_parts(parts, ["length"], tmp_path / "scores")

    def test_parts_that_disagree_in_themselves_are_failures(self, tmp_path: Path) -> None:
        for part in "abc":
            lines = [
                {
                    "id": f"{part}{n}",
                    "item": "y" if part == "c" else "x",
                    "system": "s",
                    "text": "t u",
                    "references": [ref],
                }
                for n, ref in enumerate("kk" if part == "c" else "rq")
            ]
            (tmp_path / "data").mkdir(exist_ok=True)
            (tmp_path / "data" / f"{part}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        scored = score_parts(tmp_path / "data", ["bleu"], tmp_path / "scores")
        assert list(scored.failures) == ["a.jsonl", "b.jsonl"]

    def test_what_does_not_fit_one_process_is_refused_first(self, tmp_path: Path) -> None:
        parts = write_parts(tmp_path / "parts", rows(), 12)
        with pytest.raises(EvaluatorError, match=r"nb: it is fitted on the other outputs.*\n.*36 outputs"):
            score_parts(parts, ["nb", "length"], tmp_path / "scores", gather=1000)
        assert not (tmp_path / "scores").exists()

    @pytest.mark.parametrize("name", ["nothing", "empty", "mixed"])
    def test_no_parts(self, name: str, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        write_parts(tmp_path / "mixed", rows(), 36)
        (tmp_path / "mixed" / "notes.txt").write_text("x")
        with pytest.raises(DataError, match=r"no such file|no parts"):
            score_parts(tmp_path / name, ["length"], tmp_path / "scores")


def test_an_empty_file_says_so(tmp_path: Path) -> None:
    parts = write_parts(tmp_path / "parts", rows(), 18)
    (parts / "part-001.jsonl").write_text("")
    scored = score_parts(parts, ["length"], tmp_path / "scores")
    assert scored.n_scored == 1
    assert scored.failures == {"part-001.jsonl": "part-001.jsonl: no outputs. Remove the file, or give it a line."}


def _of_anything() -> Shape:
    """It does not say what it reads."""
    return per_unit(lambda output: float(len(output.item.context) + len(output.item.choices)))
