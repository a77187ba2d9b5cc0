"""The works that evaluators and steps cite, as BibTeX (`citations.bib`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

# "Papineni et al. 2002", "Tevet & Berant 2021, Evaluating ...": the first author and the year name a work.
_CITED = re.compile(r"([^\W\d_]+)[^;\d]*\s(\d{4})\b")


def works_cited(lines: Iterable[str]) -> list[str]:
    """Return the BibTeX entries that lines such as `Papineni et al. 2002; Post 2018` cite, each once, as first met."""
    works = _works()
    cited = [(surname.lower(), year) for line in lines for surname, year in _CITED.findall(line)]
    return [works[work] for work in dict.fromkeys(cited) if work in works]


@cache
def _works() -> Mapping[tuple[str, str], str]:
    text = files("assay.report").joinpath("citations.bib").read_text(encoding="utf-8")
    return {_first_author_and_year(entry): entry.strip() for entry in re.split(r"\n(?=@)", text)}


def _first_author_and_year(entry: str) -> tuple[str, str]:
    key = re.match(r"@\w+\{([a-z]+)(\d{4})\w*,", entry)
    assert key, entry
    return key.group(1), key.group(2)
