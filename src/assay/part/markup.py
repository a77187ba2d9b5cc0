"""Tables as Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence

from assay.part.model import Cell, Table
from assay.part.text import MOST_ROWS, notes_below, written_columns
from assay.part.visible import visible_line

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


def markdown_table(table: Table) -> str:
    """A Markdown table under its title, with its note."""
    title = f"**{visible_line(table.title)}**" if table.title else ""
    blocks = [title, markdown_rows(table.header, table.rows[:MOST_ROWS]), *notes_below(table)]
    return "\n\n".join(filter(None, blocks))


def markdown_rows(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """The rows, with numbers right-aligned."""
    columns, right = written_columns(header, rows)
    lines = [[cell.replace("|", "\\|") for cell in line] for line in zip(*columns, strict=True)]
    lines.insert(1, ["---:" if is_right else "---" for is_right in right])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def latex_table(table: Table) -> str:
    """A LaTeX table for the package booktabs."""
    columns, right = written_columns(table.header, table.rows)
    header, *rows = map(_row, zip(*columns, strict=True))
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\begin{{tabular}}{{{''.join('r' if is_right else 'l' for is_right in right)}}}",
        r"\toprule",
        header,
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        rf"\caption{{{_escaped(visible_line(table.title))}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    line = " & ".join(map(_escaped, cells))
    # LaTeX reads a star or bracket after a line break or rule as an argument.
    return ("{}" if line.lstrip().startswith(("[", "*")) else "") + line + r" \\"


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)
