"""Splits for a study of generators and judges: who may learn from which texts (Garbacea et al. 2019, Figure 1).

Human texts are divided among generators and judges, each with a train, a valid and a test part, so that no judge has
seen what a generator copied. Generated texts go to the judges. What shares a text, an item or a value of a named column
stays together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError, did_you_mean
from assay.kernels.statistics.components import connected
from assay.records import Dataset
from assay.records.tables import is_given
from assay.text.strings import Strings

Codes = NDArray[np.int64]

ROLES, PARTS = ("generator", "judge"), ("train", "valid", "test")
FOR, SPLIT = "split_for", "split"
"""The columns that are written: who the text is for, and in which part."""
USUAL = (40.0, 5.0, 5.0)


class Place(NamedTuple):
    """A part of the split: whose, and which."""

    role: str
    part: str


PLACES = tuple(Place(role, part) for role in ROLES for part in PARTS)


def split(
    data: Dataset,
    *,
    generator: Sequence[float] = USUAL,
    judge: Sequence[float] = USUAL,
    columns: Sequence[str] = (),
    seed: int = 0,
) -> Dataset:
    """Return the data with the output columns `split_for` (generator, judge) and `split` (train, valid, test).

    Args:
        data: human texts, and generated ones if there are any.
        generator: percentages of human texts for the train, valid and test part of generators.
        judge: the same for judges; all six add up to 100. Generated texts are divided in these proportions.
        columns: output columns whose values must not be in two parts, such as an author.
        seed: of the shuffling.
    """
    shares = _shares(generator, judge)
    taken = [name for name in (FOR, SPLIT) if name in data.outputs.columns]
    if taken:
        raise DataError(f"the data has a column {taken[0]!r} already. Remove it, or keep that split.")
    together = _together(data, columns)
    rng = np.random.default_rng(seed)
    with_generated = np.zeros(int(together.max(initial=-1)) + 1, bool)
    with_generated[together[~data.human]] = True
    place_of = np.full(len(with_generated), -1, np.int64)
    for of_kind, wanted in ((with_generated, np.where(_of_judges(), shares, 0.0)), (~with_generated, shares)):
        if of_kind.any():
            _deal(place_of, np.flatnonzero(of_kind), np.bincount(together), wanted, rng)
    place = place_of[together]
    _check_parts(place, shares, bool(with_generated.any()))
    chosen = {
        FOR: Strings.of([PLACES[number].role for number in place.tolist()]),
        SPLIT: Strings.of([PLACES[number].part for number in place.tolist()]),
    }
    return replace(data, outputs=replace(data.outputs, columns={**data.outputs.columns, **chosen}))


def _of_judges() -> NDArray[np.bool_]:
    return np.array([place.role == "judge" for place in PLACES])


def _shares(generator: Sequence[float], judge: Sequence[float]) -> NDArray[np.float64]:
    for role, percentages in zip(ROLES, (generator, judge), strict=True):
        if len(percentages) != len(PARTS) or not all(0 <= share <= 100 for share in percentages):
            raise DataError(f"the parts of a {role} are three percentages, train/valid/test, such as 40/5/5.")
    shares = np.array([*generator, *judge], np.float64)
    if abs(shares.sum() - 100) > 1e-9:
        raise DataError(f"the six parts must add up to 100 percent, and these add up to {shares.sum():g}.")
    return shares


def _together(data: Dataset, columns: Sequence[str]) -> Codes:
    """A number for every output; outputs that share a text, an item or a value have the same."""
    codes = [data.outputs.text.codes().astype(np.int64), data.outputs.item]
    for name in columns:
        if name not in data.outputs.columns:
            raise DataError(f"no output column {name!r} to split by.{did_you_mean(name, data.outputs.columns)}")
        values = data.outputs.columns[name]
        number = values.codes() if isinstance(values, Strings) else np.unique(values, return_inverse=True)[1]
        # A gap is no value that two outputs could share.
        alone = np.arange(len(data)) + int(number.max(initial=-1)) + 1
        codes.append(np.where(is_given(values), number, alone).astype(np.int64))
    return connected(codes)


def _deal(place_of: Codes, groups: Codes, sizes: Codes, shares: NDArray[np.float64], rng: np.random.Generator) -> None:
    """Give each group, largest first and ties shuffled, to the part that lacks most of its share."""
    if not shares.sum():
        raise DataError("generated texts belong to the judges, whose three parts are 0. Give them a share.")
    missing = shares / shares.sum() * sizes[groups].sum()
    order = rng.permutation(groups)
    for group in order[np.argsort(-sizes[order], kind="stable")].tolist():
        place = int(np.where(shares > 0, missing, -np.inf).argmax())
        place_of[group] = place
        missing[place] -= sizes[group]


def _check_parts(place: Codes, shares: NDArray[np.float64], has_generated: bool) -> None:
    counts = np.bincount(place, minlength=len(PLACES))
    empty = [f"{PLACES[n].role} {PLACES[n].part}" for n in np.flatnonzero((shares > 0) & (counts == 0)).tolist()]
    if not empty:
        return
    remedy = "Give fewer parts a share, or more texts."
    if has_generated and all(name.startswith("generator") for name in empty):
        remedy = (
            "Human texts that share an item with generated ones belong to the judges: split those alone with "
            "--generator 0/0/0 --judge 80/10/10."
        )
    raise DataError(f"nothing is left for {', '.join(empty)}: too few texts are independent of each other. {remedy}")
