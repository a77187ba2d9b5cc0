"""`assay gate`: the exit code is the verdict."""

import json

import pytest
from click.testing import CliRunner

from assay.cli import cli
from assay.sample import PATH

TYPICALITY = "human(criterion='typicality')"


@pytest.mark.parametrize(("system", "baseline", "code"), [("ngram-t0.5", "ngram-t1.3", 0), ("ngram-t1.3", "people", 1)])
def test_exit_code(system: str, baseline: str, code: int) -> None:
    arguments = ["gate", str(PATH), "--better-than", baseline, "--by", TYPICALITY, "--systems", system, "--json"]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == code, result.output
    assert json.loads(result.stdout)["passed"] is (code == 0)


@pytest.mark.parametrize(
    "options",
    ["", "--better-than a --not-worse-than b", "--not-worse-than a", "--better-than a --margin 1"],
)
def test_usage(options: str) -> None:
    assert CliRunner().invoke(cli, ["gate", str(PATH), "--by", "bleu", *options.split()]).exit_code == 2
