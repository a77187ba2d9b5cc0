"""Numbers of a column as people read them: no decimals that say nothing, p-values as journals print them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.part import Cell

MOST_DECIMALS = 4
# Closer to zero than this is the noise of floating point.
NOISE = 1e-12
_P_VALUE = re.compile(r"p(\b|_)")


def written_numbers(name: str, cells: Sequence[Cell]) -> list[str]:
    """Write the numbers of one column alike; a gap is a dash."""
    numbers = [None if cell is None or cell != cell else float(cell) for cell in cells]
    known = [value for value in numbers if value is not None]
    decimals = next((n for n in range(MOST_DECIMALS) if all(round(v, n) == v for v in known)), MOST_DECIMALS)
    is_p = _P_VALUE.match(name) is not None
    return ["–" if v is None else _p_value(v) if is_p else _decimal(v, decimals) for v in numbers]


def _decimal(value: float, decimals: int) -> str:
    """As many decimals as the column needs; what these cannot show is written with a power of ten."""
    tiny = NOISE < abs(value) < 10.0**-MOST_DECIMALS
    return f"{value:.1e}" if tiny else f"{value:.{decimals}f}"


def _p_value(value: float) -> str:
    return "< .001" if value < 0.001 else f"{value:.3f}".removeprefix("0")
