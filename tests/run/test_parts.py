"""Data in parts: the same bits as in one piece, resumed where it was interrupted."""

import errno
import importlib
import json
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import assay
from assay.cli import cli
from assay.errors import AssayError, DataError, EvaluatorError, WorkerDied
from assay.kernels.ragged import Ragged
from assay.run.part_estimate import plan_parts
from assay.run.part_pace import Pace
from assay.run.part_scores import PartOutcome
from assay.run.partial_sums import ColumnSums
from assay.run.parts import score_parts
from assay.scores import Column, Gaps, ScoreTable
from assay.text.strings import Strings
from tests.contracts.worlds import training
from tests.run.parts import assert_equal, out_of_memory, rows, write_parts

# One of each shape: additive, batched, per unit; of pairs; of the judgments; whole; with other references.
SHAPES = ["bleu", "chrf", "length", "rouge", "perplexity", "exact_match", "human('typicality')", "cider"]
OF_SETS = ["distinct", "reduce(bleu)", "bleu", "self_bleu", "bleu(references=others())", "column('quality')"]


@pytest.fixture(scope="module")
def whole() -> assay.Dataset:
    return assay.Dataset.from_records(rows())


class TestTheSameBits:
    @pytest.mark.parametrize("size", [1, 7, 10_000])
    def test_of_outputs(self, whole: assay.Dataset, size: int, tmp_path: Path) -> None:
        parts = write_parts(tmp_path / "parts", rows(), size)
        assert assay.load(parts) == whole
        assert_equal(assay.score(whole, SHAPES), score_parts(parts, SHAPES, tmp_path / "scores"))

    @pytest.mark.parametrize("size", [6, 24])
    def test_of_sets(self, whole: assay.Dataset, size: int, tmp_path: Path) -> None:
        parts = write_parts(tmp_path / "parts", rows(), size)
        assert_equal(
            assay.score(whole, OF_SETS), score_parts(parts, OF_SETS, tmp_path / "scores", executor="threads:2")
        )

    def test_of_a_criterion_and_a_column_that_the_first_part_lacks(self, tmp_path: Path) -> None:
        told = rows()
        for number, row in enumerate(told):
            row["judgments"] = [{"annotator": "w", "criterion": "ab"[number >= 12], "value": number % 5}]
            row["first"] = 1.0
            row |= {"later": float(number)} if number >= 12 else {}
        parts, asked = write_parts(tmp_path / "parts", told, 12), ["human('b')", "column('later')", "length"]
        for unit in ("output", "system"):
            expected = assay.score(assay.load(parts), asked, unit=unit)
            assert_equal(expected, score_parts(parts, asked, tmp_path / unit, unit=unit))

    def test_of_pairs_and_matchups(self, whole: assay.Dataset, tmp_path: Path) -> None:
        parts = write_parts(tmp_path / "parts", rows(), 6)
        for unit in ("pair", "matchup"):
            table = assay.score(whole, ["bleu", "rouge"], unit=unit)
            assert_equal(table, score_parts(parts, ["bleu", "rouge"], tmp_path / unit, unit=unit))

    @pytest.mark.parametrize("size", [1, 7])
    def test_of_what_counts_over_all_parts(self, whole: assay.Dataset, size: int, tmp_path: Path) -> None:
        parts = write_parts(tmp_path / "parts", rows(), size)
        asked = ["cider", "cider(documents='system', variant='plain')", f"cider(documents={str(parts)!r})"]
        scored = score_parts(parts, asked, tmp_path / "scores", gather=0)
        assert_equal(assay.score(whole, asked), scored)
        assert score_parts(parts, asked, tmp_path / "scores", gather=0).n_kept == -(-36 // size)

    def test_a_part_that_cannot_be_counted_is_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        parts = write_parts(tmp_path / "parts", rows(), 12)
        monkeypatch.setattr("assay.run.part_scores.counts_of", out_of_memory)
        with pytest.raises(DataError, match=r"part-000\.jsonl: MemoryError\ncider needs the counts of every part"):
            score_parts(parts, ["cider"], tmp_path / "scores")

    @pytest.mark.parametrize("how", [{"folds": 3}, {"folds": "system", "train": assay.Dataset.from_records(rows())}])
    def test_of_gathered_fits(self, how: dict[str, Any], tmp_path: Path) -> None:
        parts, whole = write_parts(tmp_path / "parts", to_learn_from(), 7), assay.Dataset.from_records(to_learn_from())
        asked = ["nb", "length"]
        with pytest.raises(EvaluatorError, match="nb: it is fitted on the other outputs"):
            score_parts(parts, asked, tmp_path / "refused", gather=0, **how)
        assert_equal(assay.score(whole, asked, **how), score_parts(parts, asked, tmp_path / "scores", **how))

    def test_of_fits_on_training_data(self, whole: assay.Dataset, tmp_path: Path) -> None:
        """Fitted on what no part shares, once; another training set is another question."""
        parts = write_parts(tmp_path / "parts", rows(), 7)
        train = assay.Dataset.from_records([*to_learn_from(), *({**row, "id": f"x{row['id']}"} for row in rows())])
        asked = ["nb", "neighbors(criterion='typicality', min_neighbors=1, tau=0.05)", "length"]
        how = {"train": train, "seed": 3}
        assert_equal(assay.score(whole, asked, **how), score_parts(parts, asked, tmp_path / "s", gather=0, **how))
        assert score_parts(parts, asked, tmp_path / "s", gather=0, **how).n_kept == 6
        with pytest.raises(DataError, match="answers another question: fitting"):
            score_parts(parts, asked, tmp_path / "s", train=training(), seed=3)
        with pytest.raises(EvaluatorError, match="every training text is also scored"):
            score_parts(parts, ["nb"], tmp_path / "none", train=whole)
        with pytest.raises(EvaluatorError, match="nb learns from human texts, and the training data has none"):
            score_parts(parts, ["nb"], tmp_path / "none", train=assay.Dataset.from_records([{"text": "a b"}]))
        assert not (tmp_path / "none" / "part-000.parquet").exists()

    def test_with_a_saved_model(self, whole: assay.Dataset, tmp_path: Path) -> None:
        assay.fit("nb", training(), tmp_path / "model")
        asked = [f"nb(model={str(tmp_path / 'model')!r})"]
        parts = write_parts(tmp_path / "parts", rows(), 7)
        assert_equal(assay.score(whole, asked), score_parts(parts, asked, tmp_path / "scores"))


def test_names_that_differ_in_their_eighth_letter_have_other_keys() -> None:
    names = Strings.of([f"theater{mark}{more}" for mark in ".,;:!?abc012" for more in ("", "x", "-and-more")])
    assert len(set(names.keys().tolist())) == len(names)


def test_what_learns_more_than_arrays_stays_in_the_process_that_fitted_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "knowing.py").write_text(KNOWING)
    monkeypatch.syspath_prepend(tmp_path)
    knows = importlib.import_module("knowing").knows
    parts, train = write_parts(tmp_path / "parts", rows(), 12), assay.Dataset.from_records(to_learn_from())
    expected = assay.score(assay.Dataset.from_records(rows()), [knows()], train=train)
    for engine in ("serial", "threads:2", "processes:2"):
        scored = score_parts(parts, [knows()], tmp_path / engine, train=train, gather=0, executor=engine)
        assert_equal(expected, scored)


