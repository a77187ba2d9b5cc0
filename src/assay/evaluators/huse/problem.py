"""The classification problem behind HUSE: human outputs against those of one system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from assay.evaluators.logprobs import logprobs_under
from assay.records import Dataset
from assay.scores import Gaps

Floats = NDArray[np.float64]

# The distance of the floor below the smallest finite value, in standard deviations of the finite values.
FLOOR_DISTANCE = 3.0


@dataclass(frozen=True, eq=False)
class Problem:
    """One row per output: the log-probability first, then one or more columns of quality.

    Attributes:
        rows: the row of each output in the data.
        human: whether it is human-written.
        logprob: log-probability under the system, per token or whole, -inf replaced by `floor`; None if there is none.
        floored: whether it was -inf.
        quality: n x d, the mean judgment or its substitute, and additional features.
        group: outputs that are resampled together (those of one item).
        floor: the replacement of -inf, NaN if there was none.
        dropped: the number of outputs left out, by reason.
    """

    rows: NDArray[np.int64]
    human: NDArray[np.bool_]
    logprob: Floats | None
    floored: NDArray[np.bool_]
    quality: Floats
    group: NDArray[np.int64]
    floor: float = np.nan
    dropped: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.human)

    @property
    def n_human(self) -> int:
        """The number of human outputs."""
        return int(np.count_nonzero(self.human))

    @property
    def n_model(self) -> int:
        """The number of outputs of the system."""
        return len(self) - self.n_human

    def take(self, positions: NDArray[np.int64]) -> Problem:
        """Return the problem of some of the outputs."""
        names = ("rows", "human", "floored", "quality", "group")
        logprob = None if self.logprob is None else self.logprob[positions]
        return replace(self, logprob=logprob, **{name: getattr(self, name)[positions] for name in names})


def problem_from_arrays(
    logprob: Floats | None,
    quality: Floats,
    human: NDArray[np.bool_],
    *,
    group: NDArray[np.int64] | None = None,
    rows: NDArray[np.int64] | None = None,
    floor: float | None = None,
    dropped: Mapping[str, int] | None = None,
) -> Problem:
    """Replace -inf by `floor`, by default three standard deviations below the smallest finite log-probability."""
    n = len(human)
    floored = np.zeros(n, np.bool_) if logprob is None else np.isneginf(logprob)
    lowest = np.nan
    if logprob is not None and floored.any():
        finite = np.sort(logprob[~floored])
        constant = not len(finite) or finite[0] == finite[-1]
        step = FLOOR_DISTANCE * (1.0 if constant else float(finite.std()))
        lowest = floor if floor is not None else (float(finite[0]) if len(finite) else 0.0) - step
        logprob = np.where(floored, lowest, logprob)
    return Problem(
        np.arange(n) if rows is None else rows,
        human,
        logprob,
        floored,
        quality if quality.ndim == 2 else quality[:, None],
        np.arange(n) if group is None else group,
        lowest,
        dropped or {},
    )


def problem_of_system(
    dataset: Dataset, system: int, quality: Floats, gaps: Gaps, *, per_token: bool = True, floor: float | None = None
) -> Problem:
    """Collect the human outputs and those of a system that have a log-probability under it and a quality.

    `quality` (n x d) and `gaps` cover all outputs of the data. Without any log-probability, quality alone counts.
    """
    human = dataset.human
    rows = np.flatnonzero(human | (dataset.outputs.system == system))
    dropped: dict[str, int] = {}
    logprob = logprobs_under(dataset, system, per_token=per_token)
    if logprob is not None:
        missing = np.isnan(logprob[rows])
        for whose, of_them in (("human outputs", human[rows]), ("outputs of the system", ~human[rows])):
            _count(dropped, f"no log-probability: {whose}", int(np.count_nonzero(missing & of_them)))
        rows = rows[~missing]
    known = ~np.isnan(quality[rows]).any(axis=1)
    for row in rows[~known].tolist():
        _count(dropped, gaps[row] or "no quality", 1)
    rows = rows[known]
    return problem_from_arrays(
        None if logprob is None else logprob[rows],
        quality[rows],
        human[rows],
        group=dataset.outputs.item[rows],
        rows=rows,
        floor=floor,
        dropped=dropped,
    )


def _count(dropped: dict[str, int], reason: str, n: int) -> None:
    if n:
        dropped[reason] = dropped.get(reason, 0) + n
