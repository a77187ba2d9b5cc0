"""The tables of a result as Markdown and LaTeX, beside the plain text of `report.table`."""

from __future__ import annotations

from collections.abc import Sequence

from assay.report.table import Cell, shown, text_table

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


def render(form: str, title: str, header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Write a titled table as `text`, `markdown` or `latex`."""
    if form == "markdown":
        return f"**{title}**\n\n{markdown_table(header, rows)}\n"
    if form == "latex":
        return latex_table(title, header, rows)
    return f"{title}\n\n{text_table(header, rows)}\n"


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """A Markdown table, numbers to the right."""
    right = _numeric(header, rows)
    lines = [[shown(cell).replace("|", "\\|") for cell in row] for row in (header, *rows)]
    lines.insert(1, ["---:" if is_right else "---" for is_right in right])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def latex_table(title: str, header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """A LaTeX table for the package booktabs."""
    columns = "".join("r" if right else "l" for right in _numeric(header, rows))
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _row(header),
        r"\midrule",
        *map(_row, rows),
        r"\bottomrule",
        r"\end{tabular}",
        rf"\caption{{{_escaped(title)}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[Cell]) -> str:
    written = " & ".join(_escaped(shown(cell)) for cell in cells)
    # After a line break or a rule LaTeX takes a star and what stands in brackets for settings of theirs.
    return ("{}" if written.lstrip().startswith(("[", "*")) else "") + written + r" \\"


def _numeric(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[bool]:
    return [bool(rows) and all(not isinstance(row[at], str) for row in rows) for at in range(len(header))]


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)
