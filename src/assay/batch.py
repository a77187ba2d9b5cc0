"""What an evaluator is given: some units, and their texts as integers, tokenized once for every evaluator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from assay.kernels.overlap.ngrams import ngram_ids
from assay.kernels.pairs.set_pairs import pairs_within
from assay.kernels.ragged import Ragged, running_offsets
from assay.records import Dataset, Output
from assay.scores import PAIRED, Column, Gaps
from assay.text.strings import Strings, joined
from assay.text.tokenizers import tokenize
from assay.text.tokens import Tokens
from assay.units import Units

# The n-gram that starts at each position, a row per order, and how many distinct ones each order has.
NGrams = tuple[NDArray[np.int32], NDArray[np.int64]]

# Between the tokens of an n-gram that is spelled out.
SEPARATOR = "\x1f"

# Pairs looked at in one unit: all those of 1,414 texts.
MAX_PAIRS = 1_000_000


class TextBank:
    """The texts of a chunk of data. Each tokenizer runs over them once; evaluators share the result."""

    def __init__(self, dataset: Dataset, numbers: NDArray[np.int64]) -> None:
        """Hold the texts with the given numbers (see `assay.references`), sorted and without repetition."""
        n = len(dataset.outputs)
        own = [
            dataset.outputs.text.take(numbers[numbers < n]),
            dataset.items.references.texts.take(numbers[numbers >= n] - n),
        ]
        self._hold(numbers, Strings.concatenate(own))

    def _hold(self, numbers: NDArray[np.int64], texts: Strings) -> None:
        self._numbers = numbers
        self.texts = texts
        self._tokens: dict[str, Tokens] = {}
        self._ngrams: dict[tuple[str, int], NGrams] = {}
        self._spelled: dict[tuple[str, int], Strings] = {}
        self._beside: dict[str, TextBank] = {}
        self._lock = Lock()

    @property
    def n_own(self) -> int:
        """How many texts are those of the chunk itself; the texts of data beside it follow."""
        return len(self._numbers)

    def beside(self, dataset: Dataset) -> TextBank:
        """A bank with the same texts, rows included, followed by all outputs and references of other data.

        What was learnt from that data and what is scored then number their tokens and n-grams alike.
        """
        with self._lock:
            if dataset.fingerprint not in self._beside:
                bank = TextBank.__new__(TextBank)
                texts = [self.texts, dataset.outputs.text, dataset.items.references.texts]
                bank._hold(self._numbers, Strings.concatenate(texts))
                self._beside[dataset.fingerprint] = bank
            return self._beside[dataset.fingerprint]

    def rows(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where the texts with these numbers stand in `texts`."""
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
        """The n-grams of the texts, numbered alike in all of them."""
        tokens = self.tokens(tokenizer)
        with self._lock:
            key = (tokenizer, max_order)
            if key not in self._ngrams:
                self._ngrams[key] = ngram_ids(tokens.ids, tokens.offsets, max_order)
            return self._ngrams[key]

    def spelled_ngrams(self, tokenizer: str, order: int) -> Strings:
        """The n-grams of one order as texts, by number; their tokens stand apart by SEPARATOR."""
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


@dataclass(frozen=True, eq=False)
class Used:
    """The scores of another evaluator that belong to each unit: its own, or those of the outputs or pairs in it."""

    column: Column
    groups: Ragged
    """The rows of `column` that belong to each unit."""

    @property
    def values(self) -> NDArray[np.float64]:
        """The scores, unit after unit."""
        values: NDArray[np.float64] = self.column.values[self.groups.values]
        return values

    @property
    def gaps(self) -> Gaps:
        """Why scores are missing."""
        return self.column.gaps.take(self.groups.values)

    @property
    def unit_of(self) -> NDArray[np.int64]:
        """The position of the unit each score belongs to."""
        return self.groups.row_of

    def take(self, positions: NDArray[np.int64]) -> Used:
        """Return the scores of some of the units."""
        return Used(self.column, self.groups.take(positions))


