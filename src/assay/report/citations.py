"""The works that evaluators and steps cite, as BibTeX (`citations.bib`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files

# "Papineni et al. 2002", "Tevet & Berant 2021, Evaluating ...": first author and year identify a work. A line is split
# into numbers and the text between them, which takes linear time.
_PIECE = re.compile(r"(?P<number>\d+)(?P<ends>\b)?|[^;\d]+|;")
_WORD = re.compile(r"[^\W\d_]+")


def works_cited(lines: Iterable[str]) -> list[str]:
    """Return the BibTeX entries cited by lines such as `Papineni et al. 2002; Post 2018`, without duplicates."""
    works = _works()
    cited = [work for line in lines for work in _cited(line)]
    return [works[work] for work in dict.fromkeys(cited) if work in works]


def _cited(line: str) -> Iterator[tuple[str, str]]:
    """The first word, in lower case, and the year of every `words 2002` in a line."""
    words = ""
    for piece in _PIECE.finditer(line):
        year = piece["number"] or ""
        author = _WORD.search(words) if len(year) == 4 and piece["ends"] is not None and words[-1:].isspace() else None
        if author:
            yield author[0].lower(), year
        words = piece[0]


@cache
def _works() -> Mapping[tuple[str, str], str]:
    text = files("assay.report").joinpath("citations.bib").read_text(encoding="utf-8")
    return {_first_author_and_year(entry): entry.strip() for entry in re.split(r"\n(?=@)", text)}


def _first_author_and_year(entry: str) -> tuple[str, str]:
    key = re.match(r"@\w+\{([a-z]+)(\d{4})\w*,", entry)
    assert key, entry
    return key.group(1), key.group(2)
