"""A color-blind safe palette (Okabe and Ito 2008), as CSS variables that a page can override."""

from collections.abc import Mapping

LIGHT: Mapping[str, str] = {
    "paper": "#ffffff",
    "ink": "#222222",
    "muted": "#666666",
    "line": "#e2e2e2",
    "c0": "#0072b2",
    "c1": "#d55e00",
    "c2": "#009e73",
    "c3": "#cc79a7",
    "c4": "#e69f00",
    "c5": "#56b4e9",
    "c6": "#8a7f00",
    "c7": "#555555",
}

DARK: Mapping[str, str] = {
    "paper": "#16181c",
    "ink": "#e8e8e8",
    "muted": "#a0a4ab",
    "line": "#33373e",
    "c0": "#4aa8e0",
    "c1": "#f08a3c",
    "c2": "#2fc79b",
    "c3": "#e3a0c4",
    "c4": "#f2bd4b",
    "c5": "#8fd0f5",
    "c6": "#f0e442",
    "c7": "#b5b5b5",
}

N_COLORS = 8


def theme(colors: Mapping[str, str], selector: str = ":root") -> str:
    """Return the CSS rule that sets these colors for every figure inside `selector`."""
    return f"{selector}{{{''.join(f'--assay-{name}:{value};' for name, value in colors.items())}}}"


def color_class(kind: str, number: int) -> str:
    """Return the CSS class that fills (`f`) or strokes (`s`) with a color; color numbers wrap around."""
    return f"{kind}{number % N_COLORS}"


def stylesheet() -> str:
    """Return the CSS rules of a figure; each color also literally, for renderers without CSS variables."""
    rules = [
        ".assay-figure text{font-family:system-ui,'Segoe UI','DejaVu Sans',sans-serif;font-size:12px}",
        ".assay-figure .title{font-size:15px;font-weight:600}",
        ".assay-figure .note{font-size:11px}",
        ".assay-figure .halo{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}",
        ".assay-figure .mark{stroke-width:.6px}",
        ".assay-figure .mark:hover{stroke-width:2px}",
        ".assay-figure .unseen{pointer-events:none}",
    ]
    for name, value in LIGHT.items():
        for kind, attribute in (("f", "fill"), ("s", "stroke")):
            selector = f"{kind}{name[1:]}" if name[0] == "c" and name[1:].isdigit() else f"{kind}-{name}"
            rules.append(f".assay-figure .{selector}{{{attribute}:{value};{attribute}:var(--assay-{name},{value})}}")
    return "".join(rules)
