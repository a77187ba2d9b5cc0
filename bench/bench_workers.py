"""`workers` on a function in Python that takes about a millisecond per output: wall-clock seconds, not CPU time."""

import time
from difflib import SequenceMatcher
from math import nan

from assay import Dataset, score
from bench.table import Row
from bench.texts import bank

N = 20_000


def difflib_ratio(text: str, references: list[str]) -> float:
    return max(SequenceMatcher(None, reference, text).ratio() for reference in references)


def rows() -> list[Row]:
    texts = bank(6 * N)
    data = Dataset.from_records({"text": texts[6 * n], "references": texts[6 * n + 1 : 6 * n + 6]} for n in range(N))
    found = []
    alone = nan
    for workers in (1, 8):
        start = time.perf_counter()
        score(data, [f"{__name__}:difflib_ratio"], workers=workers)
        seconds = time.perf_counter() - start
        note = f"{N:,} outputs x 5 references; wall-clock seconds"
        found.append(Row(f"a function in Python, workers={workers}", "workers=1", alone, seconds, note))
        alone = seconds
    return found
