"""What is checked over all parts before any is scored: ids, units that must not span parts, and references."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, DataError
from assay.io.parts import DataPart, DataParts, PartNames, repeated_keys
from assay.references import References
from assay.run.executor import Executor
from assay.run.part_plan import Plan
from assay.run.partial_sums import ColumnSums

# What must not span parts, where units of a kind are scored.
TOGETHER = {"set": "set", "pair": "set", "matchup": "item"}


def check_parts(data: DataParts, names: Sequence[PartNames], plan: Plan, sources: Collection[References]) -> None:
    """Refuse ids that two outputs share, and units that span parts."""
    for key, one, other in repeated_keys([part.id for part in names]):
        ids = [data.parts[number].ids_with(key) for number in {one, other}]
        shared = [name for name in ids[0] if ids[0].count(name) + (ids[1].count(name) if len(ids) > 1 else 0) > 1]
        if shared:
            where = f"{data.parts[one].path.name} and {data.parts[other].path.name}"
            raise DataError(f"the id {shared[0]!r} is in {where}. Give every output its own id.")
    for kind in dict.fromkeys([plan.kind, *plan.native.values()]):
        if kind in TOGETHER:
            _check_together(data, names, TOGETHER[kind], f"scores of {kind}s need them together")
    if any(part.has_marks for part in names) and sources:
        _check_together(data, names, "item", "outputs marked is_reference are references for the others of their item")
    for source in sources:
        if source.source.of_item:
            _check_together(data, names, "item", f"{source!r} needs them together")


def _check_together(data: DataParts, names: Sequence[PartNames], what: str, why: str) -> None:
    """Refuse a set or an item that spans parts."""
    for _, one, other in repeated_keys([getattr(part, what) for part in names]):
        where = f"{data.parts[one].path.name} and {data.parts[other].path.name}"
        raise DataError(
            f"outputs of one {what} are in {where}, and {why}. Bring them together once: assay partition "
            f"{data.where} -o PARTS"
        )


def check_references(
    data: DataParts, names: Sequence[PartNames], sources: Collection[References], engine: Executor
) -> None:
    """Refuse an item that has other references in another part, as one file with both is refused."""
    shared = {number for _, *pair in repeated_keys([part.item for part in names]) for number in pair}
    if not shared or not sources:
        return
    parts = [replace(data.parts[number], path=data.parts[number].path.absolute()) for number in sorted(shared)]
    found = [(keys, part) for keys, part in zip(engine.map(_reference_keys, parts), parts, strict=True) if keys]
    if not found:
        return
    items, references = (np.concatenate([keys[side] for keys, _ in found]) for side in (0, 1))
    part_of = np.repeat(np.arange(len(found)), [len(keys[0]) for keys, _ in found])
    order = np.argsort(items, kind="stable")
    differ = (np.diff(items[order]) == 0) & (references[order][1:] != references[order][:-1])
    for at in np.flatnonzero(differ)[:1].tolist():
        one, other = (found[part_of[order[at + side]]][1] for side in (0, 1))
        of_item = one.load().items.id
        item = of_item[int(np.flatnonzero(of_item.keys() == items[order[at]])[0])]
        raise DataError(
            f"item {item!r} has other references in {other.path.name} than in {one.path.name}. Make them equal, or "
            "give them in one part with all outputs of the item."
        )


def _reference_keys(part: DataPart) -> tuple[NDArray[np.uint64], NDArray[np.uint64]] | None:
    try:
        return part.reference_keys()
    except (AssayError, OSError):
        return None  # it is named when it is scored


def lost_references(sums: Mapping[str, ColumnSums], names: Sequence[PartNames]) -> Iterator[str]:
    """Say that references may stand in another part: data may give those of an item once."""
    for name, column in sums.items():
        n = sum(one.reasons["no references"] for one in column.systems.values())
        if n and next(repeated_keys([part.item for part in names]), None):
            yield (
                f"{name}: {n} units have no references in their part, and some items are in several parts. Give every "
                "line the references of its item, or bring items together: assay partition"
            )
