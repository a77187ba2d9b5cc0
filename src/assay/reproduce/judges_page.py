"""The measured cells of the judges as tables: a row per evaluator, and its colleagues or the generators as columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from assay.part.markup import markdown_rows
from assay.reproduce.cells import Cell
from assay.reproduce.judges_generators import CROSS_FITTED, RANKS, SCORES, STATISTICS, TWELVE

COMMAND = """`assay reproduce judges --neural` measures all of this (ten minutes of one core; scores are kept). Without
`--neural` there are the four discriminators on n-grams, in a minute. What could not be had of the paper's design:
"""
JUDGING = "In percent; AUC, Brier score and calibration error are shares."
SCORED = """Scores of generators, with ranks in brackets (1 is the highest score). The score of a person or a
discriminator, who decide, is the share of the generator's texts that they take for human: 1 - their accuracy on them.
"""
MATRIX = "Over the twelve generators (Figures 2 to 7), with 95% intervals; a star marks p <= .05."
PEOPLE = "With single human votes, when the systems are others; a star marks p <= .05."


def judges_tables(cells: Sequence[Cell]) -> Iterator[str]:
    """Markdown, block by block."""
    yield COMMAND
    for note in dict.fromkeys(cell.note for cell in cells if cell.note):
        about = dict.fromkeys(c.row for c in cells if c.note == note and " with " not in c.row)
        yield f"- {', '.join(about)}: {note}."
    yield ""
    yield from _section("Discriminators", JUDGING, _judging(cells))
    yield from _section("Generators", SCORED, _scored(cells))
    for statistic in STATISTICS.values():
        own = [c for c in cells if c.table == f"Generators, {statistic}"]
        pairs = [(*_pair(c), _bounded(c)) for c in own if c.column == TWELVE]
        yield from _section(f"{statistic} between evaluators", MATRIX, pairs)
    others = [c for c in cells if c.table.startswith("Generators, ") and c.column not in (TWELVE, "")]
    others = [c for c in others if c.table not in (SCORES, RANKS)]
    rows = [(_pair(c)[0], f"{c.table.partition(', ')[2]}, {c.column}", _bounded(c)) for c in others]
    yield from _section("Other systems", PEOPLE, rows)
    votes = [(c.row, c.column, _bounded(c)) for c in cells if c.table.startswith("Votes")]
    yield from _section("Between and within generators", "Pearson with the share of votes for human.", votes)


def _judging(cells: Sequence[Cell]) -> Iterator[tuple[str, str, str]]:
    for cell in cells:
        if cell.table == CROSS_FITTED:
            yield cell.row, cell.column, f"{cell.measured:.4g}"
        elif cell.table.startswith("Majority"):
            yield cell.row, "accuracy, majority votes as truth (5.2)", f"{cell.measured:.4g}"


def _scored(cells: Sequence[Cell]) -> Iterator[tuple[str, str, str]]:
    ranks = {(cell.row, cell.column): cell.measured for cell in cells if cell.table == RANKS}
    for cell in cells:
        if cell.table == SCORES:
            yield cell.row, cell.column, f"{cell.measured:.3f} ({ranks[cell.row, cell.column]:g})"


def _pair(cell: Cell) -> tuple[str, str]:
    """The two evaluators of a correlation."""
    candidate, _, target = cell.row.partition(" with ")
    return candidate, target


def _bounded(cell: Cell) -> str:
    return f"{cell.measured:.2f} {cell.interval}".strip()


def _section(title: str, words: str, cells: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """A table with rows and columns in the order of their first cells."""
    found = {(row, column): shown for row, column, shown in cells}
    rows, columns = (list(dict.fromkeys(key[at] for key in found)) for at in (0, 1))
    body = [[row, *(found.get((row, column), "") for column in columns)] for row in rows]
    yield from (f"#### {title}\n", f"{words.strip()}\n", markdown_rows(("", *columns), body), "")
