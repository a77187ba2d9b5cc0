"""Files of other projects come in with one mapping, and `init` proposes most of them."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import assay
from assay.cli import cli
from assay.io.mapping.explain import is_foreign
from assay.io.mapping.guess import guess_mapping
from assay.io.tabular.rows import read_rows
from tests.io.mapping.foreign_files import FILES, Foreign


@pytest.fixture(params=FILES, ids=lambda foreign: foreign.name)
def foreign(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Foreign, Path]:
    path = tmp_path / request.param.name
    request.param.write(path)
    return request.param, path


def counts(data: assay.Dataset) -> tuple[int, int, int, int]:
    return len(data), len(data.items), len(data.systems), len(data.judgments)


def records(data: assay.Dataset, path: Path) -> list[dict[str, Any]]:
    """The data as written; judgments, whose order is that of the columns in the mapping, are sorted."""
    assay.save(data, path)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return [{**row, "judgments": sorted(row.get("judgments", ()), key=repr)} for row in rows]


def test_one_mapping_is_enough(foreign: tuple[Foreign, Path]) -> None:
    expected, path = foreign
    data = assay.load(path, mapping=expected.mapping)
    assert counts(data) == (expected.outputs, expected.items, expected.systems, expected.judgments)


def test_init_alone(foreign: tuple[Foreign, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    expected, path = foreign
    assert is_foreign(str(path))
    if not expected.guessed:
        return
    guessed = guess_mapping(read_rows(path)).mapping
    written = [
        records(assay.load(path, mapping=mapping), path.with_name("again.jsonl"))
        for mapping in (str(guessed), expected.mapping)
    ]
    assert written[0] == written[1]
    monkeypatch.chdir(path.parent)
    result = CliRunner().invoke(cli, ["init", path.name])
    assert result.exit_code == 0, result.output
    assert "[map]" in result.stdout and "as understood" in result.stderr
    Path("study.toml").write_text(result.stdout)
    again = CliRunner().invoke(cli, ["convert", path.name, "--map", str(guessed), "-o", "out.jsonl"])
    assert again.exit_code == 0, again.output


def test_at_least_five_are_guessed() -> None:
    assert sum(foreign.guessed for foreign in FILES) >= 5
