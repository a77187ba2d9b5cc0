"""Criteria: the questions that annotators answer.

A data set may declare the wording of a question, its scale, which answers are better and what they measure.
Statistics, forms and reports go by the declaration, never by the name; `assay.records.inferred` fills in the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from math import isfinite
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from assay.errors import did_you_mean
from assay.records.columns import is_whole
from assay.records.fields import number, shown
from assay.records.tables import JUDGED, SUBJECTS, Judgments

Scale = Literal["nominal", "ordinal", "interval", "ratio"]
Better = Literal["higher", "lower", "neither"]
Asks = Literal["quality", "authorship", "diversity", "similarity", "preference", "understanding"]

CHOICES: Mapping[str, tuple[str, ...]] = {
    "scale": get_args(Scale),
    "better": get_args(Better),
    "asks": get_args(Asks),
    "unit": tuple(SUBJECTS),
}


@dataclass(frozen=True)
class Criterion:
    """A question that annotators answer. Only the name is required.

    Attributes:
        name: its name in the judgments.
        question: the wording.
        scale: nominal, ordinal, interval or ratio.
        low: the lowest answer, as a number.
        high: the highest.
        labels: the answers in words, lowest first. The first is `low` (0 by default), the next one more, and so on;
            judgments may hold labels or numbers.
        anchors: what some of the numbers mean, as in `{0: "invalid", 5: "very typical"}`.
        better: which answers are better: higher (by default), lower or neither.
        unit: what the question is about, one of SUBJECTS.
        asks: what the answers measure. `authorship`: whether the text is human-written, the highest answer says so;
            `understanding`: whether a reader found out what was meant.
        aspect: of diversity, such as content or form.
    """

    name: str
    question: str = ""
    scale: str = ""
    low: float | None = None
    high: float | None = None
    labels: tuple[str, ...] = ()
    anchors: Mapping[float, str] = field(default_factory=dict, hash=False)
    better: str = ""
    unit: str = ""
    asks: str = ""
    aspect: str = ""

    def __post_init__(self) -> None:
        for key, known in CHOICES.items():
            value = getattr(self, key)
            if value and value not in known:
                raise ValueError(f"{key} is {shown(value)}.{did_you_mean(str(value), known)}")
        if self.labels:
            self._settle_labels()
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise ValueError(
                f"low is {self.low:g} and high {self.high:g}. The lowest answer must be below the highest."
            )
        for value in self.anchors:
            if not isfinite(value) or not self.accepts(np.array([value])).all():
                raise ValueError(f"an anchor is at {value:g}, which is no answer: give {self.range}.")

    def _settle_labels(self) -> None:
        """Derive low and high from the labels, which are one apart."""
        if len(set(self.labels)) < len(self.labels) or "" in self.labels or len(self.labels) < 2:
            raise ValueError(f"labels are {shown(list(self.labels))}. Give two or more different texts.")
        low = 0.0 if self.low is None else self.low
        high = low + len(self.labels) - 1
        if self.high not in (None, high):
            raise ValueError(f"{len(self.labels)} labels from {low:g} on end at {high:g}, and high is {self.high:g}.")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    @property
    def higher_is_better(self) -> bool | None:
        """Whether higher is better, None if neither is."""
        return {"": True, "higher": True, "lower": False, "neither": None}[self.better]

    @property
    def range(self) -> str:
        """The range of answers, in words."""
        if self.low is None:
            return "any number" if self.high is None else f"{self.high:g} and below"
        return f"{self.low:g} and above" if self.high is None else f"{self.low:g} to {self.high:g}"

    @property
    def span(self) -> float | None:
        """The distance of the lowest and the highest answer, None if one is undeclared."""
        return None if self.low is None or self.high is None else self.high - self.low

    def code(self, label: str) -> float | None:
        """The number of a label, None if it is not declared."""
        assert self.low is not None or not self.labels
        return (self.low or 0.0) + self.labels.index(label) if label in self.labels else None

    def answer(self, answer: float | str) -> float | str:
        """The number of a declared label; any other answer unchanged."""
        code = self.code(answer) if isinstance(answer, str) else None
        return answer if code is None else code

    def word(self, value: float) -> str:
        """The label of a number, or the number as text."""
        if self.labels:
            return self.labels[round(value - (self.low or 0.0))]
        return str(_plain(value))

    def accepts(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether each number is a valid answer."""
        accepted = self._in_range(values)
        return accepted & (np.mod(values - (self.low or 0.0), 1.0) == 0.0) if self.labels else accepted

    def _in_range(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        low, high = (-np.inf if self.low is None else self.low), (np.inf if self.high is None else self.high)
        return np.asarray((values >= low) & (values <= high))

    def as_record(self) -> dict[str, Any]:
        """The declaration for JSON and TOML, without the name and undeclared fields."""
        record = {key: getattr(self, key) for key in KEYS if getattr(self, key) not in ("", None, (), {})}
        for key in {"low", "high"} & set(record):
            record[key] = _plain(record[key])
        if "labels" in record:
            record["labels"] = list(self.labels)
        if "anchors" in record:
            record["anchors"] = {str(_plain(value)): text for value, text in sorted(self.anchors.items())}
        return record


KEYS = tuple(key.name for key in fields(Criterion) if key.name != "name")
Criteria = Mapping[str, Criterion]


def read_criterion(name: str, declaration: Any) -> Criterion:
    """Read a declaration; a ValueError says what is wrong with it."""
    if not isinstance(declaration, Mapping):
        raise ValueError(f'is {shown(declaration)}, not an object. Write {{"question": ..., "scale": ...}}.')
    declared = {key: value for key, value in declaration.items() if value is not None}
    for key, value in declared.items():
        if key not in KEYS:
            raise ValueError(f"has no key {key!r}.{did_you_mean(str(key), KEYS)}")
        read: Callable[[str, Any], Any] = _READERS.get(key, _text)
        declared[key] = read(key, value)
    return Criterion(name, **declared)


def canonical(criteria: Criteria) -> Criteria:
    """The criteria sorted by name, so that equal declarations are equal data."""
    return dict(sorted(criteria.items()))


def coded(judgments: Judgments, criteria: Criteria, where: Callable[[int], str], problems: list[str]) -> Judgments:
    """Give labels their numbers, and report judgments that their criterion does not allow; `where` names a row."""
    if not criteria:
        return judgments
    value = np.where(judgments.label >= 0, np.nan, judgments.value)
    labels = judgments.labels.to_list()
    every = judgments.about()
    for criterion in (criteria[name] for name in judgments.criteria if name in criteria):
        answers = every.of(criterion.name)
        label = judgments.label[answers.rows]
        codes = np.array([np.nan if (code := criterion.code(text)) is None else code for text in labels] + [np.nan])
        value[answers.rows] = np.where(label >= 0, codes[label], value[answers.rows])
        numbers = value[answers.rows]
        wrong = np.where(label >= 0, np.isnan(numbers) & _requires_labels(criterion), ~criterion.accepts(numbers))
        elsewhere = ~answers.are_about(criterion.unit) if criterion.unit else np.zeros(len(answers), np.bool_)
        for position in np.flatnonzero(wrong | elsewhere).tolist():
            row, code = int(answers.rows[position]), int(label[position])
            answer = labels[code] if code >= 0 else _plain(float(numbers[position]))
            why = _refusal(criterion, answer) if wrong[position] else _misplaced(criterion, judgments, row)
            problems.append(f"{where(row)}: {why}")
    return replace(judgments, value=value)


def _requires_labels(criterion: Criterion) -> bool:
    """Whether undeclared labels are refused: if others are declared, or answers are numbers."""
    return bool(criterion.labels) or criterion.scale not in ("", "nominal") or criterion.low is not None


def _refusal(criterion: Criterion, answer: float | int | str) -> str:
    if isinstance(answer, str) or criterion.labels:
        known = f" {criterion.name!r} has {', '.join(map(repr, criterion.labels))}." if criterion.labels else ""
        return f"{answer!r} is no answer to {criterion.name!r}.{known} Correct it, or the labels of the criterion."
    return (
        f"the answer {answer} to {criterion.name!r} lies outside {criterion.range}. "
        "Correct it, or low and high of the criterion."
    )


def _misplaced(criterion: Criterion, judgments: Judgments, row: int) -> str:
    kind, paired = JUDGED[judgments.kind[row]], bool(judgments.other[row] >= 0)
    subject = next(name for name, what in SUBJECTS.items() if what == (kind, paired))
    return (
        f"{criterion.name!r} asks about units of the kind {criterion.unit!r}, and this judgment is about {subject!r}. "
        "Correct the judgment, or the unit of the criterion."
    )


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{key} is {shown(value)}, not a text.")
    return value


def _number(key: str, value: Any) -> float:
    try:
        result = number(value) + 0.0  # -0.0 is 0.0
    except ValueError as error:
        raise ValueError(f"{key} {error}") from None
    if not isfinite(result):
        raise ValueError(f"{key} is {result}, not a finite number.")
    return result


def _texts(key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(part, str) for part in value):
        raise ValueError(f'{key} is {shown(value)}, not a list of texts. Write ["...", "..."].')
    return tuple(value)


def _anchors(key: str, value: Any) -> dict[float, str]:
    if not isinstance(value, Mapping):
        raise ValueError(f'{key} is {shown(value)}, not an object. Write {{"0": "never", "5": "always"}}.')
    try:
        return {float(at) + 0.0: _text(key, text) for at, text in value.items() if text is not None}
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{key} is {shown(value)}, not a text for each of some numbers.") from None


_READERS: Mapping[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("low", "high"), _number),
    "labels": _texts,
    "anchors": _anchors,
}


def _plain(value: float) -> float | int:
    return int(value) if is_whole(value) else value
