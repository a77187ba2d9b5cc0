"""How original a generator is: what it copied from its training texts, and how much it repeats itself."""

from __future__ import annotations

from math import isnan, nan

import numpy as np
from numpy.typing import NDArray

from assay.analyses.words import counted
from assay.errors import DataError
from assay.kernels.overlap.copied import LONGEST, Copied, copied
from assay.kernels.statistics.student import spread, student_interval
from assay.limits import check_share
from assay.metaeval.questions.question import signature
from assay.part import Bounded, Cell, Number, Part, Table
from assay.records import Dataset
from assay.run import score
from assay.text.strings import Strings
from assay.text.tokenizers import check_tokenizer, tokenize

ORDERS = 4
SHINGLE = 3
"""Near duplicates share n-grams of this order."""
MOST_COMPARED = 5_000
"""Texts of one system that are compared with each other, and whose diversity is measured."""
SETS = {"Self-BLEU": "self_bleu", "type-token ratio": "type_token_ratio"}
FEWEST_ITEMS = 5
COLUMNS = {
    "copied": "4-grams in training texts",
    "longest": "longest copied span, mean",
    "longest_of_all": "longest",
    "copies": "whole texts copied",
    "near_duplicates": "near duplicates",
}


def originality(
    data: Dataset,
    train: Dataset | None = None,
    *,
    tokenizer: str = "lower+13a",
    near: float = 0.8,
    confidence: float = 0.95,
    seed: int = 0,
) -> Part:
    """Measure for each system what it copied from training texts, how often it repeats itself, and its diversity.

    Args:
        data: outputs of generators, and human texts for comparison.
        train: the texts that the generators were trained on; without them nothing is said about copying.
        tokenizer: of words for spans and n-grams.
        near: texts of one system whose sets of trigrams have at least this Jaccard similarity are near duplicates.
        confidence: of the intervals, over items.
        seed: of the samples of equal size on which diversity is measured.
    """
    check_tokenizer(tokenizer)
    if not 0 < near <= 1:
        raise DataError("near must lie above 0 and at most 1, such as 0.8.")
    check_share("confidence", confidence)
    size = int(min(MOST_COMPARED, np.diff(data.outputs_by_system.offsets).min()))
    sample = _equal_sample(data, size, np.random.default_rng(seed))
    numbers = [
        *(_copied(data, train, tokenizer, confidence) if train is not None else ()),
        *_repeated(sample, tokenizer, near),
        *_diverse(sample),
    ]
    notes = [] if train is not None else ["No training texts are given: nothing is said about copying."]
    return Part(
        title="Originality",
        summary=(
            f"{counted(len(data), 'text')} of {counted(len(data.systems), 'system')}"
            + (f", compared with {counted(len(train), 'training text')}. " if train is not None else ". ")
            + f"Near duplicates, Self-BLEU and type-token ratio are of {counted(size, 'text')} of every system."
        ),
        answers={"wrong": _sentences(numbers, data)},
        numbers=tuple(numbers),
        tables=(_table(numbers, data, train is not None),),
        notes=tuple(notes),
        seed=seed,
    )


def _equal_sample(data: Dataset, size: int, rng: np.random.Generator) -> Dataset:
    """As many outputs of every system, since diversity depends on the number."""
    keep = np.zeros(len(data), bool)
    groups = data.outputs_by_system
    for system in range(len(groups)):
        keep[rng.permutation(groups[system])[:size]] = True
    return data.select(keep)


def _copied(data: Dataset, train: Dataset, tokenizer: str, confidence: float) -> list[Number]:
    tokens = tokenize(Strings.concatenate([data.outputs.text, train.outputs.text]), tokenizer)
    found = copied(tokens.ids, tokens.offsets, len(data), ORDERS)
    lengths = tokens.lengths[: len(data)]
    whole = (lengths > 0) & (found.longest >= np.minimum(lengths, LONGEST))
    numbers = []
    groups = data.outputs_by_system
    for row, system in enumerate(data.systems.id):
        rows = groups[row]
        for order in range(1, ORDERS + 1):
            numbers.append(_share(data, found, rows, order, system, tokenizer, confidence))
        made = {"tokenizer": tokenizer, "system": system}
        for name, value in (
            ("longest", float(found.longest[rows].mean())),
            ("longest_of_all", float(found.longest[rows].max())),
            ("copies", float(whole[rows].mean())),
        ):
            numbers.append(
                Number(name, value, len(rows), signature("originality", of=name, **made), about={"system": system})
            )
    return numbers


