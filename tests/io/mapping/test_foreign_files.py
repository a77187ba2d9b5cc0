"""Files of other projects come in with one mapping, and `init` proposes most of them."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import assay
from assay.cli import cli
from assay.io.mapping.explain import explained_guess, is_foreign
from tests.io.mapping.foreign_files import COLUMNS, FILES, MQM, Foreign


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
    guessed = explained_guess(str(path), lambda _: None).mapping
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


def test_a_wrong_guess_says_how_to_correct_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("prompt,response,reference\nsay hi,hi,hey\nsay hi,ho,hello\n")
    result = CliRunner().invoke(cli, ["init", "in.csv"])
    assert result.exit_code == 1 and "has another references than" in str(result.exception)
    assert "So the guess is wrong. Correct it: assay init in.csv --map" in str(result.exception)


def test_one_rating_in_a_row_of_several_systems_is_no_rating_of_each(tmp_path: Path) -> None:
    line = "An abstract of a few words number {n},An explanation that is somewhat longer number {n},{rating}\n"
    rows = "".join(line.format(n=n, rating=n % 5) for n in range(8))
    (tmp_path / "in.csv").write_text("abstract,explanation,rating\n" + rows)
    said: list[str] = []
    guessed = explained_guess(str(tmp_path / "in.csv"), said.append).mapping
    assert str(guessed) == "text={system:abstract|explanation}"
    assert any(words.startswith("  left out: rating") for words in said)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.json", '{"gpt2": {"q1": "hi"}}', 'an object with the keys "gpt2", not a list of records. Write one object'),
        ("x.json", "3", "3, not a list of records"),
        ("x.txt", "hi\nho\n", "texts, one per line, are given as --hyp x.txt"),
        ("x.csv", "Größe;Text\n1;hi\n", "x.csv line 1: not UTF-8. Save the file as UTF-8; spreadsheets call"),
    ],
)
def test_files_of_no_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(content.encode("latin-1"))
    result = CliRunner().invoke(cli, ["init", name])
    assert result.exit_code == 1 and message in str(result.exception)


def test_a_table_of_votes_is_ranked_without_a_word_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"q{n},a {n},b {n},x,y,{('model_a', 'model_b', 'tie')[n % 3]},u{n % 2}\n" for n in range(9))
    Path("votes.csv").write_text("prompt,response_a,response_b,model_a,model_b,winner,user\n" + rows)
    result = CliRunner().invoke(cli, ["init", "votes.csv"])
    assert "rank systems: assay prefer votes.csv --criterion preferred" in result.stderr
    named, alone = (
        CliRunner().invoke(cli, ["prefer", "votes.csv", "--json", *words], catch_exceptions=False).stdout
        for words in (["--criterion", "preferred"], [])
    )
    assert named == alone and json.loads(alone)["numbers"]


def test_agreement_on_labels_is_proposed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    MQM(Path("mqm.tsv"))
    assert '[agreement]\ncriteria = ["severity"]' in CliRunner().invoke(cli, ["init", "mqm.tsv"]).stdout


@pytest.mark.parametrize("command", [["compare", "-e", "bleu"], ["meta", "-e", "bleu", "--target", "overall"]])
def test_what_is_no_table_of_scores_says_how_to_read_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    COLUMNS(Path("in.csv"))
    result = CliRunner().invoke(cli, [command[0], "in.csv", *command[1:]])
    assert "If it holds texts or ratings, not scores, this would work: --map 'context=article" in str(result.exception)
