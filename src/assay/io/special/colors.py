"""Color reference games: `clean_data.csv` of Newman et al. 2020 and the corpora of Monroe et al. 2017.

A row is a listener's click on one of three colors. An item is three colors with a target: the colors are its choices,
"hsl(313, 99%, 50%)", in numeric order, so that an item and its swapped twin (`ci0.0`, `ci0.1`) have equal choices and
differ only in the target. An output is an utterance, and a click judges it: criterion `target`, 1 if the target was
clicked. Nothing is dropped:

    item columns        about the three colors: condition, differences, the distractors' positions
    output columns      about the utterance (quality, contextNum, msgTime ...), and the speaker's view
    judgment columns    about the click: which color (`choice`), the listener's view, the recorded outcome

The utterances of the original game (contextNum 10 and up) are about other colors than the rest of their context, so
each has its own item; the item column `contextId` links them. Rows without the listener's positions have no click: they
are counted in the output column `unheard`. clean_data.csv does not identify listeners, so each click there has its own
annotator. Descriptive utterances are marked as references for the others of their item.
"""

from __future__ import annotations

from math import nan
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.io.special.whole import free_name
from assay.io.tabular.cells import Cells, read_cells
from assay.records import Criterion, Dataset
from assay.records.choices import CHOICE
from assay.records.columns import IS_REFERENCE, numbers_of
from assay.records.unflat import plain_number
from assay.text.strings import Strings

SHOWN = ("click", "alt1", "alt2")
ROLES = ("target", "distr1", "distr2")
# In clean_data.csv, utterances with this contextNum or a higher one come from the original game.
ORIGINAL_GAME = 10
# The kind of utterance that a good one is compared with.
DESCRIPTIVE = "descriptive"

HIT = Criterion(
    "target",
    question="Which of the three colors is meant?",
    scale="nominal",
    low=0.0,
    high=1.0,
    anchors={0.0: "another color", 1.0: "the color that the speaker meant"},
    better="higher",
    unit="output",
    asks="understanding",
)

RANGES = {"hue": 360, "saturation": 100, "lightness": 100}

ITEM_COLUMNS = ("contextId", "condition", "targetD1Diff", "targetD2Diff", "D1D2Diff")
CLICK_COLUMNS = ("clkTime", "outcome", "numOutcome")
_PARTS = ("Status", "ColH", "ColS", "ColL", "LocS", "LocL")
SHOWN_COLUMNS = tuple(f"{shown}{part}" for shown in SHOWN for part in _PARTS)


def read_colors(path: Path) -> Dataset:
    """Read a file of clicks."""
    return dataset_from_clicks(read_cells(path))


def dataset_from_clicks(cells: Cells) -> Dataset:
    """Convert rows of clicks to a dataset."""
    games = "gameid" in cells.columns
    named_by = ("gameid", "roundNum") if games else ("contextId", "contextNum")
    for column in (*SHOWN_COLUMNS, "contents", *named_by):
        cells.column(column, "a file of color games")
    rows = _ColorRows(cells)
    records: dict[str, dict[str, Any]] = {}
    lines: list[int] = []
    first_utterance: dict[str, tuple[Any, ...]] = {}
    for row in range(len(cells)):
        name, item, system = rows.round_names(row) if games else rows.context_names(row)
        utterance = (rows.text(row), rows.about_output(row))
        if games:
            name = free_name(name, first_utterance)
        if name not in records:
            records[name] = {"id": name, "item": item, "system": system, "human": True, "judgments": []}
            records[name] |= rows.about_item(row) | utterance[1] | {"text": utterance[0]}
            first_utterance[name] = utterance
            lines.append(cells.lines[row])
        elif first_utterance[name] != utterance:
            raise DataError(
                f"{cells.source} line {cells.lines[row]}: another utterance than on an earlier line about {name}. "
                "Give it a contextNum of its own."
            )
        if rows.has_click(row):
            listener = f"listener-{cells.columns['gameid'][row]}" if games else f"listener-{cells.lines[row]}"
            records[name]["judgments"].append(rows.judgment(row, listener))
        else:
            records[name]["unheard"] = records[name].get("unheard", 0) + 1
    stem = cells.source.rsplit(".", 1)[0]
    dataset = Dataset.from_records(records.values(), cells.source, lines=lines, default_system=stem)
    return dataset.with_criteria({HIT.name: HIT})


