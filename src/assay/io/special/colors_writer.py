"""Write color games as a row per click: the inverse of `assay.io.special.colors`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.io.special.colors import ITEM_COLUMNS, ROLES, SHOWN, SHOWN_COLUMNS, dataset_from_clicks
from assay.io.special.whole import check_whole, written
from assay.io.tabular.cells import Cells, write_cells
from assay.kernels.ragged import Ragged
from assay.records import Dataset, Values
from assay.records.choices import CHOICE
from assay.records.columns import IS_REFERENCE

_COLOR = re.compile(r"hsl\((.+), (.+)%, (.+)%\)")


def write_colors(dataset: Dataset, path: Path) -> None:
    """Write clicks; data that is not a color game, or that the format cannot represent, is an error."""
    writer = _Writer(dataset)
    rows = [row for output in range(len(dataset)) for row in writer.rows(output)]
    names = dict.fromkeys(name for row in rows for name in row)
    cells = Cells.of(path.name, {name: [row.get(name, "") for row in rows] for name in names})
    check_whole(dataset, lambda: dataset_from_clicks(cells), path, "colors")
    write_cells(cells, path)


class _Writer:
    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._items = _cells_of(dataset.items.columns)
        self._outputs = _cells_of(dataset.outputs.columns)
        self._clicks = _cells_of(dataset.judgments.columns)
        self._by_output = Ragged.grouped(dataset.judgments.unit, len(dataset))

    def rows(self, output: int) -> Iterator[dict[str, str]]:
        """The rows of one utterance: its clicks, then the rows without one."""
        columns = {name: cells[output] for name, cells in self._outputs.items()}
        speaker_view = {role: columns.pop(f"{role}LocS", "") for role in ROLES}
        unheard = columns.pop("unheard", "")
        columns.pop(IS_REFERENCE, None)  # the kind of utterance says it
        item = int(self._dataset.outputs.item[output])
        shared = columns | {name: self._items[name][item] for name in ITEM_COLUMNS if name in self._items}
        shared["contents"] = self._dataset.outputs.text[output]
        colors = self._colors(item)
        for click in self._by_output[output].tolist():
            about = {name: cells[click] for name, cells in self._clicks.items() if name != CHOICE}
            yield shared | about | _shown(about, colors, speaker_view)
        for _ in range(int(float(unheard)) if unheard else 0):
            about = {f"{shown}Status": role for shown, role in zip(SHOWN, ROLES, strict=True)}
            yield shared | {"outcome": "False"} | about | _shown(about, colors, speaker_view)

    def _colors(self, item: int) -> dict[str, tuple[str, ...]]:
        """The three numbers of the color in each role."""
        choices, target = self._dataset.items.choices[item], self._dataset.items.target[item]
        places = {"target": int(target.argmax()) if len(target) else -1}
        for role in ROLES[1:]:
            cell = self._items.get(role, [""] * len(self._dataset.items))[item]
            places[role] = int(float(cell)) if cell else -1
        parsed = [_COLOR.fullmatch(choice) for choice in choices]
        if len(choices) != 3 or sorted(places.values()) != [0, 1, 2] or not all(parsed):
            raise DataError(
                f"item {self._dataset.items.id[item]!r} is not a color game, so it cannot be written as one."
            )
        return {role: parsed[place].groups() for role, place in places.items() if parsed[place]}  # type: ignore[union-attr]


def _cells_of(columns: Mapping[str, Values]) -> dict[str, list[str]]:
    return {name: written(values) for name, values in columns.items()}


def _shown(
    about: Mapping[str, Any], colors: Mapping[str, tuple[str, ...]], speaker_view: Mapping[str, str]
) -> dict[str, str]:
    """The columns of a row about the clicked color and the other two."""
    row = dict.fromkeys(SHOWN_COLUMNS, "")
    for shown in SHOWN:
        role = about.get(f"{shown}Status", "")
        if role not in colors:
            raise DataError(
                f"a judgment about the color {role!r}: this is not a color game, so it cannot be written as one."
            )
        row |= dict(zip((f"{shown}ColH", f"{shown}ColS", f"{shown}ColL"), colors[role], strict=True))
        row |= {
            f"{shown}Status": role,
            f"{shown}LocS": speaker_view[role],
            f"{shown}LocL": about.get(f"{shown}LocL", ""),
        }
    return row
