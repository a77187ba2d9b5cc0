"""`assay contest`, `dectest` and `nuggets` from the outside."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from assay.cli import cli
from assay.errors import AssayError


@pytest.fixture
def sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """60 sets of three texts: the higher the temperature, the fewer words repeat."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    rng = np.random.default_rng(0)
    lines = []
    for number in range(60):
        temperature = 0.2 + 0.01 * number + (0.4 if number % 2 else 0)
        words = [f"w{i}" for i in range(int(4 + 20 * temperature))]
        ratings = [{"criterion": "diversity", "unit": "set", "value": int(rng.integers(5))}] * (number % 2)
        for nth in range(3):
            record = {"text": " ".join(rng.choice(words, 8)), "context": f"c{number // 2}", "set": f"s{number}"}
            record |= {"params": {"temperature": temperature}, "set_columns": {"label_value": float(number % 2)}}
            record["judgments"] = [{"annotator": f"a{k}", **r} for k, r in enumerate(2 * ratings)] if nth == 0 else []
            lines.append(json.dumps(record))
    path = tmp_path / "sets.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def numbers(done: Result, name: str) -> list[dict[str, Any]]:
    assert done.exit_code == 0, done.output
    return [number for number in json.loads(done.stdout)["numbers"] if number["name"] == name]


def test_contest_json(sets: Path) -> None:
    done = run("contest", sets, "-e", "distinct", "-e", "cos_sim(order=1)", "--resamples", 100, "--ranking", "--json")
    for name in ("rho", "oca, corrected", "accuracy over pairs"):
        rows = numbers(done, name)
        assert [row["evaluator"] for row in rows] == ["distinct", "cos_sim(order=1)"]
        for row in rows:
            low, high = row["interval"]
            assert low < row["value"] < high
    assert {row["n"] for row in numbers(done, "rho")} == {60}
    assert {row["n"] for row in numbers(done, "accuracy over pairs")} == {30}
    (pair,) = numbers(done, "rho, difference")
    assert (pair["left"], pair["right"]) == ("distinct", "cos_sim(order=1)")


def test_dectest_json(sets: Path) -> None:
    done = run(
        "dectest", sets, "-e", "distinct", "--subset", 30, "--repeats", 20, "--resamples", 50, "--curve", "--json"
    )
    (mean,) = numbers(done, "rho of subsets, mean")
    assert mean["value"] > 0.5
    tables = {table["name"]: table["rows"] for table in json.loads(done.stdout)["tables"]}
    assert [row[1] for row in tables["dectest-stability-sets"]] == [10, 20, 50]


@pytest.mark.parametrize(
    ("command", "kinds"),
    [
        (
            ("contest", "--ranking", "--high", "1"),
            {"correlation", "contrast", "best_threshold", "ordered_pairs"},
        ),
        (
            ("dectest", "--log10", "--subset", "30", "--repeats", "5"),
            {"correlation", "contrast", "subset_correlation"},
        ),
    ],
    ids=["contest", "dectest"],
)
def test_every_number_is_made_again_from_its_signature(sets: Path, command: tuple[str, ...], kinds: set[str]) -> None:
    done = run(command[0], sets, "-e", "distinct", "-e", "cos_sim", *command[1:], "--resamples", 50, "--json")
    assert done.exit_code == 0, done.output
    by_signature: dict[str, list[dict[str, Any]]] = {}
    for number in json.loads(done.stdout)["numbers"]:
        by_signature.setdefault(number["signature"], []).append(number)
    assert {signature.partition("(")[0] for signature in by_signature} == kinds
    for signature, own in by_signature.items():
        again = run("replay", signature, sets, "--json")
        assert again.exit_code == 0, again.output
        (made,) = json.loads(again.stdout)["numbers"]
        values = {value for value in (*made.values(), *(made["interval"] or [])) if isinstance(value, float)}
        for number in own:
            assert {number["value"], *(number["interval"] or [])} <= values


def test_tables_and_figures(sets: Path, tmp_path: Path) -> None:
    figures = tmp_path / "figures"
    done = run("contest", sets, "-e", "distinct", "-e", "mtld", "--resamples", 20, "--figures", figures, "--ranking")
    assert done.exit_code == 0, done.output
    assert "OCA" in done.stdout and "p (Holm)" in done.stdout and "accuracy" in done.stdout
    done = run(
        "dectest",
        sets,
        "-e",
        "distinct",
        "--resamples",
        20,
        "--figures",
        figures,
        "--curve",
        "--ranking",
        "--repeats",
        5,
        "--ratings",
        "diversity",
    )
    assert done.exit_code == 0, done.output
    assert "ratings per set" in done.stdout
    names = {path.name for path in figures.iterdir()}
    assert names == {
        "contest-distinct.svg",
        "contest-mtld.svg",
        "dectest-distinct.svg",
        "dectest-stability-sets.svg",
        "dectest-stability-ratings.svg",
    }
    assert all(path.read_text().startswith("<svg") for path in figures.iterdir())


def test_nuggets(sets: Path, tmp_path: Path) -> None:
    chosen = tmp_path / "nuggets.jsonl"
    done = run("nuggets", sets, "--group-size", 10, "-o", chosen, "--json")
    (before,), (after,) = numbers(done, "rho before"), numbers(done, "rho after")
    assert after["n"] < before["n"] == 60
    assert abs(after["value"]) < abs(before["value"])
    (rho,) = numbers(run("contest", chosen, "-e", "distinct", "--resamples", 0, "--json"), "rho")
    assert rho["n"] == after["n"]
    assert rho["value"] == pytest.approx(after["value"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["contest", "-e", "distinct", "--label", "labl_value"], "label_value"),
        (["contest", "-e", "distinct", "--label", "temperature"], "assay dectest"),
        (["dectest", "-e", "distinct", "--param", "top_p"], "top_p"),
        (["nuggets", "--label", "temperature"], "two values"),
    ],
)
def test_errors_are_plain(sets: Path, arguments: list[str], message: str) -> None:
    done = run(arguments[0], sets, *arguments[1:])
    assert isinstance(done.exception, AssayError)
    assert message in str(done.exception)


@pytest.mark.parametrize("command", ["score", "compare"])
def test_systems_with_sets_of_other_sizes_come_with_a_caution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    rng = np.random.default_rng(0)
    path = tmp_path / "unequal.jsonl"
    path.write_text(
        "".join(
            json.dumps({"text": " ".join(rng.choice(list("abcdefgh"), 6)), "item": f"i{item}", "system": system}) + "\n"
            for item in range(6)
            for system, size in (("one", 3), ("two", 8))
            for _ in range(size)
        )
    )
    done = run(command, path, "-e", "distinct", "-e", "cos_sim")
    assert done.exit_code == 0, done.output
    assert "distinct: sets have 3 to 8 texts, and its value moves with that number" in done.stderr
    assert "cos_sim: sets have" not in done.stderr


def test_few_contexts_are_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    rng = np.random.default_rng(0)
    lines = [
        {"text": " ".join(rng.choice(list("abcdefgh"), 6)), "context": f"c{number % 3}", "set": f"s{number}"}
        | {"set_columns": {"label_value": float(number % 2)}}
        for number in range(12)
        for _ in range(3)
    ]
    path = tmp_path / "few.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = run("contest", path, "-e", "distinct", "-e", "cos_sim")
    assert done.exit_code == 0, done.output
    assert "distinct: no interval: 3 contexts are too few to draw from, 5 are needed (1 more alike)" in done.stderr