KNOWING = """
import numpy as np
from assay.evaluator import evaluator, fitted


@evaluator(scale="any", stored=False)
def knows():
    \"\"\"How many texts it knows.\"\"\"
    return fitted(
        lambda train, rng: set(train.texts.take(train.candidates)),
        lambda known, batch: np.full(len(batch), float(len(known))),
    )
"""


def to_learn_from() -> list[dict[str, Any]]:
    """The training data as records."""
    found = training()
    texts, contexts = found.outputs.text.to_list(), found.items.context.to_list()
    return [{**row, "id": f"t{row['id']}", "item": f"t{row['item']}", "set": f"t{row['set']}", "text": text,
             "context": contexts[item]}
            for row, text, item in zip(rows(), texts, found.outputs.item.tolist(), strict=True)]  # fmt: skip


values = st.one_of(
    st.integers(-50, 50).map(float),
    st.sampled_from([1 / 3, 2 / 3, 0.1, 1e16, -1e16, 5e-324, float("inf"), float("-inf"), float("nan"), 1e-8]),
    st.floats(-1e6, 1e6),
)


@given(st.data())
def test_sums_of_parts_are_the_sums_of_all(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 30))
    scores = np.array(data.draw(st.lists(values, min_size=n, max_size=n)))
    system = Strings.of(data.draw(st.lists(st.sampled_from("ab"), min_size=n, max_size=n)))
    additive = data.draw(st.booleans())
    statistics = data.draw(arrays(float, (n, 2), elements=st.floats(-1e9, 1e9))) if additive else None
    ids = Strings.of(map(str, range(n)))

    def finish(sums: np.ndarray) -> np.ndarray:
        return sums[:, 0] - sums[:, 1] / 3

    # Some systems without any score, whose reason is that of most of their units; reasons are listed in any order.
    silent = data.draw(st.sets(st.sampled_from("ab")))
    scores[np.array([one in silent for one in system])] = np.nan
    code = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)), np.int32)
    gaps = Gaps(np.where(np.isnan(scores), code, 0).astype(np.int32), ("", *data.draw(st.permutations("pqr"))))
    column = Column("x", scores, gaps, statistics=statistics, finish=finish if additive else None)
    table = ScoreTable("output", ids, ids, system, {"x": column})
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=4)))
    pieces = [table[start:stop] for start, stop in zip([0, *cuts], [*cuts, n], strict=True) if stop > start]
    stored = [json.loads(json.dumps(ColumnSums.of(piece, "x").as_json())) for piece in pieces]
    total = ColumnSums.total(map(ColumnSums.from_json, stored))
    expected = table.by_system()
    assert list(total.systems) == expected.unit.to_list()
    assert total.pooled(finish).tobytes() == expected["x"].values.tobytes()
    found = total.column("x", finish if additive else None).gaps
    assert [found[row] for row in range(len(expected))] == [expected["x"].gaps[row] for row in range(len(expected))]


