"""A batch of pairs says which outputs it is about."""

import numpy as np

from assay.batch import Batch, TextBank, make_batch, text_numbers
from assay.records import Dataset
from assay.units import Units

ROWS = [
    {"id": f"{item}{system}{n}", "item": item, "system": system, "set": f"{item}{system}", "text": f"{item} {n}"}
    for item in "pq"
    for system in "ab"
    for n in range(4)
]
DATA = Dataset.from_records(ROWS)


def batch_of(kind: str, rows: list[int] | None = None) -> Batch:
    units = Units(kind, DATA)
    chosen = np.arange(len(units)) if rows is None else np.array(rows)
    return make_batch(units, chosen, None, TextBank(DATA, text_numbers(units, chosen, [])))


def names(batch: Batch) -> list[str]:
    """The ids its units have, by row."""
    ids = batch.units.ids
    return [ids[int(row)] for row in batch.rows]


def outputs(batch: Batch) -> list[str]:
    """The ids its outputs spell."""
    return ["|".join(output.id for output in pair) for pair in batch.iter_outputs()]


def test_pairs_of_some_sets_have_the_names_and_items_of_their_outputs():
    for batch in (batch_of("set", [3, 1]), batch_of("system")):
        pairs, _ = batch.pairs()
        assert names(pairs) == outputs(pairs)
        for row, (left, right) in zip(pairs.rows, pairs.iter_outputs(), strict=True):
            item, system = pairs.units.item[row], pairs.units.system[row]
            assert (DATA.items.id[int(item)] if item >= 0 else None) == (
                left.item.id if left.item.id == right.item.id else None
            )
            assert DATA.systems.id[int(system)] == left.system


def test_pairs_stand_in_one_order_whether_they_are_units_or_are_made_from_sets():
    made, _ = batch_of("set").pairs()
    assert names(batch_of("pair")) == names(made)
    assert np.array_equal(batch_of("pair").members.values, made.members.values)
    assert len(set(names(made))) == 4 * 6


def test_some_pairs_keep_their_names():
    pairs, _ = batch_of("set").pairs()
    some = pairs.take(np.array([5, 2]))
    assert names(some) == [names(pairs)[5], names(pairs)[2]]
