"""What conditioned generators read of an item beside its words: attributes, a context, or colors to tell apart.

A condition travels as the prompt, a text. In front of a text's words it is a single number, which stands for its place
among the conditions met so far, so that prompts of any length are equally long.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from assay.backends.language.words import UNKNOWN, WordEncoder, vocabulary
from assay.errors import DataError, GeneratorError, did_you_mean
from assay.kernels.points.colors import fourier_features, hsv_of_rgb
from assay.records import Dataset
from assay.records.tables import Values
from assay.text.colors import rgb_of_text
from assay.text.strings import Strings

LEAST_COUNT = 2
MOST_WORDS = 20_000
N_FEATURES = 54


class Conditions(Protocol):
    """Conditions as rows of numbers of one kind."""

    name: str

    def settings(self) -> dict[str, Any]:
        """What a folder keeps of it."""

    def prompt_of(self, dataset: Dataset, item: int, row: int | None = None) -> str:
        """The condition of an item, or of one of its outputs, as a prompt."""

    def numbers(self, prompt: str) -> NDArray[Any]:
        """A prompt as parts, one row each."""


class Attributes:
    """Values of named columns, each a category; values that training had once or never are one unknown value."""

    name = "attributes"

    def __init__(self, values: Mapping[str, Sequence[str]]) -> None:
        self.values = {column: list(known) for column, known in values.items()}
        # 0 is the unknown value of the first column, and so on.
        self._number: dict[tuple[str, str], int] = {}
        self._unknown: dict[str, int] = {}
        for column, known in self.values.items():
            self._unknown[column] = len(self._number) + len(self._unknown)
            start = self._unknown[column] + 1
            self._number |= {(column, value): start + place for place, value in enumerate(known)}

    @classmethod
    def learnt(cls, dataset: Dataset, rows: Sequence[int], columns: Sequence[str]) -> Attributes:
        """The values that outputs have."""
        values = {}
        for column in columns:
            counts = Counter(_value(dataset, column, int(dataset.outputs.item[row]), row) for row in rows)
            values[column] = sorted(value for value, count in counts.items() if count >= LEAST_COUNT)
        return cls(values)

    @property
    def n_numbers(self) -> int:
        """How many values there are, the unknown ones included."""
        return len(self._number) + len(self._unknown)

    def settings(self) -> dict[str, Any]:
        """The values."""
        return {"values": self.values}

    def prompt_of(self, dataset: Dataset, item: int, row: int | None = None) -> str:
        """The values as a record in JSON."""
        return json.dumps({column: _value(dataset, column, item, row) for column in self.values}, ensure_ascii=False)

    def numbers(self, prompt: str) -> NDArray[np.int64]:
        """The number of each value."""
        record = _parsed(prompt, dict, '{"rating": "5"}')
        missing = [column for column in self.values if column not in record]
        if missing:
            raise GeneratorError(f"the prompt has no attribute {missing[0]!r}: {prompt[:80]!r}.")
        named = ((column, str(record[column])) for column in self.values)
        return np.array([self._number.get(pair, self._unknown[pair[0]]) for pair in named], np.int64)


class ContextWords:
    """The words of a context."""

    name = "context"

    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(words)
        self._encoder = WordEncoder(self.words)

    @classmethod
    def learnt(cls, dataset: Dataset, rows: Sequence[int]) -> ContextWords:
        """The words of contexts."""
        items = dict.fromkeys(int(dataset.outputs.item[row]) for row in rows)
        return cls(vocabulary([dataset.items.context[item] for item in items], LEAST_COUNT, MOST_WORDS))

    @property
    def n_numbers(self) -> int:
        """How many words there are."""
        return len(self._encoder.words)

    def settings(self) -> dict[str, Any]:
        """The words."""
        return {"context_words": self.words}

    def prompt_of(self, dataset: Dataset, item: int, row: int | None = None) -> str:
        """The context."""
        return dataset.items.context[item]

    def numbers(self, prompt: str) -> NDArray[np.int64]:
        """The number of each word; of nothing, one unknown word."""
        return np.array(self._encoder.tokens(prompt) or (UNKNOWN,), np.int64)


class Colors:
    """The colors of a game, the one that is meant last. The order of the others does not matter."""

    name = "colors"

    def settings(self) -> dict[str, Any]:
        """Nothing is learnt."""
        return {}

    def prompt_of(self, dataset: Dataset, item: int, row: int | None = None) -> str:
        """The choices and the target in JSON."""
        choices, target = dataset.items.choices[item], dataset.items.target[item]
        if not len(target) or target.max() < 1:
            raise GeneratorError(
                f"item {dataset.items.id[item]!r} has no choices with one target, which this speaker talks about."
            )
        return self.prompt(choices, int(target.argmax()))

    def prompt(self, choices: Sequence[str], target: int) -> str:
        """The prompt of a speaker who means one of the choices."""
        return json.dumps({"choices": list(choices), "target": target}, ensure_ascii=False)

    def numbers(self, prompt: str) -> NDArray[np.float32]:
        """Fourier features of each color (Monroe et al. 2017), the target last."""
        record = _parsed(prompt, dict, '{"choices": ["#ff0000", "#00ff00"], "target": 0}')
        try:
            colors = np.stack([rgb_of_text(str(choice)) for choice in record["choices"]])
            order = [place for place in range(len(colors)) if place != record["target"]]
            points = hsv_of_rgb(colors[[*order, record["target"]]]) * [1 / 360, 1 / 2, 1 / 2]
        except (KeyError, TypeError, IndexError, ValueError) as error:
            raise GeneratorError(f"the prompt of a color speaker cannot be read: {error}") from None
        return fourier_features(points).astype(np.float32)


class ConditionedEncoder(WordEncoder):
    """Words with a condition in front of them."""

    def __init__(self, words: Sequence[str], conditions: Conditions, splitting: Any = "spaces") -> None:
        super().__init__(words, splitting)
        self.conditions = conditions
        self._places: dict[str, int] = {}
        self.met: list[NDArray[Any]] = []

    def prompt(self, prompt: Any, bos: Any) -> tuple[int, ...]:
        """The number of a condition, and the beginning of a text."""
        before = super().prompt(prompt, bos)
        if prompt not in self._places:
            self.met.append(self.conditions.numbers(prompt))
            self._places[prompt] = len(self.met) - 1
        return (len(self.words) + self._places[prompt], *before) if before else ()


def saved_conditions(name: str, settings: Mapping[str, Any], folder: object) -> Conditions:
    """The conditions that a folder's settings describe."""
    try:
        if name == Attributes.name:
            return Attributes(settings["values"])
        if name == ContextWords.name:
            return ContextWords(settings["context_words"])
        if name == Colors.name:
            return Colors()
    except (KeyError, TypeError, AttributeError):
        pass
    raise DataError(f"{folder}: a conditioned generator whose conditions cannot be read. Train it again.")


