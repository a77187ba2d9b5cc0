import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay import DataError, load
from assay.cli import cli
from assay.sample import PATH


def convert(*args: object):
    return CliRunner(catch_exceptions=False).invoke(cli, ["convert", *map(str, args)])


def test_there_and_back(tmp_path: Path) -> None:
    steps = ["a.csv", "folder", "b.parquet", "c.tsv", "d.jsonl"]
    source = PATH
    for step in steps:
        assert convert(source, "-o", tmp_path / step).exit_code == 0
        source = tmp_path / step
    assert load(source) == load(PATH)


def test_the_published_batches(data: Path, tmp_path: Path) -> None:
    result = convert("data:huse/summarization", "-o", tmp_path / "x.jsonl", "--json")
    assert json.loads(result.stdout)["judgments"] == 4000
    lines = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text().splitlines()]
    assert len(lines) == 200
    assert sum(line.get("human", False) for line in lines) == 100
    assert sum(len(line["judgments"]) for line in lines) == 4000
    assert {"annotator", "criterion", "value", "page_seconds"} == set(lines[0]["judgments"][0])

    convert("data:judges/reviews", "-o", tmp_path / "y.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "y.jsonl").read_text().splitlines()]
    assert len(lines) == 3600
    votes = [vote for line in lines for vote in line.get("judgments", [])]
    assert len(votes) == 17920 and {vote["criterion"] for vote in votes} == {"real"}


def test_worker_ids_only_when_asked(data: Path, tmp_path: Path) -> None:
    convert("data:huse/summarization", "-o", tmp_path / "x.jsonl")
    assert '"w0001"' not in (tmp_path / "x.jsonl").read_text()
    convert("data:huse/summarization", "-o", tmp_path / "x.jsonl", "--keep-worker-ids")
    assert '"w0001"' in (tmp_path / "x.jsonl").read_text()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["-o", "x.xyz"], "files are written by their ending, one of .jsonl"),
        (["-o", "x.csv", "--to", "diversty"], "no format 'diversty'. Did you mean 'diversity'?"),
        (["-o", "x.jsonl", "--to", "lm-eval"], "files of the format lm-eval are read, not written"),
        (["-o", "x.jsonl", "--to", "diversity"], "files of the format diversity end in .csv or .tsv"),
        (["-o", "folder", "--to", "colors"], "a folder of tables has no other format"),
        (["-o", "x.csv", "--to", "diversity"], "the format diversity cannot represent this dataset"),
        (["-o", "x.csv", "--from", "colors"], "files of the format colors end in .csv or .tsv"),
        (["-o", "x.csv", "--map", "huse"], "files of the format mturk end in .csv or .tsv"),
        (["-o", "no/where/x.csv"], "no/where: no such folder. Make it first."),
    ],
)
def test_what_cannot_be_done_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError) as caught:
        convert(PATH, *args)
    assert message in str(caught.value)
    assert list(tmp_path.iterdir()) == []
