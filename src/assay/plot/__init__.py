"""Figures as hand-written SVG: no plotting library, deterministic output, light and dark themes."""

from assay.plot.drawing import Drawing
from assay.plot.figure import Figure
from assay.plot.palette import DARK, LIGHT, theme

__all__ = ["DARK", "LIGHT", "Drawing", "Figure", "theme"]
