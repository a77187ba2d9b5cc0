"""Guess a column mapping from the names and the values of a foreign table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.io.mapping import words
from assay.io.mapping.columns import ColumnMap, Constant, Source
from assay.io.mapping.paths import Path
from assay.io.mapping.profile import Profile, profiles
from assay.io.mapping.ratings import MOST_RATINGS, Known, Rated, is_measured, rated_items, ratings
from assay.io.mapping.wide import common_start, families, named_after
from assay.records.inferred import overall_first

Rows = Sequence[tuple[int, Mapping[str, Any]]]
Fits = Callable[[Profile], bool]

_NUMBERED = re.compile(r"(.*?)(\d+)$")
# The first names of fields that make a mapping usable.
_CONTENT = ("text", "judgments", "value", "preferences")


@dataclass(frozen=True)
class Guess:
    """A proposed mapping, with a reason for each column, and the columns that no field fits."""

    mapping: ColumnMap
    reasons: Mapping[str, str]
    left_out: Mapping[str, str]

    @property
    def is_usable(self) -> bool:
        """Whether there is something to read: texts or judgments."""
        return any(name.partition(".")[0] in _CONTENT for name in self.mapping.fields)


def guess_mapping(rows: Rows, *, decimal_commas: bool = False) -> Guess:
    """Propose a mapping for the rows of a foreign table."""
    return _Guesser(rows, profiles(rows, decimal_commas=decimal_commas)).guess()


def summarized(columns: Sequence[Profile]) -> Profile | None:
    """The column of summaries of a table whose column `text` is the source: a longer text without a context."""
    texts = {column.path: column for column in columns if column.is_text}
    if "text" not in texts or "context" in texts:
        return None
    summaries = [texts[name] for name in words.SUMMARY if name in texts]
    return next((one for one in summaries if texts["text"].length > 2 * one.length), None)


@dataclass
class _Guesser:
    rows: Rows
    columns: list[Profile]
    fields: dict[str, tuple[Source, ...]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    def guess(self) -> Guess:
        self._comparison()
        compared = "preferences.preferred" in self.fields
        if not compared:
            self._system()
            self._texts()
        self._single("annotator", words.ANNOTATOR, _is_name)
        if not compared:
            self._criterion_and_value()
        if "context" not in self.fields:
            self._single("context", words.CONTEXT, _may_be_texts, loose=True)
        self._references()
        self._names()
        if not compared and "text" not in self.fields:
            self._unnamed_texts()
        if not compared and "value" not in self.fields:
            self._judgments()
        left_out = {c.path: c.summary() for c in self.columns if c.path not in self.taken and c.values}
        return Guess(ColumnMap(self.fields), self.reasons, left_out)

    def _take(self, name: str, column: Profile, why: str = "", source: Source | None = None) -> None:
        self.fields[name] = (*self.fields.get(name, ()), source or column.place)
        self.reasons[name] = why or column.summary()
        self.taken.add(column.path)

    def _free(self) -> list[Profile]:
        return [column for column in self.columns if column.path not in self.taken and column.values]

    def _best(self, known: Sequence[str], fits: Fits, *, loose: bool = False) -> Profile | None:
        """The free column whose name comes first among the known ones; names at the top before nested ones.

        A loose search takes longer names that end in a known one after them, such as `news_article`.
        """
        free = [column for column in self._free() if fits(column)]
        ranked = [
            (rank, column.path.count("."), place)
            for place, column in enumerate(free)
            if (rank := _rank(column, known, loose)) is not None
        ]
        return free[min(ranked)[2]] if ranked else None

    def _single(self, name: str, known: Sequence[str], fits: Fits, *, loose: bool = False) -> None:
        column = self._best(known, fits, loose=loose)
        if column is not None:
            self._take(name, column)

    def _comparison(self) -> None:
        """Two outputs in a row, and which is preferred."""
        chosen = self._chosen()
        if chosen:
            for name, place in zip(("text", "other.text"), chosen, strict=True):
                self.fields[name] = (place,)
                self.reasons[name] = "the better and the worse of two texts"
            names = [place.text.partition("[")[0] for place in chosen]
            for name, value in zip(
                ("system", "other.system", "preferences.preferred"), (*names, names[0]), strict=True
            ):
                self.fields[name] = (Constant(value),)
                self.reasons[name] = "the same on every line"
            self.taken |= {column.path for column in self.columns if column.path.partition("[")[0] in names}
            return
        verdict = self._best(words.PREFERRED, lambda c: c.distinct <= MOST_RATINGS)
        texts = self._twins(words.TEXT, _may_be_texts)
        systems = self._twins(words.SYSTEM, _is_name)
        if verdict is None or not (texts or systems):
            return
        self._take("preferences.preferred", verdict)
        for name, twins in (("text", texts), ("system", systems)):
            if twins:
                self._take(name, twins[0])
                self._take(f"other.{name}", twins[1])

    def _chosen(self) -> tuple[Path, Path] | None:
        """Columns of chosen and rejected texts, or of conversations that end in them."""
        texts = {column.path: column for column in self._free() if column.is_text}
        for chosen, rejected in words.CHOSEN:
            for end, last in (("", ""), ("[].content", "[-1].content"), ("[].value", "[-1].value")):
                if chosen + end in texts and rejected + end in texts:
                    return Path(chosen + last), Path(rejected + last)
        return None

    def _twins(self, known: Sequence[str], fits: Fits) -> tuple[Profile, Profile] | None:
        """Columns such as model_a and model_b."""
        by_name = {column.name: column for column in self._free() if fits(column)}
        for word in known:
            for first, second in words.TWINS:
                for one, two in ((f"{word}_{first}", f"{word}_{second}"), (f"{word}{first}", f"{word}{second}")):
                    if one in by_name and two in by_name:
                        return by_name[one], by_name[two]
        return None

    def _system(self) -> None:
        def repeats(column: Profile) -> bool:
            """Few short names, which are not those of judges."""
            few = 2 * column.distinct <= column.n_rows and column.length <= words.SHORT
            return column.is_name and few and not column.numbers and not column.words & {*words.RATERS, "reward"}

        column = self._best(words.SYSTEM, _is_name) or self._best(words.SYSTEM, repeats, loose=True)
        if column is not None:
            self._take("system", column)

    def _texts(self) -> None:
        summary = summarized(self.columns)
        if summary is not None:
            self._take("text", summary)
            self._take("context", next(column for column in self.columns if column.path == "text"))
            return
        if self._conversation() or ("system" not in self.fields and self._wide()):
            return
        column = self._best(words.TEXT, lambda c: c.is_text) or self._best(words.TEXT, _is_output, loose=True)
        if column is not None:
            self._take("text", column)
            self._align(column)
            return
        several = self._best(words.TEXTS, lambda c: c.is_texts and not c.is_text)
        if several is not None:
            self._take("text", several, source=Path(f"{several.path}[]"))
            return
        column = self._best(words.TARGET, lambda c: c.is_text)
        if column is not None and self._best(words.CONTEXT, _may_be_texts) is not None:
            self._take("text", column)

    def _conversation(self) -> bool:
        """What was said last is the text, what was said before it the context."""
        for column in self._free():
            start, _, last = column.path.partition("[].")
            if column.is_text and start.lower() in words.CONVERSATION and last in ("content", "value", "text"):
                self._take("text", column, "what was said last", Path(f"{start}[-1].{last}"))
                self._take("context", column, "what was said before it", Path(f"{start}[-2].{last}"))
                self.taken |= {other.path for other in self.columns if other.path.startswith(f"{start}[]")}
                return True
        return False

    def _wide(self) -> bool:
        """A column of texts per system, such as output_gpt4 and output_llama."""
        texts = [c for c in self._free() if c.is_text and c.length > words.SHORT / 3]
        known = [(path, group) for path, base, group in families(texts) if base in words.TEXT]
        path, group = max(known, key=lambda pair: len(pair[1]), default=("", []))
        if not group:
            return False
        self._take_wide("text", path, group, "systems")
        return True

    def _take_wide(self, name: str, path: str, group: Iterable[Profile], what: str) -> None:
        columns = list(group)
        self.taken |= {column.path for column in columns}
        self.fields[name] = (Path(path),)
        self.reasons[name] = f"{len(columns)} {what}, a column each"

    def _align(self, text: Profile) -> None:
        """Where texts are elements of a list, so are their systems."""
        system = self.fields.get("system")
        if not text.list_path or not system or getattr(system[0], "text", "").startswith(text.list_path):
            return
        inside = [c for c in self._free() if c.path.startswith(text.list_path) and c.name in words.SYSTEM and c.is_name]
        if inside:
            self.fields.pop("system")
            self._take("system", inside[0])

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
        item = self._best(words.ITEM, self._names_items)
        if item is not None:
            self._take("item", item)
            return
        numbered = self._best(words.ID, _is_name)
        if numbered is None:
            return
        is_long = "annotator" in self.fields or "other.text" in self.fields
        is_unique = numbered.distinct == numbered.n_rows
        several = getattr(self.fields.get("text", (None,))[0], "is_wild", False)
        if is_unique and not several:
            if not is_long:
                self._take("id", numbered)
        elif self._names_items(numbered):
            self._take("item", numbered)

    def _names_items(self, column: Profile) -> bool:
        """Whether rows with the same name have the same context and references."""
        if not column.is_name:
            return False
        beside = [source for name in ("context", "references") for source in self.fields.get(name, ())]
        seen: dict[str, str] = {}
        for _, row in self.rows:
            for name in column.place.matches(row)[:1]:
                about = repr([[match.value for match in s.matches(row)] for s in beside if isinstance(s, Path)])
                if seen.setdefault(str(name.value), about) != about:
                    return False
        return True

    def _references(self) -> None:
        fits = [column for column in self._free() if _may_be_texts(column)]
        numbered = [c for c in fits if (m := _NUMBERED.fullmatch(c.name)) and m[1].strip("_") in words.REFERENCES]
        if len(numbered) > 1:
            for column in numbered:
                self._take("references", column)
            self.fields["references"] = (Path(f"{common_start([column.path for column in numbered])}*"),)
            return
        given = self._best(words.REFERENCES, _may_be_texts, loose=True)
        if given is None and self._is_several():
            given = self._best(("labels", "golds", "targets"), _may_be_texts)
        if given is not None:
            self._take("references", given)

    def _is_several(self) -> bool:
        return "text" in self.fields and not any("system" in getattr(s, "text", "") for s in self.fields["text"])

    def _unnamed_texts(self) -> None:
        """Columns that are texts by their values alone: alike but for the system, or the only ones."""
        texts = [c for c in self._free() if c.is_column and _is_output(c) and c.length > words.SHORT / 3]
        if "system" in self.fields or "annotator" in self.fields:
            if texts:
                self._take("text", max(texts, key=lambda c: (c.distinct, c.length)))
            return
        path, _, group = max(families(texts), key=lambda family: len(family[2]), default=("", "", []))
        if group:
            self._take_wide("text", path, group, "systems")
            rest = [column for column in self._free() if column.is_text and column.distinct > 1 and _is_output(column)]
            if len(rest) == 1 and "context" not in self.fields:
                self._take("context", rest[0])
        elif len(texts) > 1 and not any(re.search(r"[|{}]", column.path) for column in texts):
            self._take_wide("text", f"{{system:{'|'.join(column.path for column in texts)}}}", texts, "systems")
        elif len(texts) == 1:
            self._take("text", texts[0])

    def _judgments(self) -> None:
        is_long = "annotator" in self.fields
        if is_long and not any(name in self.fields for name in ("text", "id", "item", "context")):
            self._unnamed_items()
            if "item" not in self.fields:
                rated = rated_items(self._free())
                if rated is not None:
                    self._take_rated(rated)
                return
        text = self.fields.get("text", ())
        systems = named_after("system", text, self.rows)
        known = Known(bool(text), is_long, "system" in self.fields, systems)
        for rated in ratings(self._free(), known):
            # One rating in a row of several systems is of one of them, and nothing says of which.
            if len(systems) < 2 or any("system" in getattr(source, "placeholders", ()) for source in rated.sources):
                self._take_rated(rated)
        criteria = [name.removeprefix("judgments.") for name in self.fields if name.startswith("judgments.")]
        # Overall-like criteria first: they are what a study looks at first.
        self.fields.update(
            {name: self.fields.pop(name) for name in (f"judgments.{c}" for c in overall_first(criteria))}
        )

    def _take_rated(self, rated: Rated) -> None:
        name = f"judgments.{rated.criterion}"
        self.taken |= {column.path for column in rated.columns}
        self.fields[name] = (*self.fields.get(name, ()), *rated.sources)
        self.reasons[name] = rated.why

    def _unnamed_items(self) -> None:
        """What ratings without texts are about: the column with most names, and a second one for systems."""
        names = [c for c in self._free() if c.is_name and 1 < c.distinct < c.n_rows and not is_measured(c)]
        names = [c for c in names if not c.numbers and c.length <= words.SHORT and not c.words & words.RATED]
        names.sort(key=lambda column: -column.distinct)
        for field_name, column in zip(("item", "system"), names, strict=False):
            if field_name not in self.fields:
                self._take(field_name, column)


def _rank(column: Profile, known: Sequence[str], loose: bool) -> int | None:
    if column.name in known:
        return known.index(column.name)
    *before, last = column.name.split("_")
    if not loose or not before or is_measured(column):
        return None
    word = before[-1] if last in words.CONTENT and last not in known else last
    return len(known) + known.index(word) if word in known else None


def _is_name(column: Profile) -> bool:
    return column.is_name


def _may_be_texts(column: Profile) -> bool:
    return column.is_text or column.is_texts


def _is_output(column: Profile) -> bool:
    """Whether these may be outputs: different texts, not named as what they answer."""
    given = {*words.CONTEXT, *words.REFERENCES} - set(words.TEXT)
    varied = 2 * column.distinct > min(column.n_rows, len(column.values))
    return column.is_text and varied and not is_measured(column) and not column.words & given
