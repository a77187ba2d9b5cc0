"""Table 1 of Hashimoto et al. (2019), on the one task whose judgments are public."""

from __future__ import annotations

from collections.abc import Iterator

from assay.analyses.huse.part import huse
from assay.io import load
from assay.reproduce.cells import Cell

PAPER = "HUSE (Hashimoto et al. 2019)"
PUBLISHED = {"huse": "0.53", "huse_q": "0.58", "huse_d": "0.95"}
NAMES = {"huse": "HUSE", "huse_q": "HUSE-Q", "huse_d": "HUSE-D"}
EXACT = "with exact ties; the row above, in which rounding noise in the distances decides ties, is the published number"


def cells() -> Iterator[Cell]:
    """Summarization at temperature 1: with the paper's arithmetic, and with exact ties."""
    dataset = load("data:huse/summarization")
    for row, ties in (("t = 1.0, ties='paper'", "paper"), ("t = 1.0, exact ties", "exact")):
        part = huse(dataset, ties=ties, intervals=False, figures=False)  # type: ignore[arg-type]
        for number in part.numbers:
            about = (PAPER, "Table 1, summarization", row, NAMES[number.name], PUBLISHED[number.name], number.value)
            yield Cell(*about) if ties == "paper" or number.name == "huse" else Cell(*about, EXACT, "measured")
