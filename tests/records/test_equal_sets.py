"""Sets of one size, drawn from sets of many."""

import numpy as np
import pytest
from click.testing import CliRunner

from assay.cli import cli
from assay.io import load, save
from assay.records import Dataset
from assay.records.equal_sets import equal_sets


def sets(**sizes: list[int]) -> Dataset:
    return Dataset.from_records(
        {"text": f"{system} {number} {nth}", "item": f"i{number}", "system": system}
        for system, own in sizes.items()
        for number, size in enumerate(own)
        for nth in range(size)
    )


def test_every_set_has_one_size_and_no_text_twice() -> None:
    data = sets(people=[3] * 10, model=[7, 8] * 5)
    found = equal_sets(data, np.random.default_rng(0))
    assert found is not None and (found.size, found.n_left_out, found.drawn) == (3, 0, True)
    assert found.dataset.outputs_by_set.lengths.tolist() == [3] * 20
    assert len(set(found.dataset.outputs.text.to_list())) == 60
    other = equal_sets(data, np.random.default_rng(1))
    assert other is not None and other.dataset.outputs.text.to_list() != found.dataset.outputs.text.to_list()


def test_every_text_of_a_set_is_as_likely() -> None:
    data = sets(a=[2], b=[4])
    kept = [equal_sets(data, np.random.default_rng(seed)) for seed in range(400)]
    drawn = [text for found in kept if found for text in found.dataset.outputs.text.to_list() if text[0] == "b"]
    assert np.unique(drawn, return_counts=True)[1] == pytest.approx([200] * 4, abs=45)


def test_a_few_small_sets_are_left_out_and_counted() -> None:
    found = equal_sets(sets(a=[5] * 19 + [2], b=[6] * 18 + [1, 1]), np.random.default_rng(0))
    assert found is not None and (found.size, found.n_left_out) == (5, 3)
    assert equal_sets(sets(a=[1, 1]), np.random.default_rng(0)) is None


def test_equal_sets_need_no_draw() -> None:
    found = equal_sets(sets(a=[3, 3], b=[3, 3]), np.random.default_rng(0))
    assert found is not None and not found.drawn and found.dataset == sets(a=[3, 3], b=[3, 3])


def test_the_command_draws_them(tmp_path) -> None:
    save(sets(people=[3] * 9 + [1], model=[7] * 10), tmp_path / "all.jsonl")
    done = CliRunner().invoke(
        cli, ["convert", str(tmp_path / "all.jsonl"), "--equal-sets", "-o", str(tmp_path / "equal.jsonl")]
    )
    assert done.exit_code == 0, done.output
    assert "kept 3 outputs of every set; 1 smaller sets are dropped" in done.stderr
    assert set(load(tmp_path / "equal.jsonl").outputs_by_set.lengths.tolist()) == {3}
    save(sets(a=[1, 1]), tmp_path / "single.jsonl")
    refused = CliRunner().invoke(
        cli, ["convert", str(tmp_path / "single.jsonl"), "--equal-sets", "-o", str(tmp_path / "no.jsonl")]
    )
    assert refused.exit_code == 1 and not (tmp_path / "no.jsonl").exists()
