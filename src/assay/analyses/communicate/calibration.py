"""Whether a listener's confidence means what it says, and what it takes for what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from assay.analyses.communicate.heard import Heard, mean_number, mean_over_items
from assay.kernels.ragged import Ragged
from assay.kernels.statistics.beliefs import cross_entropy, entropy
from assay.part import Bounded, Cell, Number, Picture, Table
from assay.plot import Figure

BINS = 10
BINNED = "a sum of absolute differences in bins: biased upwards, and without an interval"
MOST_CONFUSED = 10
LONGEST = 60


def calibration(heard: Heard, label: str, origin: str, confidence: float) -> tuple[list[Number], Table, Picture]:
    """Accuracy by confidence in ten bins, the expected calibration error, mean surprisal and entropy."""
    confident = np.maximum.reduceat(heard.beliefs.values, heard.beliefs.offsets[:-1])
    place = np.minimum((confident * BINS).astype(np.int64), BINS - 1)
    rows: list[tuple[str, int, float, Bounded]] = []
    error = 0.0
    for number in range(BINS):
        keep = place == number
        if keep.any():
            estimate = heard.accuracy(keep, confidence)
            meant = mean_number(confident[keep])
            error += abs(meant - estimate.value) * keep.mean()
            name = f"{number / BINS:.1f} to {(number + 1) / BINS:.1f}"
            rows.append((name, estimate.n, meant, Bounded(estimate.value, estimate.low, estimate.high)))
    surprisal = cross_entropy(heard.meant, heard.beliefs)
    finite = np.isfinite(surprisal)
    about = {"listener": label}
    numbers = [
        Number("calibration error", error, len(heard.rows), origin, reason=BINNED, about=about),
        _mean("surprisal", surprisal[finite], heard.item[finite], int((~finite).sum()), origin, about, confidence),
        _mean("entropy", entropy(heard.beliefs), heard.item, 0, origin, about, confidence),
    ]
    figure = Figure(f"Calibration of {label}", "confidence in the likeliest choice", "share of hits")
    figure.line([0, 1], [0, 1], name="calibrated")
    figure.points([row[2] for row in rows], [row[3].value for row in rows])
    caption = "Share of hits by the probability of the likeliest choice; a calibrated listener is on the line."
    table = Table(
        "calibration",
        f"Calibration of {label}: expected error {error:.4f}",
        ("confidence", "outputs", "mean confidence", "accuracy"),
        tuple(rows),
    )
    return numbers, table, Picture.of("calibration", figure, caption)


def _mean(
    name: str,
    values: NDArray[np.float64],
    item: NDArray[np.int64],
    n_missing: int,
    origin: str,
    about: dict[str, str],
    confidence: float,
) -> Number:
    estimate = mean_over_items(values, item, float(values.max(initial=0.0)), confidence)
    ends = estimate.low, estimate.high
    return Number(name, estimate.value, estimate.n, origin, n_missing, *ends, estimate.reason, about)


def confusion(heard: Heard, label: str) -> Table:
    """The targets that are taken for another choice most often."""
    choices, items = heard.game.items.choices, heard.item
    taken: defaultdict[tuple[str, str], float] = defaultdict(float)
    shown: defaultdict[str, float] = defaultdict(float)
    for output, target, picked, weight in _picks(heard.meant, heard.beliefs):
        start = int(choices.offsets[items[output]])
        meant = choices.texts[start + target]
        shown[meant] += weight
        if picked != target:
            taken[meant, choices.texts[start + picked]] += weight
    rows: list[tuple[Cell, ...]] = [
        (_short(meant), _short(other), round(n, 6), round(n / shown[meant], 6))
        for (meant, other), n in sorted(taken.items(), key=lambda entry: (-entry[1], entry[0]))[:MOST_CONFUSED]
    ]
    header = ("meant", "taken for", "outputs", "share of its outputs")
    return Table("confusion", f"What {label} takes for what most often", header, tuple(rows))


def _picks(meant: Ragged, beliefs: Ragged) -> Iterator[tuple[int, int, int, float]]:
    """The output, its likeliest target, and each likeliest choice with its share."""
    for output in range(len(beliefs)):
        belief, target = beliefs[output], int(np.argmax(meant[output]))
        likeliest = np.flatnonzero(belief == belief.max())
        for picked in likeliest.tolist():
            yield output, target, picked, 1 / len(likeliest)


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= LONGEST else f"{plain[: LONGEST - 1]}…"
