"""How fast parts are scored, over all workers, and which of them takes longest."""

from __future__ import annotations

from time import monotonic

from assay.run.part_scores import PartOutcome


class Pace:
    """Counts the outputs of parts as they are finished."""

    def __init__(self) -> None:
        self._since = monotonic()
        self._n_outputs = 0
        self._slowest = PartOutcome("")

    def add(self, outcome: PartOutcome) -> None:
        """A part is finished, or failed."""
        self._n_outputs += outcome.facts.n_outputs if outcome.facts else 0
        if outcome.seconds > self._slowest.seconds:
            self._slowest = outcome

    def text(self) -> str:
        """Outputs per second so far, and the slowest part."""
        if not self._n_outputs:
            return ""
        per_second = self._n_outputs / max(1e-9, monotonic() - self._since)
        return f"{per_second:,.0f} outputs/s, slowest {self._slowest.name} {self._slowest.seconds:.1f} s"
