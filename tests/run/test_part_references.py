"""Data in parts: references that stand in other parts are found, to the bits that all the data at once gives."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.errors import DataError, EvaluatorError
from assay.io.parts import DataPart
from assay.retrieval import nearest
from assay.run.parts import score_parts
from assay.text.strings import Strings
from tests.run.parts import assert_equal, rows, write_parts
from tests.tiny_models import tiny_encoder

SOME = "red green blue dark light bright pale deep".split()
OF_ANY_ITEM = [
    "bleu(references=nearest(k=2))",
    "chrf(references=nearest(k=3, among='all'))",
    "rouge(references=nearest(k=2, among=('a', 'b'), tokenizer='chars'))",
    "cider(references=nearest(k=2))",
    f"token_f1(references=nearest(k=2, by={str(tiny_encoder())!r}))",
]
OF_ITEMS = ["bleu(references=others())", "chrf(references=others(among='human'))", "cider(references=others())"]


def told() -> list[dict[str, Any]]:
    """The ordinary rows with texts of few words, so that many are as near as others."""
    return [
        {**row, "text": f"{SOME[n % 3]} and {SOME[n * 7 % 8]} or {SOME[n % 5]} {row['text']}"}
        for n, row in enumerate(rows())
    ]


@pytest.fixture(scope="module")
def whole() -> assay.Dataset:
    return assay.Dataset.from_records(told())


@given(st.lists(st.lists(st.sampled_from(SOME), max_size=4).map(" ".join), min_size=1, max_size=12), st.data())
def test_the_nearest_of_a_pool_do_not_depend_on_what_else_is_asked_for(texts: list[str], data: st.DataObject) -> None:
    choose = nearest(k=2, among="all").source.choose
    assert choose is not None
    pool = Strings.of(data.draw(st.lists(st.sampled_from(texts), min_size=1, max_size=8)))
    every = choose(Strings.of(texts), pool)
    start = data.draw(st.integers(0, len(texts) - 1))
    stop = data.draw(st.integers(start + 1, len(texts)))
    assert (choose(Strings.of(texts[start:stop]), pool) == every[start:stop]).all()


class TestTheSameBits:
    @pytest.mark.parametrize(("size", "engine"), [(1, "serial"), (7, "processes:2"), (10_000, "serial")])
    def test_of_references_of_any_item(self, whole: assay.Dataset, size: int, engine: str, tmp_path: Path) -> None:
        parts = write_parts(tmp_path / "parts", told(), size)
        scored = score_parts(parts, OF_ANY_ITEM, tmp_path / "scores", executor=engine)
        assert_equal(assay.score(whole, OF_ANY_ITEM), scored)

    @pytest.mark.parametrize("size", [6, 24])
    def test_of_other_outputs_of_the_item(self, whole: assay.Dataset, size: int, tmp_path: Path) -> None:
        parts = write_parts(tmp_path / "parts", told(), size)
        assert_equal(assay.score(whole, OF_ITEMS), score_parts(parts, OF_ITEMS, tmp_path / "scores", gather=0))

    def test_of_whole_systems(self, whole: assay.Dataset, tmp_path: Path) -> None:
        parts, asked = write_parts(tmp_path / "parts", told(), 6), [*OF_ANY_ITEM, *OF_ITEMS]
        expected = assay.score(whole, asked, unit="system")
        assert_equal(expected, score_parts(parts, asked, tmp_path / "scores", unit="system"))

    def test_people_in_one_part_only(self, tmp_path: Path) -> None:
        """A part without human texts takes its references from the part that has them."""
        sorted_rows = sorted(told(), key=lambda row: str(row["system"]) != "people")
        parts, asked = write_parts(tmp_path / "parts", sorted_rows, 12), ["bleu(references=nearest(k=2))"]
        expected = assay.score(assay.load(parts), asked)
        assert_equal(expected, score_parts(parts, asked, tmp_path / "scores"))


class TestRefusals:
    def test_an_item_that_spans_parts(self, tmp_path: Path) -> None:
        parts = write_parts(tmp_path / "parts", told(), 7)
        with pytest.raises(DataError, match=r"outputs of one item are in .*others\(.*assay partition"):
            score_parts(parts, ["bleu(references=others())"], tmp_path / "scores")
        assert not (tmp_path / "scores").exists()

    def test_a_pool_that_does_not_fit(self, tmp_path: Path) -> None:
        parts = write_parts(tmp_path / "parts", told(), 7)
        with pytest.raises(EvaluatorError, match=r"chosen from a pool of texts.*\nPools of 12 texts .*--gather"):
            score_parts(parts, OF_ANY_ITEM[:1], tmp_path / "scores", gather=0)
        assert not (tmp_path / "scores").exists()
        with pytest.raises(EvaluatorError, match=r"\nPools of 24 texts "):
            score_parts(
                parts, [*OF_ANY_ITEM[:1], "chrf(references=nearest(k=3))", OF_ANY_ITEM[0]], tmp_path / "two", gather=0
            )

    @pytest.mark.parametrize(
        ("asked", "why"),
        [
            ("bleu(references=nearest(among=('c',)))", "no system 'c' to take references from"),
            ("bleu(references=others(among='human'))", "among human texts, and the data has none"),
        ],
    )
    def test_systems_that_are_not_there(self, asked: str, why: str, tmp_path: Path) -> None:
        nobody = [{**row, "human": False} for row in told()]
        with pytest.raises(EvaluatorError, match=why):
            score_parts(write_parts(tmp_path / "parts", nobody, 6), [asked], tmp_path / "scores")
        assert not list((tmp_path / "scores").glob("*.parquet"))

    def test_a_part_that_cannot_be_read_for_the_pool(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        parts, load = write_parts(tmp_path / "parts", told(), 12), DataPart.load

        def gone(part: DataPart, *read: Any) -> assay.Dataset:
            if read and part.name == "part-002":
                raise OSError("the disk is gone")
            return load(part, *read)

        monkeypatch.setattr(DataPart, "load", gone)
        with pytest.raises(DataError, match=r"part-002\.jsonl: OSError: the disk is gone\nReferences that are chosen"):
            score_parts(parts, OF_ANY_ITEM[:1], tmp_path / "scores")


def test_a_new_text_in_one_part_may_be_a_reference_in_every_other(tmp_path: Path) -> None:
    parts, asked = write_parts(tmp_path / "parts", told(), 12), OF_ANY_ITEM[:1]
    score_parts(parts, asked, tmp_path / "scores")
    assert score_parts(parts, asked, tmp_path / "scores").n_kept == 3
    changed = parts / "part-001.jsonl"
    changed.write_text(changed.read_text().replace("green", "mauve"))
    again = score_parts(parts, asked, tmp_path / "scores")
    assert (again.n_kept, again.n_scored) == (0, 3)
    assert_equal(assay.score(assay.load(parts), asked), again)
