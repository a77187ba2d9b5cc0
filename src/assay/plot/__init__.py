"""Figures as hand-written SVG: no plotting library, same bytes for same data, in light and in dark."""

from assay.plot.drawing import Drawing
from assay.plot.figure import Figure
from assay.plot.palette import DARK, LIGHT, theme

__all__ = ["DARK", "LIGHT", "Drawing", "Figure", "theme"]
