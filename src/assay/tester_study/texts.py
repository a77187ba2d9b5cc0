"""The human texts of a testbed, divided between the generators that learn from them and the judges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.records import Dataset
from assay.records.unflat import flat_records
from assay.run.split import FOR, SPLIT, split

PEOPLE = "people"
FEWEST = 60  # texts: half of them for generators, which hold out a tenth
OF_ITEMS = ("context", "references", "choices", "target")
# What is about other systems, or was said by others about the texts.
NOT_ABOUT_THE_TEXT = ("logprobs", "n_tokens", "judgments", "params", "criteria", "set_columns", FOR, SPLIT)


@dataclass(frozen=True)
class DividedTexts:
    """Texts for generators to learn from, and texts that no generator has seen."""

    train: Dataset
    people: Dataset

    def items(self, n: int, seed: int) -> Dataset:
        """The human texts of `n` items for which generators write, drawn at random."""
        chosen = np.random.default_rng(seed).permutation(len(self.people.items))[:n]
        return self.people.select(np.isin(self.people.outputs.item, chosen))


def divide(dataset: Dataset, seed: int) -> DividedTexts:
    """Divide the human texts of a dataset, all texts where none is marked, into two halves by item and text."""
    some_are_human = bool(dataset.human.any())
    records: list[dict[str, Any]] = []
    for row, record in enumerate(whole_records(dataset)):
        if (dataset.human[row] or not some_are_human) and record["text"].split():
            kept = {key: value for key, value in record.items() if key not in NOT_ABOUT_THE_TEXT}
            records.append(kept | {"system": PEOPLE, "set": f"{record['item']}/{PEOPLE}", "human": True})
    n_distinct = len({" ".join(record["text"].split()) for record in records})
    if n_distinct < FEWEST:
        raise DataError(f"{n_distinct} different human texts are too few for a testbed; give at least {FEWEST}.")
    divided = split(Dataset.from_records(records, "human texts"), generator=(50, 0, 0), judge=(0, 0, 50), seed=seed)
    for_generators = np.array([role == "generator" for role in divided.outputs.columns[FOR]])
    return DividedTexts(divided.select(for_generators), divided.select(~for_generators))


def whole_records(dataset: Dataset) -> Iterator[dict[str, Any]]:
    """Flat records, each with all that is known of its item, not only that of the item's first output."""
    about: dict[str, dict[str, Any]] = {}
    for record in flat_records(dataset):
        own: dict[str, Any] = {key: record[key] for key in OF_ITEMS if key in record}
        yield record | about.setdefault(record["item"], own)
