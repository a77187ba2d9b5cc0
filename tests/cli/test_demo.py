import json
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli import COMMANDS, cli
from assay.cli.demo_command import EVALUATORS, GO_ON
from assay.errors import DataError
from assay.sample import PATH


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


def test_the_demo_prints_a_line_per_system_and_writes_what_it_scored() -> None:
    started = time.process_time()
    result = CliRunner().invoke(cli, ["demo"], catch_exceptions=False)
    assert time.process_time() - started < 60
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()[2:]] == [
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


def test_the_demo_speaks_json_and_writes_where_it_is_told() -> None:
    result = CliRunner().invoke(cli, ["demo", "here/there", "--json"], catch_exceptions=False)
    systems = json.loads(result.stdout)["systems"]
    assert len(systems) == 7
    assert all(set(system["scores"]) == set(EVALUATORS) for system in systems)
    assert Path("here/there/scores.csv").exists()


def test_what_it_proposes_next_are_commands() -> None:
    assert {line.split()[1] for line in GO_ON} <= set(COMMANDS)


def test_a_folder_that_cannot_be_made_is_said_plainly() -> None:
    Path("taken").write_text("")
    with pytest.raises(DataError, match="cannot make the folder"):
        CliRunner().invoke(cli, ["demo", "taken/below"], catch_exceptions=False)
