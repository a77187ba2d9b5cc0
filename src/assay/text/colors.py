"""Colors as texts: hsl(313, 99%, 50%), hsv(313, 99%, 99%), rgb(255, 0, 128), lab(53, 80, 67), #ff0080."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from assay.kernels.points.colors import rgb_of_hsl, rgb_of_hsv, rgb_of_lab

Floats = NDArray[np.float64]

_CALL = re.compile(r"\s*(hsl|hsv|rgb|lab)\(\s*([^,()]+),\s*([^,()]+),\s*([^,()]+)\)\s*", re.IGNORECASE)
_HEX = re.compile(r"\s*#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})\s*", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?")

# The ranges of the three parts, what a part is divided by, and the conversion to RGB.
_SPACES: dict[str, tuple[str, Sequence[tuple[str, float, float, float]], Callable[[Floats], Floats]]] = {
    "hsl": ("°%%", (("hue", 0, 360, 1), ("saturation", 0, 100, 100), ("lightness", 0, 100, 100)), rgb_of_hsl),
    "hsv": ("°%%", (("hue", 0, 360, 1), ("saturation", 0, 100, 100), ("value", 0, 100, 100)), rgb_of_hsv),
    "rgb": ("   ", (("red", 0, 255, 255), ("green", 0, 255, 255), ("blue", 0, 255, 255)), lambda rgb: rgb),
    "lab": ("   ", (("L*", 0, 100, 1), ("a*", -128, 128, 1), ("b*", -128, 128, 1)), rgb_of_lab),
}
EXAMPLE = 'Write it as "hsl(313, 99%, 50%)", "hsv(...)", "rgb(255, 0, 128)", "lab(53, 80, 67)" or "#ff0080".'


def rgb_of_text(text: str) -> Floats:
    """The color of a text as sRGB from 0 to 1. A ValueError says what is wrong with it."""
    if named := _HEX.fullmatch(text):
        return np.array([int(part, 16) / 255 for part in named.groups()])
    call = _CALL.fullmatch(text)
    if not call:
        raise ValueError(f"{text[:40]!r} is not a color. {EXAMPLE}")
    units, ranges, to_rgb = _SPACES[call[1].lower()]
    parts = [
        _part(text, cell.strip(), unit, *allowed)
        for cell, unit, allowed in zip(call.groups()[1:], units, ranges, strict=True)
    ]
    rgb = to_rgb(np.array(parts, np.float64))
    if rgb.min() < -1e-3 or rgb.max() > 1 + 1e-3:
        raise ValueError(f"{text[:40]!r} is a color outside sRGB. Choose one that a screen can show.")
    return np.clip(rgb, 0.0, 1.0)


def _part(text: str, cell: str, unit: str, name: str, least: float, most: float, whole: float) -> float:
    digits = cell.removesuffix(unit.strip() or "\0").strip().lower()
    if not _NUMBER.fullmatch(digits):
        raise ValueError(f"{text[:40]!r} is not a color: its {name} is {cell[:20]!r}. {EXAMPLE}")
    number = float(digits)
    if not least <= number <= most:
        raise ValueError(f"{text[:40]!r} is not a color: its {name}, {number:g}, is not from {least:g} to {most:g}.")
    return number / whole
