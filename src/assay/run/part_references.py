"""References that a part of the data cannot find alone: which systems they are taken from, and pools of their texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, DataError
from assay.evaluator import Evaluator
from assay.io.parts import DataPart, DataParts, PartNames
from assay.kernels.ragged import Ragged
from assay.records import Dataset
from assay.references import References, Resolve, Source, listed, outputs_of
from assay.run.executor import Executor
from assay.text.strings import Strings


class Known(NamedTuple):
    """What a source must know of all parts: the systems that references are taken from, and the pool of their texts.

    Only a source that chooses references from all items has a pool.
    """

    systems: frozenset[str]
    pool: Strings | None = None


def sources_of(evaluators: Iterable[Evaluator], sample: Dataset) -> dict[str, References]:
    """The sources of references of evaluators, and of those that they use, by signature."""
    parts = (part for evaluator in evaluators for part in evaluator.parts(sample))
    return {one.signature: one for part in parts if (one := part.references) is not None}


def systems_of(references: References, names: Sequence[PartNames]) -> frozenset[str]:
    """The systems of all parts whose outputs may serve as references."""
    known = {system: False for one in names for system in one.n_of_system}
    known |= {system: True for one in names for system in one.humans}
    return frozenset(references.systems(known))


@dataclass(frozen=True)
class PoolPart:
    """Reads the texts of a part that may serve as references, for each of several choices of systems."""

    systems: tuple[frozenset[str], ...]

    def __call__(self, part: DataPart) -> list[Strings] | str:
        """The texts for each choice, or what is wrong with the part."""
        try:
            dataset = part.load(frozenset({"text"}))
        except AssayError as error:
            return str(error)
        except (MemoryError, OSError) as error:
            return f"{part.path.name}: {type(error).__name__}: {error}".removesuffix(": ")
        return [dataset.outputs.text.take(np.flatnonzero(outputs_of(dataset, one))) for one in self.systems]


def known_of_all(
    data: DataParts, names: Sequence[PartNames], sources: Mapping[str, References], engine: Executor
) -> dict[str, Known]:
    """What sources that look beyond a part must know, by signature; for pools, every part is read."""
    among = {signature: one for signature, one in sources.items() if one.source.among is not None}
    known = {signature: Known(systems_of(one, names)) for signature, one in among.items()}
    pooled = [signature for signature, one in among.items() if one.source.choose is not None]
    if not pooled:
        return known
    found: list[list[Strings]] = []
    for texts in engine.map(PoolPart(tuple(known[signature].systems for signature in pooled)), data.parts):
        if isinstance(texts, str):
            raise DataError(f"{texts}\nReferences that are chosen among the texts of all parts need every part.")
        found.append(texts)
    for number, signature in enumerate(pooled):
        known[signature] = Known(known[signature].systems, Strings.concatenate([texts[number] for texts in found]))
    return known


def with_pools(
    dataset: Dataset, evaluators: Iterable[Evaluator], known: Mapping[str, Known]
) -> tuple[Dataset, dict[str, Resolve]]:
    """A part with the texts of the pools behind its references, and what resolves the sources in it."""
    sources = sources_of(evaluators, dataset)
    references = dataset.items.references
    texts, first = [references.texts], len(dataset.outputs) + len(references.texts)
    resolve: dict[str, Resolve] = {}
    for signature in sources.keys() & known.keys():
        source, (systems, pool) = sources[signature].source, known[signature]
        if pool is None:
            resolve[signature] = partial(_of_part, source, systems)
        else:
            resolve[signature] = partial(_of_pool, source, pool, np.arange(first, first + len(pool)))
            texts.append(pool)
            first += len(pool)
    if len(texts) > 1:
        references = replace(references, texts=Strings.concatenate(texts))
        dataset = replace(dataset, items=replace(dataset.items, references=references))
    return dataset, resolve


def _of_part(source: Source, systems: frozenset[str], dataset: Dataset) -> Ragged:
    return source.find(dataset, outputs_of(dataset, systems))


def _of_pool(source: Source, pool: Strings, numbers: NDArray[np.int64], dataset: Dataset) -> Ragged:
    assert source.choose is not None
    return listed(source.choose(dataset.outputs.text, pool), numbers)
