"""Cutting data into parts: what belongs together is together, and nothing is lost."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import assay
from assay.cli import cli
from assay.errors import DataError
from assay.run.parts import score_parts
from tests.contracts.worlds import records
from tests.run.parts import assert_equal, out_of_memory, rows
from tests.run.test_parts import OF_SETS


@pytest.fixture(scope="module")
def whole() -> assay.Dataset:
    return assay.Dataset.from_records(rows())


class TestPartition:
    @pytest.mark.parametrize("ending", [".parquet", ".jsonl"])
    def test_what_belongs_together_is_together(self, whole: assay.Dataset, ending: str, tmp_path: Path) -> None:
        made = assay.partition(whole, tmp_path / "parts", rows=7, ending=ending)
        assert made.n_outputs == 36 and set(made.parts.values()) == {6}
        assert assay.load(tmp_path / "parts") == whole
        assert_equal(assay.score(whole, OF_SETS), score_parts(tmp_path / "parts", OF_SETS, tmp_path / "scores"))

    @pytest.mark.parametrize("source", [".parquet", ".jsonl"])
    @pytest.mark.parametrize("ending", [".parquet", ".jsonl"])
    def test_files_are_cut_without_loading_them(
        self, source: str, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        plain = [{key: row[key] for key in ("id", "item", "system", "set", "text", "references")} for row in rows()]
        plain = [{**row, **({"topic": "7" if n % 2 else "x"} if n > 20 else {})} for n, row in enumerate(plain)]
        data = assay.Dataset.from_records([*plain[::2], *plain[1::2]])
        assay.save(data, tmp_path / f"data{source}")
        expected = assay.partition(data, tmp_path / "loaded", rows=7, ending=ending)
        monkeypatch.setattr("assay.io.streamed_partition.ROWS_AT_ONCE", 5)
        monkeypatch.setattr("assay.io.partition.load", out_of_memory)
        made = assay.partition(tmp_path / f"data{source}", tmp_path / "parts", rows=7, ending=ending)
        assert made.parts == expected.parts
        assert sorted(file.name for file in (tmp_path / "parts").iterdir()) == ["manifest.json", *made.parts]
        assert assay.load(tmp_path / "parts") == assay.load(tmp_path / "loaded")

    @pytest.mark.parametrize("ending", [".parquet", ".jsonl"])
    @pytest.mark.parametrize("case", ["endings", "formats", "marks", "same ids", "kinds"])
    def test_files_of_several_kinds_lose_nothing(self, case: str, ending: str, tmp_path: Path) -> None:
        plain = [{key: row[key] for key in ("id", "item", "system", "text")} for row in rows()]
        first, second = plain[:20], plain[20:]
        paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
        if case == "endings":
            paths[1] = tmp_path / "b.ndjson"
        if case in ("formats", "kinds"):
            paths[1] = tmp_path / "b.parquet"
        if case == "kinds":
            paths[0] = tmp_path / "a.parquet"
            first = [{**row, "topic": 1} for row in first]
            second = [{**row, "topic": "x"} for row in second]
        if case == "same ids":
            second = [{**row, "id": first[0]["id"]} if n == 3 else row for n, row in enumerate(second)]
        for path, some in zip(paths, (first, second), strict=True):
            if path.suffix == ".parquet":
                pq.write_table(pa.Table.from_pylist(some), path)
            else:
                lines = "".join(json.dumps(row) + "\n" for row in some)
                path.write_text(lines, encoding="utf-8-sig" if case == "marks" else "utf-8")
        made = assay.partition(paths, tmp_path / "parts", rows=7, ending=ending)
        whole, parts = assay.load([str(path) for path in paths]), assay.load(tmp_path / "parts")
        assert made.n_outputs == len(parts) == len(whole) == len(plain)
        assert sorted(parts.outputs.text) == sorted(whole.outputs.text)

    def test_a_file_without_outputs_makes_no_parts(self, tmp_path: Path) -> None:
        pq.write_table(
            pa.table({name: pa.array([], pa.string()) for name in ("id", "system", "text")}), tmp_path / "a.parquet"
        )
        with pytest.raises(DataError, match="no outputs"):
            assay.partition(tmp_path / "a.parquet", tmp_path / "parts")
        assert not (tmp_path / "parts").exists()

    def test_items_that_judgments_compare_are_together(self, tmp_path: Path) -> None:
        linked = assay.Dataset.from_records(records())
        assert list(assay.partition(linked, tmp_path / "parts", rows=7).parts.values()) == [36]
        assert assay.load(tmp_path / "parts") == linked

    def test_from_the_command_line(self, whole: assay.Dataset, tmp_path: Path) -> None:
        assay.save(whole, tmp_path / "data.jsonl")
        words = ["partition", str(tmp_path / "data.jsonl"), "-o", str(tmp_path / "parts"), "--rows", "12", "--json"]
        done = CliRunner().invoke(cli, words, catch_exceptions=False)
        assert len(json.loads(done.stdout)["parts"]) == 3
        again = CliRunner().invoke(cli, words)
        assert "exists" in str(again.exception)
