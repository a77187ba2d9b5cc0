"""Guess a column mapping from the names and the values of a foreign table."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.io.mapping import words
from assay.io.mapping.columns import ColumnMap, Source
from assay.io.mapping.paths import Path
from assay.io.mapping.profile import Profile, profiles
from assay.records.inferred import overall_first

_NUMBERED = re.compile(r"(.*?)(\d+)$")
# A column with more different numbers than this is a measurement, not a rating.
MOST_RATINGS = 101


@dataclass(frozen=True)
class Guess:
    """A proposed mapping, with a reason for each column, and the columns that no field fits."""

    mapping: ColumnMap
    reasons: Mapping[str, str]
    left_out: Mapping[str, str]

    @property
    def is_usable(self) -> bool:
        """Whether there is something to read: texts or judgments."""
        return any(
            name.partition(".")[0] in ("text", "judgments", "value", "preferences") for name in self.mapping.fields
        )


def guess_mapping(rows: Sequence[tuple[int, Mapping[str, Any]]]) -> Guess:
    """Propose a mapping for the rows of a foreign table."""
    return _Guesser(profiles(rows)).guess()


def summarized(columns: Sequence[Profile]) -> Profile | None:
    """The column of summaries of a table whose column `text` is the source: a longer text without a context."""
    texts = {column.path: column for column in columns if column.is_text}
    if "text" not in texts or "context" in texts:
        return None
    summaries = [texts[name] for name in words.SUMMARY if name in texts]
    return next((one for one in summaries if texts["text"].length > 2 * one.length), None)


@dataclass
class _Guesser:
    columns: list[Profile]
    fields: dict[str, tuple[Source, ...]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    def guess(self) -> Guess:
        self._comparison()
        if "preferences.preferred" not in self.fields:
            self._single("system", words.SYSTEM, lambda c: c.is_name)
            self._texts()
            self._single("annotator", words.ANNOTATOR, lambda c: c.is_name)
            self._criterion_and_value()
        else:
            self._single("annotator", words.ANNOTATOR, lambda c: c.is_name)
        self._names()
        if "context" not in self.fields:
            self._single("context", words.CONTEXT, lambda c: c.is_text or c.is_texts)
        self._references()
        if "value" not in self.fields and "preferences.preferred" not in self.fields:
            self._judgments()
        left_out = {c.path: c.summary() for c in self.columns if c.path not in self.taken and c.values}
        return Guess(ColumnMap(self.fields), self.reasons, left_out)

    def _take(self, name: str, column: Profile, why: str = "", path: str = "") -> None:
        self.fields[name] = (*self.fields.get(name, ()), Path(path or column.path))
        self.reasons[name] = why or column.summary()
        self.taken.add(column.path)

    def _free(self) -> list[Profile]:
        return [column for column in self.columns if column.path not in self.taken and column.values]

    def _best(self, known: Sequence[str], fits: Callable[[Profile], bool]) -> Profile | None:
        """The free column whose name comes first among the known ones; names at the top before nested ones."""
        free = [column for column in self._free() if fits(column)]
        ranked = [(known.index(c.name), c.path.count("."), place) for place, c in enumerate(free) if c.name in known]
        return free[min(ranked)[2]] if ranked else None

    def _single(self, name: str, known: Sequence[str], fits: Callable[[Profile], bool]) -> None:
        column = self._best(known, fits)
        if column is not None:
            self._take(name, column)

    def _comparison(self) -> None:
        """Two outputs in a row, and which is preferred."""
        verdict = self._best(words.PREFERRED, lambda c: c.distinct <= MOST_RATINGS)
        texts = self._twins(words.TEXT, lambda c: c.is_text or c.is_texts)
        systems = self._twins(words.SYSTEM, lambda c: c.is_name)
        if verdict is None or not (texts or systems):
            return
        self._take("preferences.preferred", verdict)
        for name, twins in (("text", texts), ("system", systems)):
            if twins:
                self._take(name, twins[0])
                self._take(f"other.{name}", twins[1])

    def _twins(self, known: Sequence[str], fits: Callable[[Profile], bool]) -> tuple[Profile, Profile] | None:
        """Columns such as model_a and model_b."""
        by_name = {column.name: column for column in self._free() if fits(column)}
        for word in known:
            for first, second in words.TWINS:
                for one, two in ((f"{word}_{first}", f"{word}_{second}"), (f"{word}{first}", f"{word}{second}")):
                    if one in by_name and two in by_name:
                        return by_name[one], by_name[two]
        return None

    def _texts(self) -> None:
        summary = summarized(self.columns)
        if summary is not None:
            self._take("text", summary)
            self._take("context", next(column for column in self.columns if column.path == "text"))
            return
        column = self._best(words.TEXT, lambda c: c.is_text)
        if column is not None:
            self._take("text", column)
            self._align(column)
            return
        wide = self._wide([c for c in self._free() if c.is_text and c.length > words.SHORT], words.TEXT)
        if wide is not None and "system" not in self.fields:
            pattern, columns = wide
            for one in columns:
                self.taken.add(one.path)
            self.fields["text"] = (Path(pattern),)
            self.reasons["text"] = f"{len(columns)} systems, a column each"

    def _align(self, text: Profile) -> None:
        """Where texts are elements of a list, so are their systems."""
        system = self.fields.get("system")
        if not text.list_path or not system or getattr(system[0], "text", "").startswith(text.list_path):
            return
        inside = [c for c in self._free() if c.path.startswith(text.list_path) and c.name in words.SYSTEM and c.is_name]
        if inside:
            self.fields.pop("system")
            self._take("system", inside[0])

    def _wide(self, columns: Sequence[Profile], known: Sequence[str]) -> tuple[str, list[Profile]] | None:
        """Columns such as output_gpt4 and output_llama, and the pattern that they follow."""
        groups: dict[str, list[Profile]] = defaultdict(list)
        for column in columns:
            for word in known:
                for start, end in ((f"{word}_", ""), ("", f"_{word}"), (f"{word}.", "")):
                    key = column.path
                    if key.lower().startswith(start) and key.lower().endswith(end) and len(key) > len(start + end):
                        pattern = key[: len(start)] + "{system}" + key[len(key) - len(end) :] if end else ""
                        groups[pattern or key[: len(start)] + "{system}"].append(column)
        wide = {pattern: group for pattern, group in groups.items() if len(group) > 1}
        return max(wide.items(), key=lambda pair: len(pair[1]), default=None)

    def _criterion_and_value(self) -> None:
        """Ratings in long form: a row per annotator and criterion."""
        criterion = self._best(words.CRITERION, lambda c: c.is_text and c.length <= words.SHORT)
        value = self._best(words.VALUE, lambda c: bool(c.numbers) or c.distinct <= MOST_RATINGS)
        if criterion is None or value is None or criterion.list_path != value.list_path:
            return
        if "annotator" in self.fields or criterion.distinct < criterion.n_rows:
            self._take("criterion", criterion)
            self._take("value", value)

    def _names(self) -> None:
        """The item, and the id where one column has a different value on each row."""
        is_name = [column for column in self._free() if column.is_name]
        item = self._best(words.ITEM, lambda c: c.is_name)
        if item is None:
            given = [column for column in is_name if column.name in words.ID]
            if given:
                is_unique = given[0].distinct == given[0].n_rows and "other.text" not in self.fields
                several = getattr(self.fields.get("text", (None,))[0], "is_wild", False)
                self._take("id" if is_unique and not several else "item", given[0])
            return
        self._take("item", item)

    def _references(self) -> None:
        fits = [column for column in self._free() if column.is_text or column.is_texts]
        numbered = [c for c in fits if (m := _NUMBERED.fullmatch(c.name)) and m[1].strip("_") in words.REFERENCES]
        if len(numbered) > 1:
            for column in numbered:
                self._take("references", column)
            start = _common_start([column.path for column in numbered])
            self.fields["references"] = (Path(f"{start}*"),)
            return
        self._single("references", words.REFERENCES, lambda c: c.is_text or c.is_texts)

    def _judgments(self) -> None:
        rated = [column for column in self._free() if _is_rating(column)]
        groups: dict[str, list[Profile]] = defaultdict(list)
        for column in rated:
            numbered = _NUMBERED.fullmatch(column.path)
            groups[numbered[1] if numbered and not column.list_path else column.path].append(column)
        for start, columns in groups.items():
            criterion = _criterion(columns[0], start)
            path = f"{start}{{annotator}}" if len(columns) > 1 else columns[0].path
            name = f"judgments.{criterion}"
            if len(columns) == 1 and _NUMBERED.fullmatch(columns[0].path) and columns[0].list_path == "":
                name = f"judgments.{_criterion(columns[0], columns[0].path)}"
            for column in columns:
                self.taken.add(column.path)
            self.fields[name] = (*self.fields.get(name, ()), Path(path))
            several = f"{len(columns)} annotators, a column each: " if len(columns) > 1 else ""
            self.reasons[name] = several + columns[0].summary()
        self._order_judgments()

    def _order_judgments(self) -> None:
        """Overall-like criteria first: they are what a study looks at first."""
        criteria = [name.removeprefix("judgments.") for name in self.fields if name.startswith("judgments.")]
        names = [f"judgments.{name}" for name in overall_first(criteria)]
        ordered = {name: self.fields.pop(name) for name in names}
        self.fields.update(ordered)


def _is_rating(column: Profile) -> bool:
    tokens = set(column.name.split("_")) | set(column.parent.split("_"))
    if column.name in words.NOT_RATED or tokens & words.MEASURED:
        return False
    named = bool(tokens & words.RATED)
    if column.numbers:
        whole = all(value.is_integer() for value in column.numbers)
        few = whole and max(column.numbers) - min(column.numbers) <= 10 and abs(column.numbers[0]) <= 100
        return (named or few) and (named or column.distinct <= MOST_RATINGS)
    labeled = bool(set(column.name.split("_")) & words.RATED)
    return labeled and column.is_text and column.distinct <= 12 and column.length <= words.SHORT


def _criterion(column: Profile, start: str) -> str:
    """The name of a criterion: the column's, without words that say that it is a rating."""
    base = start.replace("[]", "").rpartition(".")[2].strip("_- ")
    if base.lower() in words.GENERIC and column.parent and column.parent not in words.GENERIC:
        return column.path.replace("[]", "").rpartition(".")[0].rpartition(".")[2]
    if base.lower() in words.ANNOTATOR:
        return "rating"
    tokens = [token for token in re.split(r"[_\s-]+", base) if token.lower() not in words.GENERIC]
    return "_".join(tokens) or base


def _common_start(texts: Iterable[str]) -> str:
    first, *others = texts
    length = 0
    while length < len(first) and all(text[: length + 1] == first[: length + 1] for text in others):
        length += 1
    return first[:length].rstrip("0123456789")
