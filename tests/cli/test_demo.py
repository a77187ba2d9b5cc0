import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli import cli
from assay.errors import DataError
from assay.sample import PATH


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


def test_the_demo_prints_a_line_per_system_and_writes_what_it_scored() -> None:
    result = CliRunner().invoke(cli, ["demo"], catch_exceptions=False)
    assert result.exit_code == 0
    *table, report = result.stdout.splitlines()
    assert [line.split()[0] for line in table[2:]] == [
        "people",
        "ngram-t0.5",
        "ngram-t0.7",
        "ngram-t1.0",
        "ngram-t1.3",
        "collapsed",
        "retrieval",
    ]
    assert Path("assay-demo/outputs.jsonl").read_bytes() == PATH.read_bytes()
    assert Path("assay-demo/scores.csv").read_text().startswith("unit,item,system,")
    assert Path(report) == Path("assay-demo/out/report.html")
    assert "failed" not in result.stderr


@pytest.mark.slow
def test_the_demo_speaks_json_and_writes_where_it_is_told() -> None:
    result = CliRunner().invoke(cli, ["demo", "here/there", "--json"], catch_exceptions=False)
    steps = json.loads(result.stdout)["steps"]
    assert {"generators", "huse", "scores", "meta", "neighbors", "health"} <= {step["name"] for step in steps}
    assert all(step["failure"] is None for step in steps)
    assert Path("here/there/out/report.html").exists()


def test_a_folder_that_cannot_be_made_is_said_plainly() -> None:
    Path("taken").write_text("")
    with pytest.raises(DataError, match="cannot make the folder"):
        CliRunner().invoke(cli, ["demo", "taken/below"], catch_exceptions=False)
