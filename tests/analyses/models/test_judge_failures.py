"""A host that does not answer is an error, not a file of gaps."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli import cli

URL = "url(x@http://localhost:1/v1)"


@pytest.mark.slow  # it waits between retries
def test_an_unreachable_host_is_an_error_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    (tmp_path / "outputs.jsonl").write_text('{"text": "a"}\n')
    arguments = ["judge", str(tmp_path / "outputs.jsonl"), "--model", URL, "--form", "typicality"]
    result = CliRunner().invoke(cli, [*arguments, "-o", str(tmp_path / "judged.jsonl")])
    assert result.exit_code != 0 and "1 of 1 questions failed for now" in str(result.exception)
    assert not (tmp_path / "judged.jsonl").exists()
