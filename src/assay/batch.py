"""Batches: units with their texts as token ids, tokenized once for all evaluators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from assay.kernels.overlap.key_counts import KeyedNGrams, keyed_ngrams
from assay.kernels.overlap.ngrams import ngram_ids
from assay.kernels.pairs.set_pairs import pairs_within
from assay.kernels.ragged import Ragged, running_offsets
from assay.records import Dataset, Output
from assay.scores import PAIRED, Column, Gaps
from assay.text.strings import Strings, joined
from assay.text.tokenizers import tokenize
from assay.text.tokens import Tokens
from assay.units import Units

# The n-gram id at each position, a row per order, and the number of distinct n-grams of each order.
NGrams = tuple[NDArray[np.int32], NDArray[np.int64]]

# Joins the tokens of an n-gram that is spelled out.
SEPARATOR = "\x1f"

# The most pairs compared in one unit: all pairs of 1,414 texts.
MAX_PAIRS = 1_000_000


class TextBank:
    """The texts of a chunk, tokenized once per tokenizer and shared by all evaluators."""

    def __init__(self, dataset: Dataset, numbers: NDArray[np.int64]) -> None:
        """Hold the texts with these numbers (see `assay.references`), sorted and distinct."""
        n = len(dataset.outputs)
        outputs, references = dataset.outputs.text, dataset.items.references.texts
        if len(numbers) < n + len(references):
            outputs, references = outputs.take(numbers[numbers < n]), references.take(numbers[numbers >= n] - n)
        self._hold(numbers, Strings.concatenate([outputs, references]))

    @classmethod
    def of(cls, texts: Strings) -> TextBank:
        """A bank of other texts, numbered from 0."""
        bank = cls.__new__(cls)
        bank._hold(np.arange(len(texts)), texts)
        return bank

    def _hold(self, numbers: NDArray[np.int64], texts: Strings) -> None:
        self._numbers = numbers
        self.texts = texts
        self._tokens: dict[str, Tokens] = {}
        self._ngrams: dict[tuple[str, int], NGrams] = {}
        self._spelled: dict[tuple[str, int], Strings] = {}
        self._keyed: dict[tuple[str, int], list[KeyedNGrams]] = {}
        self._beside: dict[str, TextBank] = {}
        self._lock = Lock()

    @property
    def n_own(self) -> int:
        """The number of texts of the chunk itself; those of `beside` follow."""
        return len(self._numbers)

    def beside(self, dataset: Dataset) -> TextBank:
        """A bank with the same rows, followed by all outputs and references of other data.

        Training and scored texts then share their token and n-gram ids.
        """
        with self._lock:
            if dataset.fingerprint not in self._beside:
                bank = TextBank.__new__(TextBank)
                texts = [self.texts, dataset.outputs.text, dataset.items.references.texts]
                bank._hold(self._numbers, Strings.concatenate(texts))
                self._beside[dataset.fingerprint] = bank
            return self._beside[dataset.fingerprint]

    def rows(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of the texts with these numbers."""
        return np.searchsorted(self._numbers, numbers)

    def numbers(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of the texts in these rows."""
        return self._numbers[rows]

    def tokens(self, tokenizer: str) -> Tokens:
        """The texts as token ids."""
        with self._lock:
            if tokenizer not in self._tokens:
                self._tokens[tokenizer] = tokenize(self.texts, tokenizer)
            return self._tokens[tokenizer]

    def ngrams(self, tokenizer: str, max_order: int) -> NGrams:
        """The n-grams of the texts, up to an order."""
        tokens = self.tokens(tokenizer)
        with self._lock:
            held = [order for name, order in self._ngrams if name == tokenizer and order >= max_order]
            if not held:
                self._ngrams[tokenizer, max_order] = ngram_ids(tokens.ids, tokens.offsets, max_order)
            grams, sizes = self._ngrams[tokenizer, held[0] if held else max_order]
            return grams[:max_order], sizes[:max_order]

    def spelled_ngrams(self, tokenizer: str, order: int) -> Strings:
        """The n-grams of one order as texts, by id; tokens are joined by SEPARATOR."""
        key = (tokenizer, order)
        tokens, (grams, sizes) = self.tokens(tokenizer), self.ngrams(tokenizer, order)
        with self._lock:
            if key not in self._spelled:
                at = np.flatnonzero(grams[order - 1] >= 0)[::-1]
                first = np.zeros(sizes[order - 1], np.int64)
                first[grams[order - 1, at]] = at
                parts = [tokens.vocabulary.take(tokens.ids[first + n]) for n in range(order)]
                self._spelled[key] = joined(parts, SEPARATOR)
            return self._spelled[key]

    def keyed_ngrams(self, tokenizer: str, max_order: int) -> list[KeyedNGrams]:
        """How often the n-grams of each order are in each text, with keys that other texts do not change."""
        tokens, (grams, sizes) = self.tokens(tokenizer), self.ngrams(tokenizer, max_order)
        with self._lock:
            key = tokenizer, max_order
            if key not in self._keyed:
                of_token, texts = tokens.vocabulary.keys(), (tokens.ids, tokens.offsets)
                self._keyed[key] = [
                    keyed_ngrams(grams[n], int(sizes[n]), n + 1, *texts, of_token) for n in range(max_order)
                ]
            return self._keyed[key]


@dataclass(frozen=True, eq=False)
class Used:
    """The scores of a used evaluator, grouped by unit: of the unit itself, or of its outputs or pairs."""

    column: Column
    groups: Ragged
    """The rows of `column` of each unit."""

    @property
    def values(self) -> NDArray[np.float64]:
        """The scores, grouped by unit."""
        values: NDArray[np.float64] = self.column.values[self.groups.values]
        return values

    @property
    def gaps(self) -> Gaps:
        """Why scores are missing."""
        return self.column.gaps.take(self.groups.values)

    @property
    def unit_of(self) -> NDArray[np.int64]:
        """The position of the unit of each score."""
        return self.groups.row_of

    def take(self, positions: NDArray[np.int64]) -> Used:
        """Return the scores of some units."""
        return Used(self.column, self.groups.take(positions))


@dataclass(frozen=True, eq=False)
class Batch:
    """Units of one kind with their texts.

    Attributes:
        units: all units of the kind.
        rows: the rows of these units among them.
        bank: the texts.
        outputs: the rows of each unit's outputs in the data.
        members: the rows of each unit's texts in the bank: one for an output, two for a pair, all of a set or system.
        references: the same of each output's references, or of a pair's right side; empty for other units.
        used: the scores of the used evaluators, in the order of the shape's `uses`.
    """

    units: Units
    rows: NDArray[np.int64]
    bank: TextBank
    outputs: Ragged
    members: Ragged
    references: Ragged
    used: tuple[Used, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def kind(self) -> str:
        """The kind of unit: output, pair, matchup, set or system."""
        return self.units.kind

    @property
    def dataset(self) -> Dataset:
        """The data the units belong to."""
        return self.units.dataset

    @property
    def texts(self) -> Strings:
        """The distinct texts of the batch."""
        return self.bank.texts

    @property
    def candidates(self) -> NDArray[np.int64]:
        """The first text of each unit: the output, or the left side of a pair."""
        candidates: NDArray[np.int64] = self.members.values[self.members.offsets[:-1]]
        return candidates

    def tokens(self, tokenizer: str) -> Tokens:
        """The texts as token ids, computed once and shared."""
        return self.bank.tokens(tokenizer)

    def ngrams(self, tokenizer: str, max_order: int) -> NGrams:
        """The n-grams of the texts up to an order, computed once and shared."""
        return self.bank.ngrams(tokenizer, max_order)

    def ngrams_of_units(self, tokenizer: str, order: int) -> Ragged:
        """The n-gram ids of each unit's first text, in order, with repetitions."""
        every = Ragged(self.ngrams(tokenizer, order)[0][order - 1], self.tokens(tokenizer).offsets)
        grams = every.take(self.candidates)
        complete = grams.values >= 0
        lengths = np.bincount(grams.row_of, weights=complete, minlength=len(grams)).astype(np.int64)
        return Ragged(grams.values[complete], running_offsets(lengths))

    def keyed_ngrams(self, tokenizer: str, max_order: int) -> list[KeyedNGrams]:
        """The n-grams of each order counted per text, with keys, computed once and shared."""
        return self.bank.keyed_ngrams(tokenizer, max_order)

    def spelled_ngrams(self, tokenizer: str, order: int) -> Strings:
        """The n-grams of one order as texts, by id, for saved models."""
        return self.bank.spelled_ngrams(tokenizer, order)

    def ngram_places(self, known: Strings, tokenizer: str, order: int) -> NDArray[np.int64]:
        """The position of each n-gram, by id, among the distinct `known` ones; -1 if absent."""
        codes = Strings.concatenate([known, self.spelled_ngrams(tokenizer, order)]).codes()[len(known) :]
        return np.where(codes < len(known), codes, -1).astype(np.int64)

    def take(self, positions: NDArray[np.int64]) -> Batch:
        """Return some of the units, with the same bank."""
        return Batch(
            self.units,
            self.rows[positions],
            self.bank,
            self.outputs.take(positions),
            self.members.take(positions),
            self.references.take(positions),
            tuple(used.take(positions) for used in self.used),
        )

    def pairs(self, max_pairs: int = MAX_PAIRS) -> tuple[Batch, Ragged]:
        """The unordered pairs of texts inside each unit as a batch of pairs, and the pairs of each unit.

        Of a unit with more than `max_pairs` pairs, that many are sampled with a fixed seed.
        """
        positions = np.arange(len(self.members.values))
        left, right, ends = pairs_within(positions, self.members.offsets, max_pairs, np.random.default_rng(0))
        paired = Ragged.pairs(left, right)
        outputs = paired.mapped(self.outputs.values)
        batch = Batch(
            Units("pair", self.dataset, outputs),
            np.arange(len(left)),
            self.bank,
            outputs,
            paired.mapped(self.members.values),
            Ragged.singles(self.members.values[right]),
        )
        return batch, Ragged(np.arange(len(left)), ends)

    def iter_outputs(self) -> Iterator[list[Output]]:
        """The outputs of each unit as objects."""
        for position in range(len(self)):
            yield [self.dataset.output(int(row)) for row in self.outputs[position]]

    def iter_units(self) -> Iterator[Output | list[Output]]:
        """Each unit as authors' functions take it: an output, or the list of outputs of a larger unit."""
        for outputs in self.iter_outputs():
            yield outputs[0] if self.kind == "output" else outputs


def make_batch(
    units: Units,
    rows: NDArray[np.int64],
    references: Ragged | None,
    bank: TextBank,
    used: tuple[Used, ...] = (),
) -> Batch:
    """Make the batch of some units. `references` holds text numbers per output, or is None."""
    outputs = units.members.take(rows)
    members = Ragged(bank.rows(outputs.values), outputs.offsets)
    if units.kind in PAIRED:
        in_bank = Ragged.singles(members.values[1::2])
    elif units.kind == "output" and references is not None:
        numbers = references.take(rows)
        in_bank = Ragged(bank.rows(numbers.values), numbers.offsets)
    else:
        in_bank = Ragged.empty(len(rows))
    return Batch(units, rows, bank, outputs, members, in_bank, used)


def text_numbers(units: Units, rows: NDArray[np.int64], sources: list[Ragged]) -> NDArray[np.int64]:
    """The numbers of the texts and references of some units, sorted and distinct."""
    members = units.members.take(rows).values
    references = [source.take(rows).values for source in sources] if units.kind == "output" else []
    wanted = np.concatenate([members, *references])
    marked = np.zeros(int(wanted.max(initial=-1)) + 1, bool)  # faster than np.unique
    marked[wanted] = True
    return np.flatnonzero(marked)