class _ColorRows:
    """Access to single rows; the columns of the format are numeric where possible."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        numbers = {*ITEM_COLUMNS, *CLICK_COLUMNS, *SHOWN_COLUMNS, "contextNum", "roundNum"}
        self._values = {
            name: cells.values(name) if name in numbers else cells.kept(name)
            for name in cells.columns
            if name != "contents"
        }
        for name in ("contextId", "gameid"):
            if name in self._values:
                self._values[name] = list(cells.columns[name])
        of_format = {*ITEM_COLUMNS, *CLICK_COLUMNS, *SHOWN_COLUMNS, "contents"}
        self._output_columns = [name for name in cells.columns if name not in of_format]

    def round_names(self, row: int) -> tuple[str, str, str]:
        """Output, item and system of a row of a game; each round has its own colors."""
        name = f"{self._values['gameid'][row]}/{_shown_number(self._values['roundNum'][row])}"
        return name, name, "people"

    def context_names(self, row: int) -> tuple[str, str, str]:
        """Output, item and system of a row of clean_data.csv; a system is the kind of utterance that was requested."""
        context, number = self._values["contextId"][row], self._values["contextNum"][row]
        name = f"{context}/{_shown_number(number)}"
        own_colors = isinstance(number, float) and number >= ORIGINAL_GAME
        system = str(self._values["quality"][row]) if "quality" in self._values else ""
        return name, name if own_colors else str(context), system or "people"

    def text(self, row: int) -> str:
        return self._cells.columns["contents"][row]

    def about_item(self, row: int) -> dict[str, Any]:
        """The colors in numeric order, the index of the target, and columns."""
        colors = self._sorted_colors(row)
        roles = [role for _, role in colors]
        columns = {name: self._values[name][row] for name in ITEM_COLUMNS if name in self._values}
        return {
            "choices": [_css(color) for color, _ in colors],
            "target": roles.index("target"),
            "item_columns": columns | {role: roles.index(role) for role in ROLES[1:]},
        }

    def about_output(self, row: int) -> dict[str, Any]:
        """Columns of the utterance, and where its speaker saw each color."""
        speaker_view = {f"{self._role(row, shown)}LocS": self._values[f"{shown}LocS"][row] for shown in SHOWN}
        columns = {name: self._values[name][row] for name in self._output_columns}
        if "quality" in columns:
            columns[IS_REFERENCE] = float(columns["quality"] == DESCRIPTIVE)
        return {name: value for name, value in (columns | speaker_view).items() if value == value}

    def has_click(self, row: int) -> bool:
        """Whether the listener's positions are present."""
        return all(self._cells.columns[f"{shown}LocL"][row] != "" for shown in SHOWN)

    def judgment(self, row: int, listener: str) -> dict[str, Any]:
        columns = {name: self._values[name][row] for name in CLICK_COLUMNS if name in self._values}
        for shown in SHOWN:
            columns |= {f"{shown}{part}": self._values[f"{shown}{part}"][row] for part in ("Status", "LocL")}
        hit = self._role(row, "click") == "target"
        columns[CHOICE] = [role for _, role in self._sorted_colors(row)].index(self._role(row, "click"))
        return {"annotator": listener, "criterion": HIT.name, "value": int(hit)} | columns

    def _sorted_colors(self, row: int) -> list[tuple[tuple[float, ...], str]]:
        """The colors in numeric order, each with its role."""
        return sorted((self._color(row, shown), self._role(row, shown)) for shown in SHOWN)

    def _role(self, row: int, shown: str) -> str:
        role = self._cells.columns[f"{shown}Status"][row]
        others = {self._cells.columns[f"{other}Status"][row] for other in SHOWN}
        if others != set(ROLES):
            raise DataError(
                f"{self._cells.source} line {self._cells.lines[row]}: clickStatus, alt1Status and alt2Status are "
                f"{', '.join(sorted(others))}. They should be target, distr1 and distr2, in any order."
            )
        return role

    def _color(self, row: int, shown: str) -> tuple[float, ...]:
        parts = [_number(self._values[f"{shown}Col{part}"][row]) for part in "HSL"]
        numbers = tuple(part for part in parts if abs(part) < 1e6)
        if len(numbers) < 3:
            raise DataError(
                f"{self._cells.source} line {self._cells.lines[row]}: the color {shown} is not three numbers."
            )
        for name, number, most in zip(RANGES, numbers, RANGES.values(), strict=True):
            if not 0 <= number <= most:
                raise DataError(
                    f"{self._cells.source} line {self._cells.lines[row]}: the color {shown} has a {name} of "
                    f"{number:g}. It must be from 0 to {most}."
                )
        return numbers


def _number(value: float | str) -> float:
    """A cell; where another of its column is no number, all are texts. NaN of none."""
    if isinstance(value, float):
        return value
    numbers = numbers_of(Strings.of([value]))
    return nan if numbers is None else float(numbers[0])


def _css(color: tuple[float, ...]) -> str:
    hue, saturation, lightness = (plain_number(part) for part in color)
    return f"hsl({hue}, {saturation}%, {lightness}%)"


def _shown_number(value: float | str) -> float | int | str:
    return plain_number(value) if isinstance(value, float) else value