def test_of_equally_frequent_reasons_the_first_to_appear_is_named() -> None:
    """Neither the order in which reasons are listed nor the cut into parts decides."""
    ids = Strings.of("1234")
    column = Column("x", np.full(4, np.nan), Gaps(np.array([2, 1, 1, 2], np.int32), ("", "late", "lost")))
    table = ScoreTable("output", ids, ids, Strings.of("aaaa"), {"x": column})
    assert table.by_system()["x"].gaps[0] == "lost"
    for cut in (1, 2, 3):
        total = ColumnSums.total(ColumnSums.of(piece, "x") for piece in (table[:cut], table[cut:]))
        assert total.column("x", None).gaps[0] == "lost"


class Counting:
    """An engine that remembers its tasks, and fails at one of them if told."""

    in_process = True

    def __init__(self, fails_at: int = -1) -> None:
        self.done: list[str] = []
        self.fails_at = fails_at

    def map(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[Any]:
        for number, task in enumerate(tasks):
            if not hasattr(task, "part"):
                yield function(task)
                continue
            if number == self.fails_at:
                raise AssayError("the connection to the scheduler was lost.")
            self.done.append(task.part.name)
            yield function(task)


class TestGoingOn:
    def test_finished_parts_are_kept(self, whole: assay.Dataset, tmp_path: Path) -> None:
        parts = write_parts(tmp_path / "parts", rows(), 7)
        broken = Counting(fails_at=2)
        with pytest.raises(AssayError, match="lost"):
            score_parts(parts, ["bleu"], tmp_path / "scores", executor=broken)
        again = Counting()
        scored = score_parts(parts, ["bleu"], tmp_path / "scores", executor=again)
        assert (broken.done, again.done) == (["part-000", "part-001"], [f"part-00{n}" for n in range(2, 6)])
        assert (scored.n_scored, scored.n_kept) == (4, 2)
        assert_equal(assay.score(whole, ["bleu"]), scored)

    def test_a_part_that_changed_or_is_damaged_is_scored_again(self, tmp_path: Path) -> None:
        parts = write_parts(tmp_path / "parts", rows(), 12)
        score_parts(parts, ["length"], tmp_path / "scores")
        changed = parts / "part-001.jsonl"
        changed.write_text(changed.read_text().replace("Nothing", "Something else"))
        (tmp_path / "scores" / "part-002.parquet").write_bytes(b"PAR1 but not really")
        engine = Counting()
        scored = score_parts(parts, ["length"], tmp_path / "scores", executor=engine)
        assert engine.done == ["part-001", "part-002"]
        assert_equal(assay.score(assay.load(parts), ["length"]), scored)

    def test_scores_of_a_part_that_broke_or_is_gone_are_not_taken_for_new_ones(self, tmp_path: Path) -> None:
        parts = write_parts(tmp_path / "parts", rows(), 12)
        score_parts(parts, ["length"], tmp_path / "scores")
        (parts / "part-001.jsonl").write_text("{broken")
        (parts / "part-002.jsonl").unlink()
        scored = score_parts(parts, ["length"], tmp_path / "scores")
        assert list(scored.failures) == ["part-001.jsonl"]
        assert not (tmp_path / "scores" / "part-001.parquet").exists()
        assert "has scores of other parts (part-002.parquet)" in scored.systems.notes[-1]

    def test_a_function_that_was_edited_is_asked_again(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        parts = write_parts(tmp_path / "parts", rows(), 18)
        monkeypatch.syspath_prepend(tmp_path)
        kept = []
        for number in (1, 1, 2):
            (tmp_path / "edited_function.py").write_text(f"def score(text):\n    return {number}\n")
            monkeypatch.delitem(sys.modules, "edited_function", raising=False)
            importlib.invalidate_caches()
            shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
            scored = score_parts(parts, ["edited_function:score"], tmp_path / "scores")
            assert set(scored.systems["edited_function:score"].values) == {number}
            kept.append(scored.n_kept)
        assert kept == [0, 2, 0]

    def test_another_question_needs_another_folder(self, tmp_path: Path) -> None:
        parts = write_parts(tmp_path / "parts", rows(), 12)
        score_parts(parts, ["length"], tmp_path / "scores")
        with pytest.raises(DataError, match="answers another question: evaluators"):
            score_parts(parts, ["bleu"], tmp_path / "scores")
        with pytest.raises(DataError, match="holds other files"):
            score_parts(parts, ["length"], parts)

    def test_a_part_that_kills_workers_is_named_and_the_others_are_scored(self, tmp_path: Path) -> None:
        class Deadly(Counting):
            def map(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[Any]:
                for number, task in enumerate(tasks):
                    if getattr(getattr(task, "part", None), "name", "") == "part-001":
                        raise WorkerDied("10 workers died over the same task.", number)
                    yield function(task)

        parts = write_parts(tmp_path / "parts", rows(), 12)
        scored = score_parts(parts, ["length"], tmp_path / "scores", executor=Deadly())
        assert list(scored.failures) == ["part-001.jsonl"] and scored.n_scored == 2
        assert "workers died" in scored.failures["part-001.jsonl"]

    def test_a_full_disk_leaves_no_half_part(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(table: ScoreTable, path: Path, about: Any) -> None:
            path.write_bytes(b"PAR1 half of it")
            raise OSError(errno.ENOSPC, "No space left on device")

        parts = write_parts(tmp_path / "parts", rows(), 12)
        with monkeypatch.context() as patched:
            patched.setattr("assay.io.score_parquet.write", full)
            scored = score_parts(parts, ["length"], tmp_path / "scores")
        assert len(scored.failures) == 3 and all("No space left" in why for why in scored.failures.values())
        assert [file.name for file in (tmp_path / "scores").iterdir()] == ["manifest.json"]
        assert score_parts(parts, ["length"], tmp_path / "scores").n_scored == 3


def test_the_pace_names_the_slowest_part(tmp_path: Path) -> None:
    pace = Pace()
    assert pace.text() == ""
    pace.add(PartOutcome("broken", failure="no", seconds=9.0))
    score_parts(write_parts(tmp_path / "parts", rows(), 12), ["length"], tmp_path / "scores", pace=pace)
    assert re.fullmatch(r"[\d,]+ outputs/s, slowest broken 9\.0 s", pace.text())


class TestThePlan:
    def test_of_each_shape(self, tmp_path: Path) -> None:
        parts = write_parts(tmp_path / "parts", rows(), 12)
        words = ["score", str(parts), "-e", "bleu", "-e", "cider", "-e", "nb", "-o", str(tmp_path / "s"), "--dry-run"]
        done = CliRunner().invoke(cli, [*words, "--json"], catch_exceptions=False)
        plan, how = ({row[0]: row[1] for row in table["rows"]} for table in json.loads(done.stdout)["tables"])
        assert plan["parts"] == "3" and "all the data, in one process" in plan["passes"]
        assert how["bleu"] == "part by part" and how["cider"].endswith("after the counts of all parts")
        assert "assay fit" in how["nb"] and plan["counts over all parts, in each process"].startswith("at most ")
        taken = plan["memory of the process that has all the data"]
        assert re.fullmatch(r"about \d+ MB; at most 2\.0 GB \(--gather\), about \d[\d,]+ outputs", taken)
        *_, slow = json.loads(done.stdout)["tables"][1]["header"]
        alone = {row[0]: row[2] for row in json.loads(done.stdout)["tables"][1]["rows"]}
        assert slow == "CPU s per million outputs, alone" and alone["bleu"] > 0 and alone["nb"] is None
        assay.save(training(), tmp_path / "judged.jsonl")
        words = [*words, "--train", str(tmp_path / "judged.jsonl"), "--json"]
        trained = json.loads(CliRunner().invoke(cli, words, catch_exceptions=False).stdout)["tables"][1]["rows"]
        assert trained[2][:2] == ["nb", "fitted once on the training data, then part by part"]
        assert not (tmp_path / "s").exists()

    def test_does_not_need_the_first_part(self, tmp_path: Path) -> None:
        parts = write_parts(tmp_path / "parts", rows(), 12)
        (parts / "part-000.jsonl").write_text("{broken")
        assert [one.name for one in plan_parts(parts, ["bleu"]).plan.first.parts] == ["part-001"]

    def test_is_of_parts(self) -> None:
        done = CliRunner().invoke(cli, ["score", "x.jsonl", "-e", "bleu", "--dry-run"])
        assert done.exit_code == 2 and "for data in parts" in done.output


@pytest.mark.parametrize("option", [["--gather", "1"], ["--dry-run"]])
def test_options_of_parts_are_refused_without_parts(option: list[str], whole: assay.Dataset, tmp_path: Path) -> None:
    assay.save(whole, tmp_path / "data.jsonl")
    done = CliRunner().invoke(cli, ["score", str(tmp_path / "data.jsonl"), "-e", "length", *option])
    assert done.exit_code == 2 and f"{option[0]} is for data in parts" in done.output


@pytest.mark.parametrize(
    ("option", "why"),
    [(["--folds", "3"], "learns"), (["--train", "train.jsonl"], "learns"), (["--offline"], "calls a")],
)
def test_options_that_affect_no_evaluator_are_refused(
    option: list[str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assay.save(training(), "train.jsonl")
    command = ["score", str(write_parts(tmp_path / "parts", rows(), 18)), "-o", "scores", *option, "-e"]
    done = CliRunner().invoke(cli, [*command, "bleu"])
    assert f"{option[0]}: none of the evaluators {why}" in str(done.exception)
    assert not (tmp_path / "scores").exists()


def test_commands_take_a_folder_of_scores(whole: assay.Dataset, tmp_path: Path) -> None:
    parts = write_parts(tmp_path / "parts", rows(), 12)
    asked = ["bleu", "human('typicality')"]
    score_parts(parts, asked, tmp_path / "scores")
    words = ["--target", "human('typicality')", "--resamples", "20", "--json"]
    of_folder = CliRunner().invoke(cli, ["meta", str(tmp_path / "scores"), *words], catch_exceptions=False)
    of_data = CliRunner().invoke(cli, ["meta", str(parts), "-e", "bleu", *words], catch_exceptions=False)
    assert json.loads(of_folder.stdout)["numbers"] == json.loads(of_data.stdout)["numbers"]


def test_pooling_does_not_depend_on_the_order_of_units() -> None:
    statistics = (
        np.random.default_rng(0).normal(size=(1000, 2)) * 10.0 ** np.arange(-8, 8).repeat(125)[:1000, None][:, :1]
    )
    column = Column.of("x", statistics[:, 0], statistics=statistics, finish=lambda sums: sums[:, 0])
    order = np.random.default_rng(1).permutation(1000)
    everything = Ragged(np.arange(1000), np.array([0, 1000]))
    assert column.pooled(everything).values == column.take(order).pooled(everything).values