def _share(
    data: Dataset,
    found: Copied,
    rows: NDArray[np.int64],
    order: int,
    system: str,
    tokenizer: str,
    confidence: float,
) -> Number:
    """The share of the n-grams of a system that training texts contain, with an interval over items."""
    name = "copied" if order == ORDERS else f"copied_{order}"
    made = signature("originality", of=name, tokenizer=tokenizer, system=system, confidence=confidence)
    item = np.unique(data.outputs.item[rows], return_inverse=True)[1]
    n = np.bincount(item, weights=found.n_grams[order - 1][rows])
    hits = np.bincount(item, weights=found.n_found[order - 1][rows])
    about = {"system": system, "order": order}
    if not n.sum():
        return Number(name, nan, 0, made, reason=f"no text of {order} words", about=about)
    value = float(hits.sum() / n.sum())
    given = n > 0
    if given.sum() < FEWEST_ITEMS:
        why = f"no interval from fewer than {FEWEST_ITEMS} items"
        return Number(name, value, int(n.sum()), made, reason=why, about=about)
    left_out = (hits.sum() - hits[given]) / (n.sum() - n[given])
    ends = student_interval(value, spread([left_out], 1.0), confidence)
    if isnan(ends.low):
        return Number(name, value, int(n.sum()), made, reason="nothing varies between items: no interval", about=about)
    low, high = max(0.0, ends.low), min(1.0, ends.high)
    return Number(name, value, int(n.sum()), made, low=low, high=high, about=about)


def _repeated(sample: Dataset, tokenizer: str, near: float) -> list[Number]:
    """The share of texts that another text of the system nearly equals."""
    from scipy.sparse import csr_array

    tokens = tokenize(sample.outputs.text, tokenizer)
    numbers = []
    groups = sample.outputs_by_system
    for row, system in enumerate(sample.systems.id):
        rows = groups[row]
        shingles: dict[tuple[int, ...], int] = {}
        own = [_shingles(tokens.ids[tokens.offsets[text] : tokens.offsets[text + 1]].tolist()) for text in rows]
        columns = [shingles.setdefault(gram, len(shingles)) for grams in own for gram in grams]
        ends = np.cumsum([0, *map(len, own)])
        matrix = csr_array((np.ones(len(columns)), columns, ends), shape=(len(rows), max(1, len(shingles))))
        shared = (matrix @ matrix.T).tocoo()
        sizes = np.diff(ends)
        union = sizes[shared.row] + sizes[shared.col] - shared.data
        alike = (shared.row != shared.col) & (shared.data >= near * union)
        value = len(np.unique(shared.row[alike])) / len(rows) if len(rows) > 1 else nan
        made = signature("originality", of="near_duplicates", tokenizer=tokenizer, near=near, system=system)
        reason = "" if len(rows) > 1 else "one text has nothing to repeat"
        numbers.append(Number("near_duplicates", value, len(rows), made, reason=reason, about={"system": system}))
    return numbers


def _shingles(words: list[int]) -> set[tuple[int, ...]]:
    """The trigrams of a text; a shorter text is one by itself."""
    if len(words) <= SHINGLE:
        return {tuple(words)} if words else set()
    return {tuple(words[at : at + SHINGLE]) for at in range(len(words) - SHINGLE + 1)}


def _diverse(sample: Dataset) -> list[Number]:
    table = score(sample, list(SETS.values()), unit="system", failures="error")
    return [
        Number(name, float(column.values[row]), 1, column.signature, reason=column.gaps[row], about={"system": system})
        for name, call in SETS.items()
        for column in (table[call],)
        for row, system in enumerate(table.unit)
    ]


def _sentences(numbers: list[Number], data: Dataset) -> list[str]:
    generated = {system for system, human in zip(data.systems.id, data.systems.human, strict=True) if not human}
    sentences = []
    for name, words in (
        ("copied", "of its 4-grams are in the training texts"),
        ("near_duplicates", "of its texts repeat another one"),
    ):
        own = [n for n in numbers if n.name == name and n.about["system"] in generated and n.value == n.value]
        if own:
            most = max(own, key=lambda number: number.value)
            tied = sum(number.value == most.value for number in own) > 1
            if most.value > 0:
                rank = "as many as of another generator, and of none more" if tied else "the most of all generators"
                sentences.append(f"{most.about['system']}: {most.value:.0%} {words}, {rank}.")
    return sentences


def _table(numbers: list[Number], data: Dataset, with_copies: bool) -> Table:
    cells = {(number.name, number.about["system"]): number for number in numbers}
    names = [name for name in COLUMNS if with_copies or name == "near_duplicates"]
    rows = []
    for system, human in zip(data.systems.id, data.systems.human, strict=True):
        own: list[Cell] = [system, "human" if human else "generator"]
        for name in (*names, *SETS):
            number = cells[name, system]
            own.append(Bounded(number.value, number.low, number.high) if name == "copied" else number.value)
        rows.append(tuple(own))
    return Table(
        "originality",
        "What is copied and repeated",
        ("system", "of", *(COLUMNS[name] for name in names), *SETS),
        tuple(rows),
        note=f"Spans are of at most {LONGEST} words. Human texts show how much is shared without copying.",
    )
