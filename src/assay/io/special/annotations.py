"""Annotations of people and of language models, as published with the alt-test (Calderon, Reichart and Dror 2025).

    human_annotations.json, llm_annotations.json: {annotator: {instance: answer}}

A folder holds both files; the second may be missing. An instance is named by what was judged and, after the last `__`,
the aspect that was asked for, where there are aspects: those are the criteria. Otherwise the criterion is `answer`.
An answer in quotes is a number where all answers to the criterion are; null, NaN and blanks are no answers.
The texts are not published with the answers, so outputs have an empty text. Answers of models have the column
`annotator_kind` with the value `model`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.io.paths import is_file
from assay.io.tabular.strict_json import json_of
from assay.records import Dataset
from assay.records.tables import ANNOTATOR_KIND, MODEL

PEOPLE, MODELS = "human_annotations.json", "llm_annotations.json"
SEPARATOR = "__"
DEFAULT_CRITERION = "answer"
# More endings than this, or endings that hardly repeat, are names of texts.
MOST_ASPECTS = 20
LEAST_REPEATS = 5

Annotations = Mapping[str, Mapping[str, Any]]


def is_annotations(path: Path) -> bool:
    """Whether a path is such a folder, or one of its files."""
    if path.name in (PEOPLE, MODELS):
        path = path.parent
    return is_file(path / PEOPLE)


def annotation_files(path: Path) -> list[Path]:
    """The files of the folder that this path is, or is in."""
    folder = path if path.is_dir() else path.parent
    return [folder / name for name in (PEOPLE, MODELS) if is_file(folder / name)]


def read_annotations(path: Path) -> Dataset:
    """Read the annotations of people, and those of models beside them."""
    files = annotation_files(path)
    if not files or files[0].name != PEOPLE:
        raise DataError(f"{path}: no {PEOPLE} in this folder. Name a folder that has it.")
    answers = [(file, _checked(file)) for file in files]
    people = answers[0][1].keys()
    for file, by_annotator in answers[1:]:
        for name in people & by_annotator.keys():
            raise DataError(f"{file}: {name!r} is an annotator of {PEOPLE} too. Rename one of them.")
    instances = dict.fromkeys(name for _, by in answers for given in by.values() for name in given)
    named = _names(instances)
    as_text = _criteria_with_texts(named, (given for _, by in answers for given in by.values()))
    judgments: dict[str, list[dict[str, Any]]] = {output: [] for output, _ in named.values()}
    for file, by_annotator in answers:
        kind = {ANNOTATOR_KIND: MODEL} if file.name == MODELS else {}
        for annotator, given in by_annotator.items():
            for instance, answer in given.items():
                output, criterion = named[instance]
                if _is_given(answer):
                    value = _text(answer) if criterion in as_text else _number(answer)
                    judgment = {"annotator": annotator, "criterion": criterion, "value": value} | kind
                    judgments[output].append(judgment)
    records = [{"id": name, "item": name, "text": "", "judgments": own} for name, own in judgments.items()]
    return Dataset.from_records(records, str(path), default_system=files[0].resolve().parent.name or "system")


def _checked(file: Path) -> Annotations:
    value = json_of(file)
    if not isinstance(value, dict) or not all(isinstance(given, dict) for given in value.values()):
        raise DataError(f"{file}: not an object of objects. Write {{annotator: {{instance: answer}}}}.")
    if not value:
        raise DataError(f"{file}: no annotators. Write {{annotator: {{instance: answer}}}}.")
    if "" in value or any("" in given for given in value.values()):
        raise DataError(f"{file}: an annotator or an instance has no name. Name it.")
    return value


def _names(instances: Iterable[str]) -> dict[str, tuple[str, str]]:
    """What was judged, and the criterion, of each instance."""
    parts = {name: name.rpartition(SEPARATOR) for name in instances}
    aspects = {aspect for _, _, aspect in parts.values()}
    if not 0 < len(aspects) <= min(MOST_ASPECTS, len(parts) / LEAST_REPEATS) or not all(
        output and aspect for output, _, aspect in parts.values()
    ):
        return {name: (name, DEFAULT_CRITERION) for name in parts}
    return {name: (output, aspect) for name, (output, _, aspect) in parts.items()}


def _criteria_with_texts(named: Mapping[str, tuple[str, str]], given: Iterable[Mapping[str, Any]]) -> set[str]:
    """The criteria of which some answer is no number, not even one in quotes: there, all are texts."""
    return {
        named[instance][1]
        for answers in given
        for instance, answer in answers.items()
        if _is_given(answer) and _number(answer) is None
    }


def _is_given(answer: Any) -> bool:
    """Whether there is an answer: null, NaN (in quotes, too) and blanks are none. `none` may be a label."""
    if isinstance(answer, str):
        return answer.strip().casefold() not in ("", "nan")
    return answer is not None and answer == answer


def _number(answer: Any) -> float | None:
    """An answer as a number, if it is one; true and false are 1 and 0."""
    if isinstance(answer, str):
        try:
            answer = float(answer)
        except ValueError:
            return None
    return float(answer) if isinstance(answer, int | float) and isfinite(answer) else None


def _text(answer: Any) -> str:
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