@dataclass(frozen=True, eq=False)
class Batch:
    """Units of one kind with their texts. All numbers are rows of `texts`.

    `members` lists the texts of each unit: one for an output, two for a pair, all of a set or a system.
    `references` lists the references of each output, or the right side for each pair; it is empty elsewhere.
    `rows` are the units' row numbers among all units of that kind, `outputs` the members' rows in the data.
    `used` holds the scores of the evaluators that the shape uses, in the order it names them.
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
        """What the units are: output, pair, matchup, set or system."""
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
        """The first text of each unit: the output itself, or the left side of a pair."""
        candidates: NDArray[np.int64] = self.members.values[self.members.offsets[:-1]]
        return candidates

    def tokens(self, tokenizer: str) -> Tokens:
        """The texts as token ids, made once and shared."""
        return self.bank.tokens(tokenizer)

    def ngrams(self, tokenizer: str, max_order: int) -> NGrams:
        """The n-grams of the texts up to an order, made once and shared."""
        return self.bank.ngrams(tokenizer, max_order)

    def ngrams_of_units(self, tokenizer: str, order: int) -> Ragged:
        """The numbers of the n-grams of each unit's first text, in order, repetitions included."""
        grams = Ragged(self.ngrams(tokenizer, order)[0][order - 1], self.tokens(tokenizer).offsets).take(
            self.candidates
        )
        known = grams.values >= 0
        lengths = np.bincount(grams.row_of, weights=known, minlength=len(grams)).astype(np.int64)
        return Ragged(grams.values[known], running_offsets(lengths))

    def spelled_ngrams(self, tokenizer: str, order: int) -> Strings:
        """The n-grams of one order as texts, by number: what a saved model knows them by."""
        return self.bank.spelled_ngrams(tokenizer, order)

    def ngram_places(self, known: Strings, tokenizer: str, order: int) -> NDArray[np.int64]:
        """Where each n-gram, by number, stands among `known` ones, which are distinct; -1 where it does not."""
        codes = Strings.concatenate([known, self.spelled_ngrams(tokenizer, order)]).codes()[len(known) :]
        return np.where(codes < len(known), codes, -1).astype(np.int64)

    def take(self, positions: NDArray[np.int64]) -> Batch:
        """Return some of the units, with the same texts."""
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

        A unit with more than `max_pairs` pairs gives that many, drawn at random and always the same ones.
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
        """Each unit as a function of one unit takes it: an output, or the list of outputs of anything larger."""
        for outputs in self.iter_outputs():
            yield outputs[0] if self.kind == "output" else outputs


def make_batch(
    units: Units,
    rows: NDArray[np.int64],
    references: Ragged | None,
    bank: TextBank,
    used: tuple[Used, ...] = (),
) -> Batch:
    """Make the batch of some units. `references` lists text numbers per output of the data, or is None."""
    outputs = units.members.take(rows)
    members = Ragged(bank.rows(outputs.values), outputs.offsets)
    if units.kind in PAIRED:
        found = Ragged.singles(members.values[1::2])
    elif units.kind == "output" and references is not None:
        found = references.take(rows)
        found = Ragged(bank.rows(found.values), found.offsets)
    else:
        found = Ragged.empty(len(rows))
    return Batch(units, rows, bank, outputs, members, found, used)


def text_numbers(units: Units, rows: NDArray[np.int64], sources: list[Ragged]) -> NDArray[np.int64]:
    """The numbers of all texts that some units and their references need, sorted and distinct."""
    members = units.members.take(rows).values
    found = [source.take(rows).values for source in sources] if units.kind == "output" else []
    wanted = np.concatenate([members, *found])
    marked = np.zeros(int(wanted.max(initial=-1)) + 1, bool)  # quicker than to sort them
    marked[wanted] = True
    return np.flatnonzero(marked)
