"""One row per comparison with a peer: CPU seconds, best of several runs."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan, nan


@dataclass(frozen=True)
class Row:
    """One measurement. `peer_seconds` is NaN without a peer."""

    work: str
    peer: str
    peer_seconds: float
    ours_seconds: float
    note: str = ""

    @property
    def ratio(self) -> float:
        """How many times faster than the peer."""
        return self.peer_seconds / self.ours_seconds if self.ours_seconds > 0 else nan


def best_cpu(function: Callable[[], object], repeats: int = 5) -> float:
    """Return the minimum CPU seconds over `repeats` calls; warm up first to exclude compilation."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        function()
        best = min(best, time.process_time() - start)
    return best


def formatted(rows: Sequence[Row]) -> str:
    """Format the rows as an aligned table."""
    head = ("work", "peer", "peer s", "ours s", "ratio", "note")
    cells = [head]
    for row in rows:
        peer = "" if isnan(row.peer_seconds) else f"{row.peer_seconds:.4f}"
        ratio = "" if isnan(row.ratio) else f"{row.ratio:.1f}x"
        cells.append((row.work, row.peer, peer, f"{row.ours_seconds:.4f}", ratio, row.note))
    widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
    lines = []
    for line in cells:
        texts = [
            text.rjust(width) if 2 <= column <= 4 else text.ljust(width)
            for column, (text, width) in enumerate(zip(line, widths, strict=True))
        ]
        lines.append("  ".join(texts).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)
