"""Whether listeners are as sure as they are right: calibration on `data:colors/dev`, temperatures, mixtures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.evaluator import Evaluator
from assay.io import load
from assay.io.cache import ScoreCache
from assay.kernels.ragged import Ragged
from assay.kernels.statistics.beliefs import cross_entropy, hits, softmax
from assay.kernels.statistics.shares import share_interval
from assay.listening import Beliefs, beliefs_of
from assay.part import Bounded, Cell, Number, Table
from assay.run import score

Floats = NDArray[np.float64]

BINS = 10
TEMPERATURES = np.geomspace(0.25, 4.0, 81)


@dataclass(frozen=True)
class Calibration:
    """Tables and numbers about calibration."""

    tables: tuple[Table, ...]
    numbers: tuple[Number, ...]


def calibration_tables(models: Mapping[str, Evaluator]) -> Calibration:
    """Hits, log loss and calibration error of listeners, and the best temperature, by halves.

    The temperature is chosen on one half of the games and measured on the other.
    """
    data = load("data:colors/dev")
    table = score(data, list(map(repr, models.values())), cache=ScoreCache())
    beliefs = {name: beliefs_of(table[repr(model)]) for name, model in models.items()}
    scored = np.flatnonzero(np.all([part.heard.lengths > 0 for part in beliefs.values()], axis=0))
    beliefs = {name: part.take(scored) for name, part in beliefs.items()}
    _, game = np.unique([name.partition("/")[0] for name in np.array(list(table.unit))[scored]], return_inverse=True)
    rows: list[tuple[Cell, ...]] = []
    numbers, bins = [], []
    for name, part in beliefs.items():
        right = hits(part.meant, part.heard)
        interval = share_interval(right, game, int(game.max()) + 1, 0.95)
        share = Bounded(float(right.mean()), interval.low, interval.high)
        tempered, temperature = tempered_by_halves(part, game % 2 == 0)
        loss, tempered_loss = (float(cross_entropy(part.meant, heard).mean()) for heard in (part.heard, tempered))
        errors = [calibration_error(heard, right) for heard in (part.heard, tempered)]
        rows.append((name, share, loss, errors[0], temperature, tempered_loss, errors[1]))
        about = {"evaluator": name, "data": "colors/dev"}
        numbers.append(
            Number(
                "share of hits",
                *share[:1],
                len(right),
                "share of hits, clusters: games",
                low=share.low,
                high=share.high,
                about=about,
            )
        )
        numbers.append(Number("log loss", loss, len(right), "cross-entropy in nats", about=about, reason="no interval"))
        bins += [(name, *line) for line in reliability(part.heard, right)]
    header = (
        "listener",
        "share of hits",
        "log loss",
        "calibration error",
        "temperature",
        "log loss, tempered",
        "calibration error, tempered",
    )
    note = "The calibration error is the mean distance of confidence and accuracy in ten bins of confidence."
    return Calibration(
        (
            Table("calibration", "Listeners on data:colors/dev", header, tuple(rows), note),
            Table(
                "reliability",
                "Accuracy by confidence",
                ("listener", "confidence", "n", "mean confidence", "accuracy"),
                tuple(bins),
            ),
        ),
        tuple(numbers),
    )


def tempered_by_halves(beliefs: Beliefs, first: NDArray[np.bool_]) -> tuple[Ragged, float]:
    """Beliefs at the temperature that is best for the other half; the mean of the two temperatures."""
    with np.errstate(divide="ignore"):
        logs = Ragged(np.log(beliefs.heard.values), beliefs.heard.offsets)
    tempered, chosen = np.zeros(len(logs.values)), []
    for half in (first, ~first):
        other = np.flatnonzero(~half)
        losses = [
            float(cross_entropy(beliefs.meant.take(other), softmax(logs.take(other), t)).mean()) for t in TEMPERATURES
        ]
        chosen.append(float(TEMPERATURES[int(np.argmin(losses))]))
        of_half = np.repeat(half, logs.lengths)
        tempered[of_half] = softmax(logs.take(np.flatnonzero(half)), chosen[-1]).values
    return Ragged(tempered, logs.offsets), float(np.mean(chosen))


def confidences(heard: Ragged) -> Floats:
    """The probability of the likeliest choice."""
    return np.maximum.reduceat(heard.values, heard.offsets[:-1])


def reliability(heard: Ragged, right: Floats) -> list[tuple[str, int, float, float]]:
    """Bins of confidence: their range, size, mean confidence and accuracy."""
    sure = confidences(heard)
    places = np.minimum((sure * BINS).astype(int), BINS - 1)
    return [
        (f"{place / BINS:.1f} to {(place + 1) / BINS:.1f}", int(n), float(sure[of].mean()), float(right[of].mean()))
        for place in range(BINS)
        if (n := (of := places == place).sum())
    ]


def calibration_error(heard: Ragged, right: Floats) -> float:
    """The expected calibration error over bins of confidence (Guo et al. 2017)."""
    return sum(n * abs(sure - share) for _, n, sure, share in reliability(heard, right)) / len(right)
