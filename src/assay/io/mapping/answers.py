"""Answers of foreign tables: numbers or labels, decided for each criterion as a whole."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.io.mapping.cells import is_gap, with_points
from assay.records.columns import looks_like_number, number_in
from assay.records.inferred import FIRST, NEITHER, SECOND

Answer = dict[str, Any]


def settled(answers: Sequence[Any], decimal_commas: bool = False) -> set[int]:
    """Turn texts into numbers in criteria whose answers all are numbers; return the ids of the answers kept.

    With `decimal_commas`, 3,5 is a number. Among numbers, `NA`, `nan`, `null` and `None` are gaps; among labels they
    are labels. Empty cells are always gaps.
    """
    for of_criterion in _by_criterion(answers).values():
        texts = [answer["value"] for answer in of_criterion if isinstance(answer["value"], str) and answer["value"]]
        written = with_points if decimal_commas else str.strip
        if all(looks_like_number(written(text)) for text in texts):
            for answer in of_criterion:
                if isinstance(answer["value"], str):
                    answer["value"] = _plain(number_in(written(answer["value"])))
    return {id(answer) for answer in answers if not isinstance(answer, Mapping) or not is_gap(answer.get("value"))}


def settled_preferences(answers: Sequence[Any]) -> set[int]:
    """Turn answers of comparisons into 1 (the first output), -1 (the second) and 0 (neither); return those kept.

    Numbers from 1 to 2 are positions, 1.5 a tie; other numbers stay. An answer that names neither side stays a label.
    """
    kept = settled(answers)
    for of_criterion in _by_criterion(answers).values():
        numbers = [answer["value"] for answer in of_criterion if isinstance(answer["value"], int | float)]
        are_positions = bool(numbers) and min(numbers) >= 1 and max(numbers) <= 2 and max(numbers) > 1
        for answer in of_criterion:
            sides = answer.pop("sides", (set(), set()))
            value = answer["value"]
            if isinstance(value, str):
                side = _side(value, *sides)
                if side is not None:
                    answer |= {"value": side, "answer": value}
            elif are_positions and isinstance(value, int | float):
                answer |= {"value": _plain(3 - 2 * value), "answer": value}
    return kept


def _by_criterion(answers: Iterable[Any]) -> dict[str, list[Answer]]:
    groups: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        if isinstance(answer, dict):
            groups[str(answer.get("criterion"))].append(answer)
            answer.setdefault("value", None)
    return groups


def _side(label: str, first: set[str], second: set[str]) -> int | None:
    """Which side a label names; a tie may say more after the word, such as `tie (bothbad)`."""
    word = label.strip().casefold()
    if label in first or word in FIRST:
        return 1
    if label in second or word in SECOND:
        return -1
    return 0 if word in NEITHER or word.startswith("tie") else None


def _plain(value: float | None) -> float | int | None:
    return int(value) if value is not None and float(value).is_integer() else value
