"""What is checked over all parts before any is scored: ids, units that must not span parts, and references."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, DataError
from assay.io.parts import DataPart, DataParts, PartNames, repeated_keys
from assay.references import References
from assay.run.executor import Executor
from assay.run.part_plan import Plan, fields_read
from assay.run.part_references import sources_of
from assay.run.part_scores import PartOutcome

# What must not span parts, where units of a kind are scored.
TOGETHER = {"set": "set", "pair": "set", "matchup": "item"}


def check_parts(data: DataParts, names: Sequence[PartNames], plan: Plan, sources: Collection[References]) -> None:
    """Refuse ids that two outputs share, units that span parts, and systems that are human in some parts only."""
    for key, one, other in repeated_keys([part.id for part in names]):
        ids = [data.parts[number].ids_with(key) for number in {one, other}]
        shared = [name for name in ids[0] if ids[0].count(name) + (ids[1].count(name) if len(ids) > 1 else 0) > 1]
        if shared:
            where = f"{data.parts[one].path.name} and {data.parts[other].path.name}"
            raise DataError(f"the id {shared[0]!r} is in {where}. Give every output its own id.")
    _check_people(data, names)
    for kind in dict.fromkeys([plan.kind, *plan.native.values()]):
        if kind in TOGETHER:
            _check_together(data, names, TOGETHER[kind], f"scores of {kind}s need them together")
    if any(part.has_marks for part in names) and sources:
        _check_together(data, names, "item", "outputs marked is_reference are references for the others of their item")
    for source in sources:
        if source.source.of_item:
            _check_together(data, names, "item", f"{source!r} needs them together")


def _check_people(data: DataParts, names: Sequence[PartNames]) -> None:
    """Refuse a system that is human in one part and not in another: a part is read alone."""
    for system in sorted(frozenset[str]().union(*(part.humans for part in names))):
        here = [number for number, part in enumerate(names) if system in part.n_of_system]
        said, unsaid = ([n for n in here if (system in names[n].humans) is answer] for answer in (True, False))
        if unsaid:
            raise DataError(
                f"the system {system!r} is human in {data.parts[said[0]].path.name} and not in "
                f"{data.parts[unsaid[0]].path.name}. Give every line of a system the same human."
            )


def _check_together(data: DataParts, names: Sequence[PartNames], what: str, why: str) -> None:
    """Refuse a set or an item that spans parts."""
    for _, one, other in repeated_keys([getattr(part, what) for part in names]):
        where = f"{data.parts[one].path.name} and {data.parts[other].path.name}"
        raise DataError(
            f"outputs of one {what} are in {where}, and {why}. Bring them together once: assay partition "
            f"{data.where} -o PARTS"
        )


def check_items(
    data: DataParts, names: Sequence[PartNames], plan: Plan, sources: Collection[References], engine: Executor
) -> bool:
    """Refuse an item of which two parts say different things that are read where parts are scored.

    What an item has must be in every part. References alone may be left out: units that lack them are gaps. Returns
    whether an item has references in one part and none in another.
    """
    shared = {number for _, *pair in repeated_keys([part.item for part in names]) for number in pair}
    read = fields_read(plan.in_parts.values(), plan.sample)
    fields = [*(field for field in ("context", "choices") if field in read), *["references"] * bool(sources)]
    if not shared or not fields:
        return False
    parts = [data.parts[number] for number in sorted(shared)]
    found = [(part, keys) for part, keys in zip(parts, engine.map(_item_keys, parts), strict=True) if keys]
    for field in fields if found else ():
        _check_equal(found, field)
    if not found or "references" not in fields:
        return False
    items, values = (np.concatenate([keys[name] for _, keys in found]) for name in ("id", "references"))
    return bool(np.isin(items[values == 0], items[values != 0]).any())


def _check_equal(found: Sequence[tuple[DataPart, Mapping[str, NDArray[np.uint64]]]], field: str) -> None:
    """Refuse an item that has other texts in a field in another part."""
    items, values = (np.concatenate([keys[name] for _, keys in found]) for name in ("id", field))
    part_of = np.repeat(np.arange(len(found)), [len(keys["id"]) for _, keys in found])
    rows = np.flatnonzero(values) if field == "references" else np.arange(len(items))
    rows = rows[np.argsort(items[rows], kind="stable")]
    differ = (np.diff(items[rows]) == 0) & (values[rows][1:] != values[rows][:-1])
    for at in np.flatnonzero(differ)[:1].tolist():
        one, other = (found[part_of[rows[at + side]]][0] for side in (0, 1))
        of_item = one.load().items.id
        item = of_item[int(np.flatnonzero(of_item.keys() == items[rows[at]])[0])]
        raise DataError(
            f"item {item!r} has other {field} in {other.path.name} than in {one.path.name}. Make them equal, or "
            "give them in one part with all outputs of the item."
        )


def _item_keys(part: DataPart) -> dict[str, NDArray[np.uint64]] | None:
    try:
        return part.item_keys()
    except (AssayError, OSError):
        return None  # it is named when it is scored


def lost_references(plan: Plan, outcomes: Collection[PartOutcome]) -> Iterator[str]:
    """Say which evaluators lack references that stand in another part: data may give those of an item once."""
    for name, evaluator in plan.in_parts.items():
        if all(one.source.among is not None for one in sources_of([evaluator], plan.sample).values()):
            continue
        columns = [one.sums[name] for one in outcomes if one.sums is not None]
        n = sum(own.reasons["no references"] for column in columns for own in column.systems.values())
        if n:
            yield (
                f"{name}: {n} units have no references in their part, and some items have them in another. Give every "
                "line the references of its item, or bring items together: assay partition"
            )
