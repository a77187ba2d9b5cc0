from pathlib import Path

import pytest
from click.testing import CliRunner

from assay import DataError, Dataset
from assay.cli import cli
from assay.io import load, save
from assay.run import score

HEADER = "sample_id,context,label_value,label_name,resp_0,resp_1,resp_2,metric_m\n"


def written(tmp_path: Path, rows: str, header: str = HEADER) -> Path:
    path = tmp_path / "sets.csv"
    path.write_text(header + rows, encoding="utf-8")
    return path


def test_a_row_is_a_set(tmp_path):
    data = load(written(tmp_path, "s1,C,1.0,content_diversity,a,b,c,-0.5\ns1,C,0.0,content_diversity,d,e,f,\n"))
    assert data.sets.id.to_list() == ["s1|1.0", "s1|0.0"]
    assert data.outputs.id.to_list() == [f"s1|{label}|{i}" for label in ("1.0", "0.0") for i in range(3)]
    assert data.outputs.text.to_list() == list("abcdef")
    assert data.items.context.to_list() == ["C"]
    assert data.sets.columns["metric_m"][0] == -0.5 and data.sets.columns["metric_m"][1] != 0
    assert data.sets.columns["sample_id"].to_list() == ["s1", "s1"]
    assert data.systems.id.to_list() == ["people"] and data.systems.human.all()


def test_a_second_set_of_a_sample_and_label_gets_a_number(tmp_path):
    data = load(written(tmp_path, "s,C,1.0,content_diversity,a,b,c,0\ns,C,1.0,content_diversity,a,b,c,0\n"))
    assert data.sets.id.to_list() == ["s|1.0", "s|1.0#2"]


def test_a_decoding_parameter_is_the_system_and_a_parameter(tmp_path):
    data = load(written(tmp_path, "s,C,0.70,temp,a,b,c,0\nt,D,0.9,top_p,a,b,c,0\n"))
    assert data.systems.id.to_list() == ["temp0.7", "top_p0.9"]
    assert data.outputs.columns["params.temperature"][:3].tolist() == [0.7] * 3
    assert data.outputs.columns["params.top_p"][3:].tolist() == [0.9] * 3
    assert not data.systems.human.any()


def test_an_empty_cell_ends_a_set_and_is_a_text_inside_it(tmp_path):
    data = load(written(tmp_path, "s,C,1,other,a,b,,0\nt,C,1,other,a,,c,0\n"))
    assert data.outputs.text.to_list() == ["a", "b", "a", "", "c"]
    assert data.systems.id.to_list() == ["sets"]


def test_a_set_without_a_response_is_a_gap_and_not_the_end_of_the_file(tmp_path, monkeypatch):
    """As in a published file: one line with ten empty cells."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    header = ",".join(["sample_id", "context", "label_value", "label_name", *(f"resp_{i}" for i in range(10))])
    full = [f"s{n},C{n},0.{n},temp," + ",".join(f"word{n} and {i}" for i in range(10)) for n in range(1, 6)]
    path = written(tmp_path, "\n".join([*full[:3], "s9,C9,0.9,temp" + "," * 10, *full[3:]]) + "\n", header + "\n")
    data = load(path)
    assert data.outputs_by_set.lengths.tolist() == [10, 10, 10, 1, 10, 10]
    table = score(data, ["distinct", "cos_sim", "self_bleu"], unit="set")
    for column in table.columns.values():
        assert column.n_missing == 1 and column.gaps[3] == "no response has any text"
    assert "1 of 51 outputs have an empty text" in table.notes
    done = CliRunner().invoke(cli, ["dectest", str(path), "-e", "distinct", "--subset", "3", "--resamples", "0"])
    assert done.exit_code == 0, done.output
    assert "distinct: 1 of 6 sets have no score (no response has any text: 1)" in done.stderr
    assert "1 of 51 outputs have an empty text" in done.stderr
    save(data, tmp_path / "again.csv", format="diversity")
    assert load(tmp_path / "again.csv") == data


def test_columns_may_be_few(tmp_path):
    data = load(written(tmp_path, "s,a\n", "sample_id,resp_0\n"))
    assert (data.items.id[0], data.sets.id[0], data.outputs.id[0]) == ("s", "s", "s|0")


@pytest.mark.parametrize(
    ("rows", "header", "message"),
    [
        (",C,1,x,a,b,c,0\n", HEADER, "sets.csv line 2: no sample_id."),
        ("s,C,1,x,a,b,c\n", HEADER, "sets.csv line 2: 7 cells, and the header has 8."),
        ("s,a\n", "sample,resp_0\n", "no column 'sample_id', which a file of response sets needs. Did you mean"),
        ("", HEADER, "no rows below the header"),
    ],
)
def test_problems_are_reported(tmp_path, rows, header, message):
    with pytest.raises(DataError, match=message.replace(".", r"\.")):
        load(written(tmp_path, rows, header), format="diversity")


def test_written_and_read_again(tmp_path):
    data = load(written(tmp_path, 's1,C,0.7,temp,"a\nb","x, ""y""",c,-0.5\ns2,D,0.9,temp,d,,f,\n'))
    save(data, tmp_path / "again.csv", format="diversity")
    assert load(tmp_path / "again.csv") == data
    save(data, tmp_path / "flat.jsonl")
    assert load(tmp_path / "flat.jsonl") == data


def test_data_the_format_cannot_represent_is_rejected(tmp_path):
    data = Dataset.from_records([{"id": "o1", "text": "a", "set": "s", "references": ["b"]}])
    path = tmp_path / "sets.csv"
    path.write_text("mine")
    with pytest.raises(DataError, match=r"diversity cannot represent this dataset: its items, .*outputs would be"):
        save(data, path, format="diversity")
    assert path.read_text() == "mine"
