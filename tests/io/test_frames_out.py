"""Data, score tables and results as frames of other libraries, and in notebooks."""

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import assay
from tests.contracts.worlds import records


@pytest.fixture(scope="module")
def data() -> assay.Dataset:
    return assay.Dataset.from_records(records())


@pytest.fixture(scope="module")
def table(data: assay.Dataset) -> assay.ScoreTable:
    return assay.score(data, ["length", "bleu"], unit="output")


def test_data_goes_out_and_comes_back(data: assay.Dataset) -> None:
    for frame in (data.to_pandas(), data.to_polars(), data.to_arrow(), pl.DataFrame(data)):
        assert assay.load(frame) == data


def test_any_library_that_knows_arrow_takes_a_table(table: assay.ScoreTable) -> None:
    assert pa.table(table).column_names == ["unit", "item", "system", "length", "bleu"]
    assert pl.DataFrame(table)["length"].to_list() == table["length"].values.tolist()
    frame = table.to_pandas()
    assert list(frame.columns) == pl.DataFrame(table).columns
    np.testing.assert_array_equal(frame["bleu"], table["bleu"].values)


def test_a_stream_is_loaded(data: assay.Dataset) -> None:
    class Stream:
        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            return data.to_arrow().__arrow_c_stream__(requested_schema)

    assert assay.load(Stream()) == data


def test_score_and_compare_take_a_frame(data: assay.Dataset) -> None:
    scored = assay.score(data.to_pandas(), ["length"])
    np.testing.assert_array_equal(scored["length"].values, assay.score(data, ["length"])["length"].values)
    assert assay.compare(data.to_pandas(), ["length"], resamples=10).numbers


def test_rows_are_selected(data: assay.Dataset, table: assay.ScoreTable) -> None:
    systems = data.systems.id.to_list()
    one = table.filter(system=systems[0])
    assert set(one.system) == {systems[0]} and len(table.filter(system=systems)) == len(table)
    assert len(table[:3]) == 3 and table[:3]["length"].values.tolist() == table["length"].values[:3].tolist()
    assert set(data.filter(system=systems[0], item=data.items.id[0]).items.id) == {data.items.id[0]}
    assert len(data[:4]) == 4
    with pytest.raises(assay.DataError, match="no system 'zz'"):
        table.filter(system="zz")


def test_print_is_readable(data: assay.Dataset, table: assay.ScoreTable) -> None:
    for shown in (str(table), str(data)):
        assert len(shown.splitlines()) <= 13 and max(map(len, shown.splitlines())) < 1200
    assert repr(table) == f"ScoreTable({len(table)} outputs, length, bleu)"
    assert str(table).splitlines()[1].split() == ["unit", "item", "system", "length", "bleu"]


def test_html_escapes_texts() -> None:
    data = assay.Dataset.from_records([{"text": "<script>alert(1)</script>\x1b[31m"}])
    assert "<script>" not in data._repr_html_() and "\x1b" not in str(data)


def test_results_are_frames_and_figures(data: assay.Dataset) -> None:
    result = assay.compare(data, ["length"], resamples=10)
    frame = result.to_pandas()
    assert {"name", "value", "low", "high", "n", "signature"} <= set(frame.columns) and len(frame) == len(
        result.numbers
    )
    assert isinstance(result.tables[0].to_pandas(), pd.DataFrame)
    assert result.figure().svg().startswith("<svg") and result.figure(result.pictures[0].name) is result.pictures[0]
    with pytest.raises(assay.AssayError, match="no figure 'zz'"):
        result.figure("zz")
    with pytest.raises(assay.AssayError, match="no figures"):
        assay.Part("Title", "Summary").figure()


def test_nothing_is_imported_before_it_is_used() -> None:
    code = (
        "import sys, assay; d = assay.Dataset.from_records([{'text': 'a'}]); str(d); d._repr_html_();"
        "assert not {'pandas', 'polars', 'pyarrow'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
