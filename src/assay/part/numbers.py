"""Formatting of cells: as few decimals as a column needs, p-values in journal style, one format of intervals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assay.part.model import Bounded, Cell

MOST_DECIMALS = 4
# Anything closer to zero is floating-point noise.
NOISE = 1e-12
GAP = "–"
_P_VALUE = re.compile(r"p(\b|_)")


def is_numeric(cells: Sequence[Cell]) -> bool:
    """Whether a column holds only numbers and gaps."""
    return bool(cells) and not any(isinstance(cell, str) for cell in cells)


def written_column(name: str, cells: Sequence[Cell], gap: str = GAP) -> list[str]:
    """Format the cells of a column with equal decimals: `0.335`, `0.335 [0.274, 0.404]`; a gap is a dash."""
    numbers = [value for cell in cells for value in _numbers(cell)]
    decimals = next((n for n in range(MOST_DECIMALS) if all(round(v, n) == v for v in numbers)), MOST_DECIMALS)
    is_p = _P_VALUE.match(name) is not None

    def written(value: float | None) -> str:
        if value is None or value != value:
            return gap
        return written_p(value) if is_p else _decimal(float(value), decimals)

    def cell_text(cell: Cell) -> str:
        if isinstance(cell, str):
            return cell
        if not isinstance(cell, Bounded):
            return written(cell)
        if cell.low != cell.low or cell.high != cell.high:
            return written(cell.value)
        return f"{written(cell.value)} [{written(cell.low)}, {written(cell.high)}]"

    return list(map(cell_text, cells))


def _numbers(cell: Cell) -> Iterator[float]:
    if isinstance(cell, Bounded):
        yield from (value for value in cell if value == value)
    elif cell is not None and not isinstance(cell, str) and cell == cell:
        yield cell


def _decimal(value: float, decimals: int) -> str:
    """Format with the column's decimals; tiny values in scientific notation."""
    tiny = NOISE < abs(value) < 10.0**-MOST_DECIMALS
    return f"{value:.1e}" if tiny else f"{value:.{decimals}f}"


def written_p(value: float) -> str:
    """Format a p-value: `.003`, `< .001`."""
    return "< .001" if value < 0.001 else f"{value:.3f}".removeprefix("0")
