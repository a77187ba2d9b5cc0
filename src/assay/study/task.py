"""The input of a step: the data, the seed, the resamples, and the scores that all steps share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from assay.errors import EvaluatorError
from assay.metaeval.questions.question import Resampling
from assay.needs import choose_unit
from assay.records import Dataset
from assay.registry import parse
from assay.run import score
from assay.run.executor import Executor
from assay.run.folds import Folds
from assay.run.requests import Requests, Sender
from assay.scores import NOT_ASKED, ScoreTable

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Task:
    """The data and settings of a running study; `progress` is called with (done, total).

    `train`, `folds`, `sender` and `executor` are passed to `assay.score`; `sources` are where the data was read.
    """

    dataset: Dataset
    seed: int = 0
    resamples: int = 1000
    progress: Progress = lambda done, total: None
    train: Dataset | None = None
    folds: Folds | None = None
    sender: Sender = field(default_factory=lambda: Sender(Requests()))
    executor: str | Executor | None = None
    sources: tuple[str, ...] = ()
    _scored: dict[str, ScoreTable] = field(default_factory=dict, repr=False)

    def resampling(self, *factors: str) -> Resampling:
        """The study's resampling, of these factors or the default ones."""
        return Resampling(self.resamples, factors, seed=self.seed)

    def unit(self, evaluators: Sequence[str]) -> str:
        """The unit that these evaluators have in common."""
        return choose_unit(self.dataset, [parse(name) for name in evaluators], None)

    def score(self, evaluators: Sequence[str], unit: str | None = None) -> ScoreTable:
        """Score the data, reusing the scores of earlier steps."""
        kind = unit or self.unit(evaluators)
        known = self._scored.get(kind)
        new = [name for name in evaluators if known is None or name not in known.columns]
        if new:
            # A gap that may be gone the next time must not be kept in the result of a step.
            fresh = score(
                self.dataset,
                new,
                unit=kind,
                train=self.train,
                folds=self.folds,
                seed=self.seed,
                failures="error",
                requests=self.sender,
                executor=self.executor,
            )
            _check_all_asked(fresh)
            if known is not None:
                notes = (*known.notes, *fresh.notes)
                fresh = replace(fresh, columns={**known.columns, **fresh.columns}, notes=notes)
            self._scored[kind] = known = fresh
        assert known is not None
        notes = tuple(note for note in known.notes if any(note.startswith(f"{name}: ") for name in evaluators))
        return replace(known, columns={name: known.columns[name] for name in evaluators}, notes=notes)


def _check_all_asked(table: ScoreTable) -> None:
    """Refuse scores of which some were not asked for: what a step makes of them would be kept."""
    for name, column in table.columns.items():
        n = sum(count for reason, count in column.gaps.for_now.items() if reason.startswith(NOT_ASKED))
        if n:
            raise EvaluatorError(
                f"{name}: {n} of {len(column)} {table.kind}s were not asked about. Answers so far are kept: raise "
                "max_requests or leave offline out, and run the study again."
            )