def column_of(dataset: Dataset, name: str) -> tuple[str, Values]:
    """A column of items or outputs, and which of the two it is of."""
    for kind, columns in (("item", dataset.items.columns), ("output", dataset.outputs.columns)):
        if name in columns:
            return kind, columns[name]
    known = [*dataset.items.columns, *dataset.outputs.columns]
    has = f"It has: {', '.join(known)}." if known else "It has none."
    raise GeneratorError(f"the data has no column {name!r} to read attributes from.{did_you_mean(name, known)} {has}")


def _value(dataset: Dataset, column: str, item: int, row: int | None) -> str:
    """The value of a column for an output, or the one that all outputs of an item share."""
    kind, values = column_of(dataset, column)
    if kind == "item":
        return _spelled(values, item)
    if row is not None:
        return _spelled(values, row)
    found = {_spelled(values, int(one)) for one in dataset.outputs_by_item[item]}
    if len(found) != 1:
        raise GeneratorError(
            f"the outputs of item {dataset.items.id[item]!r} differ in {column!r}, so it is not known which to write "
            "for. Give the item one value, in item_columns."
        )
    return found.pop()


def _spelled(values: Values, row: int) -> str:
    if isinstance(values, Strings):
        return values[row]
    number = float(values[row])
    return "" if np.isnan(number) else str(int(number)) if number.is_integer() else repr(number)


def _parsed(prompt: str, kind: type, example: str) -> Any:
    try:
        record = json.loads(prompt)
    except ValueError:
        record = None
    if not isinstance(record, kind):
        raise GeneratorError(f"this generator reads a prompt such as {example}, not {prompt[:80]!r}.")
    return record
