"""A pragmatic listener on top of any literal one: Rational Speech Acts over the utterances of an item."""

from __future__ import annotations

from math import inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import EvaluatorError, did_you_mean
from assay.evaluator import Evaluator, Scored, Shape, Use, batched, evaluator
from assay.kernels.games.rsa import Utility, reason
from assay.kernels.ragged import Ragged
from assay.listening import CAUTION, Beliefs, Heard, ListenerScore, beliefs_of, direction, has_beliefs, scored_against
from assay.records import Dataset
from assay.records.games import MOST_DEPTH
from assay.scores import Column, Gaps
from assay.text.tokenizers import tokenize

Floats = NDArray[np.float64]
ALONE, UNSAID = "no other utterance of its item to choose from", "no speaker of this level would say it"


@evaluator(
    scale="0 to 1 (probability, hit); 0 upwards (surprisal, kl)",
    cite="Frank and Goodman 2012",
    cautions={"output": CAUTION, "system": CAUTION},
)
def rsa(
    listener: Evaluator,
    *,
    rationality: float | Literal["infinite"] = 1.0,
    cost: float = 0.0,
    depth: int = 1,
    utility: Utility = "log",
    prior: tuple[float, ...] = (),
    alternatives: str | tuple[str, ...] = "all",
    score: ListenerScore = "probability",
) -> Shape:
    """What a listener understands who knows what else the speaker could have said, and how a literal one would take it.

    L0 is the `listener`; a speaker of S1 chooses among the utterances of the item in proportion to
    exp(rationality (log L0 - cost x words)); L1 expects that, and `depth` repeats it. Exact. Alternatives are the
    different texts of the item, or those of the named systems only; an utterance is always among its own. `prior` has
    a weight for each choice, by position.
    """
    _check(rationality, cost, depth, prior)

    def scored_batch(batch: Batch) -> Scored:
        column = batch.used[0].column
        if not column.n or not has_beliefs(column):
            return _without_beliefs(column, listener, batch)
        games = _Games(batch.dataset, column, alternatives, cost)
        alpha = inf if rationality == "infinite" else rationality
        beliefs, reasons = games.heard(batch.rows, prior, alpha, depth, utility)
        return _scored(games.beliefs.take(batch.rows), beliefs, reasons, score)

    return batched(scored_batch, whole=True, uses=[Use(listener, "output")], direction=direction(score))


class _Games:
    """The utterances of every item, with what the literal listener makes of each."""

    def __init__(self, dataset: Dataset, column: Column, alternatives: str | tuple[str, ...], cost: float) -> None:
        self.beliefs: Beliefs = beliefs_of(column)
        self.gaps = column.gaps
        self.item = dataset.outputs.item
        self.text = dataset.outputs.text.factorize()[0].astype(np.int64)
        self.by_item = dataset.outputs_by_item
        self.offered = _offered(dataset, alternatives)
        self.cost: Floats = (cost * tokenize(dataset.outputs.text, "whitespace").lengths).astype(np.float64)

    def heard(
        self, rows: NDArray[np.int64], prior: tuple[float, ...], rationality: float, depth: int, utility: Utility
    ) -> tuple[list[Floats], list[str]]:
        """The beliefs of the last listener about each output, and why there are none."""
        played: dict[tuple[int, ...], Floats] = {}
        beliefs: list[Floats] = []
        reasons: list[str] = []
        for row in rows.tolist():
            literal = self.beliefs.heard[row]
            members = self._alternatives(row) if len(literal) else ()
            why = self.gaps[row] if not len(literal) else ALONE if len(members) < 2 else ""
            if not why and prior and len(prior) != len(literal):
                why = f"the prior has {len(prior)} weights for {len(literal)} choices"
            if not why:
                if members not in played:
                    played[members] = self._played(members, prior, rationality, depth, utility)
                literal = np.exp(played[members][[self.text[one] for one in members].index(self.text[row])])
                why = "" if literal.sum() > 0 else UNSAID
            beliefs.append(literal)
            reasons.append(why)
        return beliefs, reasons

    def _alternatives(self, row: int) -> tuple[int, ...]:
        """One output for each different text of the item that was understood; the own text is always one of them."""
        first: dict[int, int] = {}
        for other in self.by_item[int(self.item[row])].tolist():
            if len(self.beliefs.heard[other]) and (self.offered[other] or self.text[other] == self.text[row]):
                first.setdefault(int(self.text[other]), other)
        return tuple(first.values())

    def _played(
        self, members: tuple[int, ...], prior: tuple[float, ...], rationality: float, depth: int, utility: Utility
    ) -> Floats:
        with np.errstate(divide="ignore"):
            literal = np.log(np.stack([self.beliefs.heard[one] for one in members]))
        weights = np.array(prior) if prior else np.ones(literal.shape[1])
        costs = self.cost[list(members)]
        return reason(literal, weights / weights.sum(), costs, rationality, depth, utility)[-1].listener


def _scored(literal: Beliefs, beliefs: list[Floats], reasons: list[str], score: ListenerScore) -> Scored:
    offsets = np.concatenate([[0], np.cumsum([len(belief) for belief in beliefs])]).astype(np.int64)
    gaps = Gaps.of(reasons)
    masks = {why: gaps.codes == code for code, why in enumerate(gaps.reasons) if why}
    flat = np.concatenate(beliefs) if beliefs else np.zeros(0)
    return scored_against(literal.meant, Heard(Ragged(flat, offsets), masks), score)


def _without_beliefs(column: Column, listener: Evaluator, batch: Batch) -> Scored:
    """Gaps where the listener understands nothing; an evaluator that is no listener is an error."""
    if column.n:
        raise EvaluatorError(
            f"rsa needs a listener, and {listener.name} leaves no beliefs about choices beside its scores."
        )
    return Scored(np.full(len(batch), np.nan), batch.used[0].gaps)


def _offered(dataset: Dataset, alternatives: str | tuple[str, ...]) -> NDArray[np.bool_]:
    if alternatives == "all":
        return np.ones(len(dataset), bool)
    names = (alternatives,) if isinstance(alternatives, str) else alternatives
    systems = dataset.systems.id.to_list()
    for name in names:
        if name not in systems:
            raise EvaluatorError(f"no system {name!r} to take alternatives from.{did_you_mean(name, systems)}")
    return np.isin(dataset.outputs.system, [systems.index(name) for name in names])


def _check(rationality: float | str, cost: float, depth: int, prior: tuple[float, ...]) -> None:
    if not isinstance(rationality, str) and not 0 < rationality < inf:
        raise EvaluatorError(f"the rationality of rsa must be above 0, or 'infinite', not {rationality}.")
    if not 0 <= cost < inf:
        raise EvaluatorError(f"the cost of rsa, per word, must be 0 or more, not {cost}.")
    if not 1 <= depth <= MOST_DEPTH:
        raise EvaluatorError(f"the depth of rsa must be 1 to {MOST_DEPTH}, not {depth}.")
    if prior and not (min(prior) >= 0 and 0 < sum(prior) < inf):
        raise EvaluatorError(f"the prior of rsa must have weights of 0 or more, at least one above 0, not {prior}.")
