"""`assay list` and `assay init` beside packages that are broken: the rest goes on, and the user is told."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli import cli
from tests.packages import install_package

GOOD = """
from assay.evaluator import evaluator, per_unit

@evaluator(scale="0 or 1")
def fine():
    '''Works.'''
    return per_unit(lambda output: 1.0)
"""
STEP = """
from dataclasses import dataclass
from typing import ClassVar

from assay.study.step import Step


@dataclass(frozen=True)
class Odd(Step):
    name: ClassVar[str] = "odd"
    about: ClassVar[str] = "Never proposes anything."

    def run(self, task):
        raise NotImplementedError

    @classmethod
    def proposal(cls, dataset):
        {proposal}
"""
BROKEN = {
    "no_module": "raise ImportError('no such thing')",
    "stops": "import sys; sys.exit(3)",
    "undecorated": "def undecorated(): ...",
    "typed_wrong": GOOD.replace("fine()", "typed_wrong(*, x: 'Nowhere' = 1)"),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one good package and several broken ones, as pip would leave them."""
    folder = tmp_path_factory.mktemp("site")
    for name, code in {"fine": GOOD, **BROKEN, "bleu": GOOD.replace("fine", "bleu")}.items():
        install_package(folder, f"pack_{name}", code, "assay.evaluators", f"{name} = pack_{name}:{name}")
    return folder


def assay(site: Path, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "assay", *arguments]
    return subprocess.run(command, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, cwd=cwd)


def test_broken_packages_leave_the_list_whole(site: Path) -> None:
    done = assay(site, "list")
    assert done.returncode == 0, done.stderr
    listed = {line.split()[0] for line in done.stdout.splitlines() if line.strip()}
    assert {"bleu", "fine", "huse"} <= listed
    assert not set(BROKEN) & listed
    told = done.stderr.splitlines()
    assert len(told) == len(BROKEN) + 1
    for name in BROKEN:
        assert any(f"pack_{name}" in line for line in told), name
    assert "ImportError: no such thing" in done.stderr
    assert any("pack_bleu" in line and "assay itself has already" in line for line in told)


def test_json_tells_them_too(site: Path) -> None:
    answer = json.loads(assay(site, "list", "--json").stdout)
    assert {entry["name"] for entry in answer["evaluators"]} >= {"bleu", "fine"}
    assert set(BROKEN) <= set(answer["broken"])


def test_a_broken_one_by_name_is_an_error(site: Path) -> None:
    done = assay(site, "list", "no_module")
    assert done.returncode == 1
    assert "pack_no_module" in done.stderr
    assert "Traceback" not in done.stderr


def test_one_that_learns_says_from_what_and_that_it_takes_a_model() -> None:
    done = CliRunner().invoke(cli, ["list", "neighbors", "blend", "bleu"], catch_exceptions=False)
    neighbors, blend, bleu = done.stdout.split("\n\n")
    assert "  learns  from judgments of the other folds, or of --train\n" in neighbors
    assert "  learns  from criterion:CRITERION of" in blend
    assert "  model = a folder written by `assay fit`" in neighbors and "  model = " in blend
    assert "learns" not in bleu and "model" not in bleu
    listed = json.loads(CliRunner().invoke(cli, ["list", "--json"]).stdout)["evaluators"]
    assert {one["name"] for one in listed if one["learns_from"]} >= {"neighbors", "blend"}


@pytest.mark.parametrize("proposal", ["raise ValueError('odd')", "return {'key': object()}", "return 5"])
def test_init_leaves_out_a_step_that_fails_to_propose(proposal: str, tmp_path: Path) -> None:
    install_package(tmp_path, "odd_step", STEP.replace("{proposal}", proposal), "assay.studies", "odd = odd_step:Odd")
    (tmp_path / "data.jsonl").write_text('{"text": "one"}\n{"text": "two"}\n')
    done = assay(tmp_path, "init", "data.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "# [odd]: its package failed" in done.stdout
    assert "[odd] is left out" in done.stderr
    assert "Traceback" not in done.stderr
