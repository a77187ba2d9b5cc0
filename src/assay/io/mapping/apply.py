"""Apply a column mapping: rows of a foreign table become flat records.

A row is one output. Where `text` matches several values, it is several: of several systems if the path remembers
`{system}`, else a set. With an annotator per row, or a comparison, rows about the same output are merged.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from assay.errors import DataError, did_you_mean
from assay.io.mapping.answers import settled, settled_preferences
from assay.io.mapping.cells import as_flag, as_list, as_number, as_object, as_target, as_text, is_gap
from assay.io.mapping.columns import ColumnMap, Constant, Source
from assay.io.mapping.paths import Match, Path
from assay.records.flat import FIELDS
from assay.records.flat_judgments import JUDGMENT_FIELDS

Row = tuple[int, Mapping[str, Any]]
# Fields that a column of the same name fills unless the mapping says otherwise, as they stand.
AS_THEY_STAND = frozenset({"logprobs", "params", "judgments", "criteria", "item_columns", "set_columns"})
NAMES = ("id", "item", "system", "set")
# The annotator of judgments that do not name one.
SOMEONE = "annotator"


def mapped_records(
    rows: Sequence[Row], mapping: ColumnMap, source: str, word: str = "line", *, decimal_commas: bool = False
) -> tuple[list[dict[str, Any]], list[int]]:
    """Return flat records, and the line of each; a wrong column is an error that names the columns there are."""
    mapper = _Mapper(mapping, rows, f"{source} {word}", source, decimal_commas)
    mapper.check_columns(rows)
    for line, row in rows:
        mapper.add(line, row)
    return mapper.finish()


def check_columns(mapping: ColumnMap, rows: Sequence[Row], source: str) -> None:
    """Raise an error that names every column of the mapping that no row has."""
    unmatched = [(field, path) for field, path in mapping.paths() if not any(path.matches(row) for _, row in rows)]
    if not unmatched:
        return
    columns = list(dict.fromkeys(key for _, row in rows for key in row))
    problems = [
        f"{source}: no column {path.text!r}, which {field}={path} names.{_nearest(path.text, columns)}"
        for field, path in unmatched
    ]
    header = f"{source}: the columns are {', '.join(map(str, columns))}."
    corrected = _corrected(mapping, dict(unmatched), columns)
    remedy = (
        f"This would work: --map {shlex.quote(corrected)}" if corrected else f"See what fits with: assay init {source}"
    )
    raise DataError([*problems, header, remedy])


class _Mapper:
    def __init__(self, mapping: ColumnMap, rows: Sequence[Row], place: str, source: str, decimal_commas: bool) -> None:
        named = {path.text for _, path in mapping.paths()} | set(mapping.fields)
        free = dict.fromkeys(key for _, row in rows for key in row if key not in named)
        has_answers = mapping.named("judgments") or mapping.fields.get("value") or mapping.named("preferences")
        fields = FIELDS - AS_THEY_STAND | ({"annotator"} if has_answers else set())
        self._mapping = ColumnMap(
            {**mapping.fields, **{name: (Path(name),) for name in free if name in fields}}, mapping.criteria
        )
        self._stands = [name for name in free if name in AS_THEY_STAND]
        self._place, self._source, self._decimal_commas = place, source, decimal_commas
        self._problems: list[str] = []
        self._records: dict[Any, dict[str, Any]] = {}
        self._lines: list[int] = []
        self._leftovers: dict[Any, list[dict[str, Any]]] = {}
        self._used: dict[tuple[str, ...], set[str]] = {}
        self._copies: dict[str, int] = {}
        self._judgments = self._mapping.named("judgments")
        self._preferences = self._mapping.named("preferences")
        sources = [source for several in self._judgments.values() for source in several]
        self._items_in_columns = any("item" in getattr(source, "placeholders", ()) for source in sources)

    def check_columns(self, rows: Sequence[Row]) -> None:
        check_columns(self._mapping, rows, self._source)
        fields = self._mapping.fields
        has_answers = self._judgments or self._preferences or fields.get("value") or "judgments" in self._stands
        if not fields.get("text") and not has_answers:
            raise DataError(
                f"{self._source}: the mapping names neither texts nor judgments. Write text=COLUMN, or "
                "judgments.NAME=COLUMN for a table of ratings."
            )
        is_named = self._items_in_columns or any(fields.get(name) for name in ("text", "id", "item", "context"))
        if self._mapping.is_long and not is_named:
            raise DataError(f"{self._source}: which rows are about the same output? Write item=COLUMN or id=COLUMN.")
        if self._items_in_columns and not self._mapping.is_long:
            raise DataError(
                f"{self._source}: whose ratings are in a row? A mapping with {{item}} needs annotator=COLUMN as well."
            )

    def add(self, line: int, row: Mapping[str, Any]) -> None:
        """Add the outputs of a row, and the answers about them."""
        texts = self._texts(row)
        compared = bool(self._preferences)
        is_wide = len(texts) > 1 or (texts and texts[0].names) or compared
        keys = [self._add_output(line, row, text, is_wide=bool(is_wide)) for text in texts]
        leftovers = self._leftover(row)
        if compared:
            self._compare(line, row, keys[0], leftovers)
        else:
            for key, text in zip(keys, texts, strict=True):
                self._answer(row, key, text)
        for key in keys:
            self._leftovers.setdefault(key, []).append(leftovers)

    def finish(self) -> tuple[list[dict[str, Any]], list[int]]:
        """Return the records and their lines; numbers and labels are decided for each criterion as a whole."""
        if self._problems:
            raise DataError(self._problems)
        records = list(self._records.values())
        answers = [answer for record in records for answer in record.get("judgments", ())]
        kept = settled_preferences(answers) if self._preferences else settled(answers, self._decimal_commas)
        for key, record in self._records.items():
            record["judgments"] = [answer for answer in record["judgments"] if id(answer) in kept]
            self._keep_leftovers(record, self._leftovers[key])
            if not record["judgments"]:
                del record["judgments"]
        return records, self._lines

    def _texts(self, row: Mapping[str, Any]) -> list[Match]:
        """The texts of a row; a table of ratings has an empty one."""
        sources = self._mapping.fields.get("text", ())
        if not sources:
            return self._rated(row)
        texts = self._matches(sources, row)
        wide = any(isinstance(source, Path) and source.is_wild for source in sources) or len(sources) > 1
        return [text for text in texts if not is_gap(text.value)] if wide else texts or [Match(None, "")]

    def _rated(self, row: Mapping[str, Any]) -> list[Match]:
        """What a row of ratings without texts is about: one output, or one per item or system among its columns."""
        found: dict[tuple[Any, ...], Match] = {}
        for sources in self._judgments.values():
            for match in self._matches(sources, row):
                names = {name: match.names[name] for name in ("item", "system") if name in match.names}
                if names:
                    found.setdefault(tuple(names.items()), Match("", match.where, names))
        return list(found.values()) or [Match("", "")]

    def _matches(self, sources: Sequence[Source], row: Mapping[str, Any], about: Match | None = None) -> list[Match]:
        matches: list[Match] = []
        for source in sources:
            if isinstance(source, Constant):
                matches.append(Match(source.value, ""))
            else:
                matches += [match for match in source.matches(row) if about is None or match.fits(about)]
        return matches

    def _one(self, field: str, row: Mapping[str, Any], about: Match) -> Any:
        """The first value of a field that is about the same system and list element; None for a gap."""
        matches = self._matches(self._mapping.fields.get(field, ()), row, about)
        return next((match.value for match in matches if not is_gap(match.value)), None)

    def _add_output(
        self, line: int, row: Mapping[str, Any], text: Match, *, is_wide: bool, names: tuple[Any, Any] | None = None
    ) -> Any:
        """Add an output unless an earlier row has it; return its key. The second of a comparison has its own names."""
        record = self._record(row, text)
        if names is not None:
            record["system"], record["id"] = names
        if is_wide and record.get("item") is None and record.get("context") is None:
            record["item"] = str(line)
        parts = tuple(record.get(name) for name in ("item", "context", "system", "set", "text"))
        if not self._mapping.is_long:
            key: Any = (line, len(self._lines))
        else:
            key = repr(record["id"] if record["id"] is not None else parts)
        earlier = self._records.get(key)
        if earlier is None:
            self._records[key] = {**self._named(line, record, text, is_wide=is_wide), "judgments": []}
            self._records[key]["judgments"] += self._given_judgments(row)
            self._lines.append(line)
        else:
            self._check_same(line, earlier, record)
        return key

    def _given_judgments(self, row: Mapping[str, Any]) -> list[Any]:
        given = as_list(row.get("judgments")) if "judgments" in self._stands else []
        return [dict(answer) if isinstance(answer, Mapping) else answer for answer in given]

    def _record(self, row: Mapping[str, Any], text: Match) -> dict[str, Any]:
        fields = self._mapping.fields
        record: dict[str, Any] = {name: self._one(name, row, text) for name in NAMES}
        for name in ("item", "system"):
            if record[name] is None:
                record[name] = text.names.get(name)
        record["context"] = as_text(self._one("context", row, text), nested=True)
        record["text"] = as_text(text.value)
        for name in ("references", "choices"):
            if name in fields:
                values = self._matches(fields[name], row, text)
                record[name] = [as_text(part) for match in values for part in as_list(match.value)]
        record["target"] = as_target(self._one("target", row, text), record.get("choices", []))
        record["human"] = as_flag(self._one("human", row, text))
        for name in ("logprob", "n_tokens"):
            record[name] = as_number(self._one(name, row, text))
        for name in ("logprobs", "params"):
            named = {inner: self._matches(sources, row, text) for inner, sources in self._mapping.named(name).items()}
            cell = as_number if name == "logprobs" else lambda value: value
            given = {inner: cell(found[0].value) for inner, found in named.items() if found}
            record[name] = {inner: value for inner, value in given.items() if not is_gap(value)} or None
        for name in self._stands:
            if name != "judgments":
                record[name] = as_object(row.get(name))
        return {name: value for name, value in record.items() if value not in (None, []) or name in ("id", "text")}

    def _named(self, line: int, record: dict[str, Any], text: Match, *, is_wide: bool) -> dict[str, Any]:
        """The record with an id that is unique where one row has several outputs, or one output several rows."""
        name, system = record["id"], record.get("system")
        if name is None and self._mapping.is_long and record.get("item") is not None:
            name = record["item"] if system is None else f"{record['item']}|{system}"
        elif is_wide and not self._preferences:
            last = system if system is not None else text.where
            name = f"{line if name is None else name}|{last}"
        elif name is None and is_wide:
            name = f"{line}|{system}"
        if name is not None and record["id"] is None:
            copies = self._copies[str(name)] = self._copies.get(str(name), 0) + 1
            name = name if copies == 1 else f"{name}#{copies}"
        named = {**record, "id": name}
        return named if name is not None else {key: value for key, value in named.items() if key != "id"}

    def _check_same(self, line: int, earlier: Mapping[str, Any], record: Mapping[str, Any]) -> None:
        for name, value in record.items():
            if name != "id" and value is not None and earlier.get(name, value) != value:
                self._problems.append(
                    f"{self._place} {line}: another {name} of the output {earlier.get('id', '')!r} than on an "
                    "earlier line. Make them equal, or map id to a column that tells the outputs apart."
                )

    def _answer(self, row: Mapping[str, Any], key: Any, text: Match) -> None:
        """Add the judgments of a row about one of its texts."""
        answers = self._records[key]["judgments"]
        for criterion, sources in self._judgments.items():
            matches = self._matches(sources, row, text)
            names = [criterion.replace("{criterion}", str(match.names.get("criterion", ""))) for match in matches]
            for match, name in zip(matches, names, strict=True):
                answers.append(self._judgment(row, text, match, name, several=names.count(name) > 1))
        for match in self._matches(self._mapping.fields.get("value", ()), row, text):
            asked = self._one("criterion", row, match) or match.names.get("criterion") or match.where
            answers.append(self._judgment(row, text, match, asked, several=False))

    def _judgment(
        self, row: Mapping[str, Any], text: Match, match: Match, criterion: Any, *, several: bool
    ) -> dict[str, Any]:
        merged = Match(None, match.where, {**text.names, **match.names})
        annotator = self._one("annotator", row, merged) or match.names.get("annotator")
        if annotator is None:
            annotator = match.element or (match.where if several else SOMEONE)
        return {"annotator": annotator, "criterion": criterion, "value": match.value}

    def _compare(self, line: int, row: Mapping[str, Any], key: Any, leftovers: Mapping[str, Any]) -> None:
        """Add the second output of a comparison, and who preferred which."""
        value = self._one("other.text", row, Match(None, ""))
        rival = Match("" if value is None else value, "other")
        names = self._one("other.system", row, rival), self._one("other.id", row, rival)
        other = self._add_output(line, row, rival, is_wide=True, names=names)
        self._leftovers.setdefault(other, [])
        first, second = self._records[key], self._records[other]
        if first is second:
            self._problems.append(f"{self._place} {line}: the two compared outputs are the same one.")
            return
        for criterion, sources in self._preferences.items():
            for match in self._matches(sources, row):
                answer = self._judgment(row, rival, match, criterion, several=False)
                answer |= {"other": second["id"], "sides": self._sides(first, second), **_beside(leftovers)}
                first["judgments"].append(answer)

    def _sides(self, first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[set[str], set[str]]:
        """The words for each of two outputs: its system, and the columns that hold it."""
        fields = self._mapping.fields
        columns = [
            {source.text for name in names for source in fields.get(name, ()) if isinstance(source, Path)}
            for names in (("system", "text"), ("other.system", "other.text"))
        ]
        return tuple({str(side.get("system")), *names} for side, names in zip((first, second), columns, strict=True))  # type: ignore[return-value]

    def _leftover(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The columns that no field uses up, without gaps."""
        header = tuple(row)
        if header not in self._used:
            used = {key for _, path in self._mapping.paths() for key in path.first_key(row)}
            self._used[header] = used | set(self._stands)
        used = self._used[header]
        return {key: value for key, value in row.items() if key not in used and not is_gap(value)}

    def _keep_leftovers(self, record: dict[str, Any], rows: Iterable[Mapping[str, Any]]) -> None:
        """Keep unmapped columns: of the output if all its rows agree, else of each judgment."""
        if self._preferences:
            return  # they are beside the judgments
        first, *others = rows
        shared = {name: value for name, value in first.items() if all(row.get(name) == value for row in others)}
        record |= {f"file.{name}" if name in FIELDS else name: value for name, value in shared.items()}
        if others and len(record["judgments"]) == len(others) + 1:
            for answer, row in zip(record["judgments"], (first, *others), strict=True):
                answer |= _beside({name: value for name, value in row.items() if name not in shared})


def _beside(leftovers: Mapping[str, Any]) -> dict[str, Any]:
    return {f"file.{name}" if name in JUDGMENT_FIELDS else name: value for name, value in leftovers.items()}


def _nearest(path: str, columns: Sequence[str]) -> str:
    """The nearest column; the header follows in a line of its own."""
    hint = did_you_mean(path.partition(".")[0].partition("[")[0], map(str, columns))
    return hint if hint.startswith(" Did you mean") else ""


def _corrected(mapping: ColumnMap, unmatched: Mapping[str, Path], columns: Sequence[str]) -> str:
    """The mapping with the nearest columns in place of wrong ones; empty if one has no near column."""
    fields: dict[str, tuple[Source, ...]] = {}
    for name, sources in mapping.fields.items():
        fixed = []
        for source in sources:
            if source == unmatched.get(name):
                near = get_close_matches(str(getattr(source, "text", "")), list(map(str, columns)), n=1, cutoff=0.6)
                if not near:
                    return ""
                fixed.append(Path.column(near[0]))
            else:
                fixed.append(source)  # type: ignore[arg-type]
        fields[name] = tuple(fixed)
    return str(ColumnMap(fields))
