"""Real English texts for the benchmarks: the responses of the diversity datasets under ASSAY_DATA."""

import csv
import os
import sys
from functools import cache
from itertools import cycle, islice
from pathlib import Path

MOST_WORDS = 8


@cache
def responses() -> list[str]:
    """Return every response of the diversity files, in file order."""
    folder = os.environ.get("ASSAY_DATA")
    files = sorted(Path(folder, "diversity").rglob("*.csv")) if folder else []
    if not files:
        sys.exit("Set ASSAY_DATA to a folder that holds the diversity data sets (assay data list).")
    texts = []
    for file in files:
        with file.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                texts += [text for name, text in row.items() if name.startswith("resp_") and text]
    return texts


def short_responses(n: int) -> list[str]:
    """Return the first n different responses of at most MOST_WORDS words."""
    short = (text for text in dict.fromkeys(responses()) if len(text.split()) <= MOST_WORDS)
    return list(islice(short, n))


def bank(n: int) -> list[str]:
    """Return n texts, cycling through the responses."""
    return list(islice(cycle(responses()), n))
