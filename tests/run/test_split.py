"""Splits among generators and judges: nothing shared between parts, shares kept, seeded."""

import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import Dataset, load, save, split
from assay.cli import cli
from assay.errors import DataError


def world(n_human: int = 200, n_generated: int = 60, n_authors: int = 150, seed: int = 0) -> Dataset:
    rng = np.random.default_rng(seed)
    texts, authors = rng.integers(0, 20 * n_human, n_human), rng.integers(0, n_authors, n_human)
    rows = [
        {"text": f"review {text // 10}", "system": "people", "human": True, "author": f"a{author}"}
        for text, author in zip(texts, authors, strict=True)
    ]
    rows += [{"text": f"generated {n}", "system": f"g{n % 3}", "author": f"bot{n}"} for n in range(n_generated)]
    return Dataset.from_records(rows)


def parts(data: Dataset) -> list[tuple[str, str]]:
    columns = data.outputs.columns
    return list(zip(columns["split_for"], columns["split"], strict=True))


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.booleans())
def test_nothing_is_shared_between_parts(seed: int, by_author: bool) -> None:
    data = split(world(seed=seed), columns=("author",) if by_author else (), seed=seed)
    owners = defaultdict(set)
    for output, part in zip(data.iter_outputs(), parts(data), strict=True):
        owners["text", output.text].add(part)
        owners["item", output.item.id].add(part)
        if by_author:
            owners["author", output.columns["author"]].add(part)
        assert output.human or part[0] == "judge"
    assert all(len(found) == 1 for found in owners.values())


def test_shares_are_kept_and_the_seed_decides() -> None:
    data = world(2000, 500)
    first, again, other = (parts(split(data, seed=seed)) for seed in (1, 1, 2))
    assert first == again != other
    human = [part for part, is_human in zip(first, data.human, strict=True) if is_human]
    share = {place: human.count(place) / len(human) for place in set(human)}
    assert share["generator", "train"] == pytest.approx(0.4, abs=0.01)
    assert share["judge", "test"] == pytest.approx(0.05, abs=0.01)
    generated = [part for part, is_human in zip(first, data.human, strict=True) if not is_human]
    assert generated.count(("judge", "train")) == pytest.approx(400, abs=5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"generator": (40, 5)}, "three percentages"),
        ({"generator": (40, 5, 50)}, "add up to 100"),
        ({"columns": ("autor",)}, "Did you mean 'author'"),
        ({"generator": (80, 10, 10), "judge": (0, 0, 0)}, "belong to the judges"),
    ],
)
def test_bad_options_are_plain_errors(options: dict, message: str) -> None:
    with pytest.raises(DataError, match=message):
        split(world(), **options)


def test_one_text_or_texts_of_shared_items_are_plain_errors() -> None:
    with pytest.raises(DataError, match="too few texts are independent"):
        split(Dataset.from_records([{"text": "one", "human": True}]))
    rows = [
        {"item": f"i{n}", "text": f"{who} {n}", "system": who, "human": who == "p"} for n in range(30) for who in "pg"
    ]
    shared = Dataset.from_records(rows)
    with pytest.raises(DataError, match="--generator 0/0/0"):
        split(shared)
    assert {role for role, _ in parts(split(shared, generator=(0, 0, 0), judge=(80, 10, 10)))} == {"judge"}


def test_a_split_is_not_overwritten() -> None:
    with pytest.raises(DataError, match="already"):
        split(split(world()))


def test_the_command_writes_the_columns(tmp_path: Path) -> None:
    save(world(), tmp_path / "data.jsonl")
    arguments = ["split", str(tmp_path / "data.jsonl"), "-o", str(tmp_path / "split.jsonl"), "--seed", "3", "--json"]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    counts = json.loads(result.stdout)["parts"]
    assert sum(row["human"] + row["generated"] for row in counts) == 260
    written = load(str(tmp_path / "split.jsonl"))
    assert parts(written) == parts(split(world(), seed=3))
