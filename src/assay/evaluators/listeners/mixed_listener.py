"""Several listeners as one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Evaluator, Shape, Use, evaluator
from assay.kernels.ragged import Ragged, running_offsets
from assay.kernels.statistics.beliefs import softmax
from assay.listening import CAUTION, Heard, ListenerScore, beliefs_of, choices_of, has_beliefs, listener


@evaluator(
    needs=("choices",),
    scale="0 to 1 (probability, hit); 0 upwards (surprisal, kl)",
    cite="Guo et al. 2017",
    cautions={"output": CAUTION, "system": CAUTION},
)
def mixed_listener(
    listeners: tuple[Evaluator, ...], *, temperature: float = 1.0, score: ListenerScore = "probability"
) -> Shape:
    """The mean of what several listeners believe: an ensemble, or a mixture of literal and pragmatic.

    Then every probability is raised to 1 / `temperature`: above 1 the listener is less sure, below 1 more. With one
    listener this calibrates it; `assay communicate` shows whether it is too sure.
    """
    if not listeners:
        raise EvaluatorError(
            "mixed_listener needs at least one listener: write mixed_listener((listener(model=...),))."
        )
    if not 0 < temperature < np.inf:
        raise EvaluatorError(f"the parameter 'temperature' of mixed_listener must be above 0, not {temperature}.")

    def listen(batch: Batch) -> Heard:
        n_choices = choices_of(batch).lengths
        offsets = running_offsets(n_choices)
        total = np.zeros(int(offsets[-1]))
        reasons: dict[str, NDArray[np.bool_]] = {}
        for member, used in zip(listeners, batch.used, strict=True):
            column = used.column.take(used.groups.values)
            if column.n and not has_beliefs(column):
                raise EvaluatorError(f"mixed_listener takes listeners, and {member.name} is none.")
            heard = beliefs_of(column).heard if column.n else Ragged.empty(len(batch), np.float64)
            missing = heard.lengths != n_choices
            reason = f"{member.name} has no answer"
            reasons[reason] = missing | reasons.get(reason, False)
            total[np.repeat(~missing, n_choices)] += heard.take(np.flatnonzero(~missing)).values
        with np.errstate(divide="ignore"):
            logs = Ragged(np.log(total / len(listeners)), offsets)
        return Heard(softmax(logs, temperature), reasons)

    return listener(listen, score, uses=[Use(member) for member in listeners])
