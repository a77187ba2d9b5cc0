"""The smoothing value of BLEU."""

from assay.errors import EvaluatorError
from assay.kernels.overlap.bleu import SMOOTH_VALUE, Smoothing


def smoothing_value(name: str, smoothing: Smoothing, value: float | None) -> float:
    """The value or its default; refuse one if the smoothing has none."""
    if value is None:
        return SMOOTH_VALUE.get(smoothing, 0.0)
    if smoothing not in SMOOTH_VALUE:
        raise EvaluatorError(
            f"{name}: the smoothing {smoothing!r} has no value, only {' and '.join(map(repr, SMOOTH_VALUE))} have one. "
            "Leave smooth_value out."
        )
    return value
