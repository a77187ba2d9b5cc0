"""Score files of mt-metrics-eval: reading, and lossless round trips."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from assay.cli import cli
from assay.errors import AssayError, DataError
from assay.io.mtme import is_mtme_folder, read_mtme, write_mtme
from assay.scores import Column, ScoreTable
from assay.text.strings import Strings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A test set in the layout of mt-metrics-eval; refB is scored as a system by one metric."""
    write(tmp_path / "metric-scores/en-de/BLEU-refA.seg.score", "sysA\t0.25\nsysA\t0.5\nsysB\t1\nsysB\t0\n")
    write(tmp_path / "metric-scores/en-de/BLEU-refA.sys.score", "sysA\t0.375\nsysB\t0.5\n")
    write(tmp_path / "metric-scores/en-de/QE-src.seg.score", "refB 3\nrefB 4\nsysA 1\nsysA 2\nsysB 5\nsysB 6\n")
    write(tmp_path / "human-scores/en-de.mqm.seg.score", "sysA\t-1.5\nsysA\tNone\nsysB\t0.1\nsysB\t-25.0\n")
    write(tmp_path / "human-scores/en-de.mqm.doc.score", "sysA\t-1.5\n")
    write(tmp_path / "human-scores/de-en.mqm.seg.score", "other\t1\n")
    return tmp_path / "metric-scores/en-de"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_metrics_and_human_scores_become_one_table(folder: Path) -> None:
    table = read_mtme(folder)
    assert table.kind == "output"
    assert list(table.columns) == ["BLEU-refA", "QE-src", "human.mqm"]
    assert table.unit.to_list() == ["sysA/1", "sysA/2", "sysB/1", "sysB/2", "refB/1", "refB/2"]
    np.testing.assert_array_equal(table["human.mqm"].values, [-1.5, np.nan, 0.1, -25.0, np.nan, np.nan])
    assert table["human.mqm"].gaps.counts() == {"not in the score file": 2, "None in the score file": 1}
    systems = read_mtme(folder, "sys")
    assert (systems.kind, systems.unit.to_list()) == ("system", ["sysA", "sysB"])
    assert systems["BLEU-refA"].values.tolist() == [0.375, 0.5]


def test_a_folder_round_trips(folder: Path, tmp_path: Path) -> None:
    table = read_mtme(folder)
    notes = write_mtme(table, tmp_path / "again", "en-de")
    again = read_mtme(tmp_path / "again/metric-scores/en-de")
    assert again.unit == table.unit and list(again.columns) == list(table.columns)
    for name, column in table.columns.items():
        np.testing.assert_array_equal(again[name].values, column.values)
    assert (tmp_path / "again/human-scores/en-de.mqm.seg.score").exists()
    assert any("BLEU-refA.seg.score contains None" in note for note in notes)


@given(st.lists(st.one_of(st.floats(allow_nan=True, allow_infinity=False)), min_size=6, max_size=6))
def test_every_number_survives(tmp_path_factory: pytest.TempPathFactory, values: list[float]) -> None:
    folder = tmp_path_factory.mktemp("set")
    table = ScoreTable(
        "output",
        Strings.of([str(k) for k in range(6)]),
        Strings.of(["x", "y", "z"] * 2),
        Strings.of(["a"] * 3 + ["b"] * 3),
        {"metric": Column.of("metric", values), "quality": Column.of("quality", values[::-1])},
    )
    write_mtme(table, folder, "en-de", human=["quality"], reference="refA")
    again = read_mtme(folder / "metric-scores/en-de")
    assert again.item == table.item and again.system == table.system
    np.testing.assert_array_equal(again["metric-refA"].values, values)
    np.testing.assert_array_equal(again["human.quality"].values, values[::-1])


def test_bad_files_are_reported(folder: Path) -> None:
    write(folder / "BAD-refA.seg.score", "sysA\t0.25\nsysA\tmuch\nsysB\nsysB\tinf\n")
    with pytest.raises(DataError) as caught:
        read_mtme(folder)
    assert [problem.split(":")[0] for problem in caught.value.problems] == [
        "BAD-refA.seg.score line 2",
        "BAD-refA.seg.score line 3",
        "BAD-refA.seg.score line 4",
        "BAD-refA.seg.score",
    ]
    assert not is_mtme_folder(folder.parent)
    with pytest.raises(DataError, match="no files named"):
        read_mtme(folder.parent)


def test_tables_that_score_files_cannot_represent(tmp_path: Path) -> None:
    def table(systems: list[str], items: list[str], kind: str = "output") -> ScoreTable:
        names = [Strings.of(names) for names in ([str(k) for k in range(2)], items, systems)]
        return ScoreTable(kind, *names, {"m": Column.of("m", [1.0, 2.0])})

    for wrong, message in (
        (table(["a", "a"], ["x", "x"]), "two outputs for item 'x'"),
        (table(["a b", "a"], ["x", "y"]), "has a space"),
        (table(["", "a"], ["x", "y"]), "lack one of them"),
        (table(["a", "b"], ["x", "y"], "set"), "not of sets"),
    ):
        with pytest.raises(DataError, match=message):
            write_mtme(wrong, tmp_path, "en-de")


def test_the_command_goes_both_ways_and_meta_reads_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    lines = ["system,item,human,metric"]
    lines += [f"s{k},i{j},{rng.normal():.3f},{rng.normal():.3f}" for k in range(4) for j in range(10)]
    Path("scores.csv").write_text("\n".join(lines) + "\n")

    def run(*words: str) -> str:
        result = CliRunner().invoke(cli, words, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.stdout

    run("mtme", "scores.csv", "-o", "set", "--pair", "en-de", "--human", "human")
    run("mtme", "set/metric-scores/en-de", "-o", "again.csv")
    assert Path("again.csv").read_text().startswith("unit,item,system,metric-all,human.human,")
    before = json.loads(run("meta", "scores.csv", "--target", "human", "--resamples", "64", "--json"))["numbers"]
    after = json.loads(run("meta", "set/metric-scores/en-de", "--target", "human.human", "--resamples", "64", "--json"))
    assert [row["value"] for row in before] == [row["value"] for row in after["numbers"]]
    with pytest.raises(AssayError, match="--pair"):
        CliRunner().invoke(cli, ["mtme", "scores.csv", "-o", "set"], catch_exceptions=False)
