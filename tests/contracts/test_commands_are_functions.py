"""Everything the command line does is a function of the same name in `assay`."""

import ast
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import assay
from assay.cli import COMMANDS
from assay.cli.annotate_command import SUBCOMMANDS

CLI = Path(__file__).parents[2] / "src" / "assay" / "cli"
SAID_BY = {"run": "run_study"}
# A group: each of its subcommands is a function of the package of its name.
GROUP = "annotate"
SINGLE = [name for name in COMMANDS if name != GROUP]


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_a_subcommand_is_a_function_that_it_calls(name: str) -> None:
    assert callable(getattr(getattr(assay, GROUP), name))
    assert name in imported_names(CLI / GROUP / f"{name}_command.py")


@pytest.mark.parametrize("name", SINGLE)
def test_a_command_is_a_function(name: str) -> None:
    assert callable(getattr(assay, name)) and name in dir(assay)


@pytest.mark.parametrize("name", SINGLE)
def test_the_command_calls_it(name: str) -> None:
    """The file of the command imports the function, and does not do the work in another way."""
    assert SAID_BY.get(name, name) in imported_names(CLI / f"{name}_command.py")


def imported_names(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}


def test_names_that_are_packages_too_can_be_called_in_any_order() -> None:
    code = (
        "import assay; first = assay.run; import assay.run, assay.reproduce; assert callable(first);"
        "assert callable(assay.run) and callable(assay.reproduce) and assay.run.score is assay.score"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_study_is_run_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    records = [{"item": str(n), "system": s, "text": f"{s} {n}"} for n in range(4) for s in "ab"]
    Path("outputs.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    study = assay.init("outputs.jsonl")
    assert "[health]" in study
    Path("study.toml").write_text('data = "outputs.jsonl"\n[health]\n')
    result = getattr(assay, "run")("study.toml")  # noqa: B009  a package to the type checker
    assert result.report.exists() and set(result.parts) == {"health"} and not result.failures
    assert "<table" in result._repr_html_()


def test_small_commands_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ASSAY_DATA", str(tmp_path / "data"))
    assert assay.answers() == []
    with pytest.raises(assay.AssayError, match="name the answers to delete"):
        assay.answers(forget=True)
    assert {"name", "here", "terms"} <= set(assay.data()[0])
    assert [one["name"] for one in assay.list(["bleu", "length"])] == ["bleu", "length"]
    (tmp_path / "in.jsonl").write_text('{"text": "a"}\n')
    dataset, notes = assay.convert(tmp_path / "in.jsonl", tmp_path / "out.csv")
    assert assay.load(tmp_path / "out.csv") == dataset and notes == ()
    scores = assay.score(dataset, ["length"])
    assay.save_scores(scores, tmp_path / "scores.csv")
    assert assay.mtme(tmp_path / "scores.csv", tmp_path / "set", pair="en-de")[-1].startswith("wrote 1 evaluators")
    assert importlib.import_module("assay.demonstration").EVALUATORS


def test_paths_in_a_study_are_seen_from_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner

    from assay.cli import cli

    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "studies").mkdir()
    Path("data/answers.csv").write_text("prompt,response,fluency,overall\np,some answer,1,2\nq,other answer,2,3\n")
    done = CliRunner().invoke(cli, ["init", "data/answers.csv", "-o", "studies/first.toml"])
    assert done.exit_code == 0, done.output
    text = Path("studies/first.toml").read_text()
    assert 'data = "../data/answers.csv"' in text and text.index("judgments.overall") < text.index("judgments.fluency")
    Path("studies/first.toml").write_text(text.partition("# What is missing")[0] + "\n[health]\n")
    assert assay.run_study("studies/first.toml", "out").parts["health"].numbers
