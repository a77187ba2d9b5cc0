"""A laid-out figure as plain data, rendered to SVG with the id its page needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.plot.palette import stylesheet
from assay.plot.svg import element, text


@dataclass(frozen=True)
class Drawing:
    """Markup without ids and styles. `clip` is the plot area; a layer is its class and its marks."""

    title: str
    description: str
    width: float
    height: float
    frame: str
    clip: str
    layers: tuple[tuple[str, str], ...]

    def svg(self, id: str = "figure", *, styled: bool = True) -> str:
        """Render to SVG; `id` prefixes every id. A page of many figures has `palette.stylesheet()` once instead."""
        layers = [
            element("g", marks, id=f"{id}-layer-{place}", class_=kind)
            for place, (kind, marks) in enumerate(self.layers)
        ]
        body = [
            element("title", text(self.title), id=f"{id}-title"),
            element("desc", text(self.description), id=f"{id}-desc"),
            element("style", stylesheet()) if styled else "",
            element("rect", class_="f-paper", width=self.width, height=self.height),
            self.frame,
            element("clipPath", self.clip, id=f"{id}-clip"),
            element("g", layers, clip_path=f"url(#{id}-clip)"),
        ]
        return element(
            "svg",
            body,
            xmlns="http://www.w3.org/2000/svg",
            class_="assay-figure",
            id=id,
            viewBox=f"0 0 {self.width} {self.height}",
            width=self.width,
            height=self.height,
            role="img",
            aria_labelledby=f"{id}-title",
            aria_describedby=f"{id}-desc",
        )

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Drawing:
        """Rebuild a drawing from its fields, in which tuples have become lists."""
        return cls(**{**stored, "layers": tuple((kind, marks) for kind, marks in stored["layers"])})
