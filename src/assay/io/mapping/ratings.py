"""Guess which columns of a foreign table are ratings, of what, and by whom."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.io.mapping import words
from assay.io.mapping.columns import Source
from assay.io.mapping.paths import Path
from assay.io.mapping.profile import Profile

# A column with more different numbers than this is a measurement, not a rating.
MOST_RATINGS = 101
# A column with more different labels than this is not a rating.
MOST_LABELS = 12

_NUMBERED = re.compile(r"(?P<before>.*?)(?P<number>\d+)(?P<after>)")
_RATER = re.compile(
    rf"(?P<before>(?:.*[ _.-])?(?:{'|'.join(words.RATERS)})[ _-]*)(?P<number>\d+)(?P<after>[ _-].+)", re.I
)
_NUMBER = re.compile(r"\d+")
_ODD = re.compile(r"[\[\]{}*,=`'\"].*[\[\]{}*,=`'\"]|[\[\]{}*,=`'\"]")


@dataclass(frozen=True)
class Rated:
    """A criterion, the paths to its ratings, and the columns that they use up."""

    criterion: str
    sources: tuple[Source, ...]
    columns: Sequence[Profile]
    why: str


@dataclass(frozen=True)
class Known:
    """What is known of a table before its ratings: who rates, and the systems that have columns."""

    has_texts: bool
    has_annotator: bool
    has_system: bool
    systems: Sequence[str] = ()


def ratings(columns: Sequence[Profile], known: Known) -> Iterator[Rated]:
    """The criteria among columns that no field has taken."""
    rated = [column for column in columns if _is_rating(column)]
    if not (known.has_texts or known.has_annotator or known.has_system):
        named = [column for column in rated if column.words & words.RATED or _RATER.match(column.path)]
        alike = [] if named else _alike(columns)
        if alike:
            yield Rated("rating", tuple(column.place for column in alike), alike, _of(alike, "annotators"))
            return
    groups: dict[tuple[str, str], list[Profile]] = defaultdict(list)
    for column in rated:
        groups[_skeleton(column, known)].append(column)
    for (path, base), group in groups.items():
        if len(group) > 1:
            what = "systems" if "{system}" in path else "annotators"
            yield Rated(_criterion(group[0], base), (Path(path),), group, _of(group, what))
        else:
            yield Rated(_criterion(group[0], group[0].path), (group[0].place,), group, group[0].summary())


def rated_items(columns: Sequence[Profile]) -> Rated | None:
    """Ratings of a table with a row per annotator and a column per item: `Is text 1 good?`, `Is text 2 good?`."""
    rated = [column for column in columns if column.is_column and _is_rating(column)]
    groups: dict[str, list[Profile]] = defaultdict(list)
    for column in rated:
        for number in _NUMBER.finditer(column.path):
            before, after = column.path[: number.start()], column.path[number.end() :]
            groups[_pattern(before, "item", after)].append(column)
    path, group = max(groups.items(), key=lambda pair: len(pair[1]), default=("", []))
    if len(group) > 1:
        base = path.replace("{item}", "")
        return Rated(_criterion(group[0], base), (Path(path),), group, _of(group, "items"))
    unnamed = [column for column in rated if not column.words & words.RATED and not re.search(r"[|{}]", column.path)]
    if len(unnamed) < 2:
        return None
    path = f"{{item:{'|'.join(column.path for column in unnamed)}}}"
    return Rated("rating", (Path(path),), unnamed, _of(unnamed, "items"))


def is_measured(column: Profile) -> bool:
    """Whether the name says that the values are measurements, settings, names or automatic metrics."""
    return bool(column.words & (words.MEASURED | words.NAMING | words.METRICS))


def _is_rating(column: Profile) -> bool:
    tokens = column.words | set(column.parent.split("_"))
    if is_measured(column) or tokens & (words.MEASURED | words.METRICS):
        return False
    named = bool(tokens & words.RATED)
    if column.numbers:
        whole = all(value.is_integer() for value in column.numbers)
        few = whole and max(column.numbers) - min(column.numbers) <= 10 and abs(column.numbers[0]) <= 100
        return (named or few) and (named or column.distinct <= MOST_RATINGS)
    labeled = bool(column.words & words.RATED)
    return labeled and column.is_text and column.distinct <= MOST_LABELS and column.length <= words.SHORT


def _alike(columns: Sequence[Profile]) -> list[Profile]:
    """Columns of few answers, which are the same in all: a column per annotator."""
    few = [
        column
        for column in columns
        if column.is_column
        and not is_measured(column)
        and column.distinct <= MOST_LABELS
        and column.distinct < column.n_rows
        and (column.numbers or (column.is_text and column.length <= words.SHORT))
    ]
    answers = {repr(value) for column in few for value in column.values}
    return few if len(few) > 1 and len(answers) <= MOST_LABELS else []


def _skeleton(column: Profile, known: Known) -> tuple[str, str]:
    """The path of all columns that differ from this one in the system or annotator alone, and the rest of its name."""
    path = column.path
    for system in sorted(known.systems, key=len, reverse=True):
        before, found, after = path.partition(system)
        if found and (before or after) and not before[-1:].isalnum() and not after[:1].isalnum():
            return _pattern(before, "system", after), before.rstrip("_-. ") or after
    if known.has_annotator or column.list_path:
        return path, path
    match = _RATER.fullmatch(path) or _NUMBERED.fullmatch(path)
    if match is None or match["before"].strip("_- ").lower() in words.COUNTED:
        return path, path
    return _pattern(match["before"], "annotator", match["after"]), match["before"] + match["after"]


def _pattern(before: str, placeholder: str, after: str) -> str:
    """A path with a placeholder; what a path cannot spell is a star."""
    return f"{_ODD.sub('*', before)}{{{placeholder}}}{_ODD.sub('*', after)}"


def _criterion(column: Profile, base: str) -> str:
    """The name of a criterion: the column's, without words that say that it is a rating, or whose."""
    if not column.is_phrase:
        base = base.replace("[]", "").rpartition(".")[2]
    base = base.strip("_- ")
    if base.lower() in words.GENERIC and column.parent and column.parent not in words.GENERIC:
        return column.path.replace("[]", "").rpartition(".")[0].rpartition(".")[2]
    tokens = [token for token in re.split(r"[\W_]+", base) if token]
    telling = [token for token in tokens if token.lower() not in words.GENERIC and token.lower() not in words.RATERS]
    if not telling:
        return "rating" if any(token.lower() in words.RATERS for token in tokens) else "_".join(tokens) or "rating"
    return "_".join(telling)


def _of(group: Sequence[Profile], what: str) -> str:
    return f"{len(group)} {what}, a column each: {group[0].summary()}"
