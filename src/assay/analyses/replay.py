"""`assay.replay`: a result recomputed from its signature."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Unpack, cast

from assay.analyses.agree import agreement_part
from assay.analyses.communicate.part import communicate
from assay.analyses.correct import correct
from assay.analyses.detect import detect
from assay.analyses.meta import matrix_numbers
from assay.analyses.power import power
from assay.analyses.prefer import prefer
from assay.analyses.probe import probe
from assay.analyses.replace import replace
from assay.analyses.sets.hds import hds
from assay.analyses.sets.nuggets import nuggets
from assay.analyses.sets.reactions import reactions
from assay.analyses.sources import Data, ScoreSource, source_of
from assay.errors import AssayError, did_you_mean
from assay.grammar import Call, Value, fits_of, parse_call, print_call
from assay.metaeval.questions.matrix import matrices
from assay.metaeval.questions.question import resampling_of
from assay.metaeval.questions.replay import COLUMNS, check_origin, read
from assay.metaeval.votes.agreement import AGREEMENT, agree_again
from assay.part import Number, Part, Table
from assay.records import Dataset
from assay.registry import REFERENCES, names, parse
from assay.run.folds import Folds
from assay.run.scoring import ScoringOptions


def replay(signature: str, data: Data | None = None, *, workers: int = 1, **scoring: Unpack[ScoringOptions]) -> Part:
    """Recompute a result, bit for bit, from the signature of one of its numbers.

    Args:
        signature: the whole signature. It records how evaluators were fitted, so cross-fitting is repeated.
        data: the data set, or the table of scores, that the result was computed from; a plan by formula needs none.
        workers: threads; the result does not depend on it.
        scoring: `train`, where the signature names training data by its hash; `executor`, `cache` and `requests`.
    """
    call = parse_call(signature)
    if call.name not in (*COLUMNS, *ANALYSES):
        if call.name in names():
            raise AssayError(f"{call.name!r} is an evaluator, not a result. Score with it: assay score DATA -e ...")
        hint = did_you_mean(call.name, [*COLUMNS, *ANALYSES])
        raise AssayError(f"{call.name!r} is not a result that can be recomputed.{hint}")
    check_origin(signature)
    again = _Again(signature, call, data, workers, _fitted_as(fits_of(signature), scoring))
    return ANALYSES[call.name](again) if call.name in ANALYSES else _answer(again)


def evaluators_of(signature: str) -> list[str]:
    """The evaluators that a signature names, as calls."""
    return [print_call(call) for call in _calls(tuple(parse_call(signature).kwargs.values()))]


@dataclass(frozen=True)
class _Again:
    """A parsed signature and what it is recomputed from."""

    signature: str
    call: Call
    data: Data | None
    workers: int
    scoring: ScoringOptions

    @property
    def dataset(self) -> Dataset:
        """The data set; scores alone are not enough."""
        dataset = self.data if isinstance(self.data, Dataset) else self.source(0).dataset
        if dataset is None:
            raise AssayError(f"{self.call.name!r} is not recomputed from scores. Give the data set.")
        return dataset

    def source(self, seed: int) -> ScoreSource:
        if self.data is None:
            raise AssayError("the result was computed from data. Name that data too.")
        is_scored = isinstance(self.data, Dataset)
        return source_of(self.data, seed, self.workers, **(self.scoring if is_scored else {}))

    def arguments(self, *names: str) -> dict[str, Any]:
        """The arguments of the signature but for some; evaluators as calls."""
        return {key: _written(value) for key, value in self.call.kwargs.items() if key not in names}


def _answer(again: _Again) -> Part:
    """A result of the engine of questions."""
    result = read(again.signature)
    source = again.source(result.seed)
    table = source.score(result.columns, result.unit)
    if again.call.name == "matrix":
        numbers = tuple(matrix_numbers(matrices(result.study(table, again.workers))[0], table))
    else:
        dataset = source.dataset if result.needs_dataset else None
        numbers = (result.again(table, dataset, again.workers).number(),)
    return _part(again, numbers, result.resampling.seed)


def _agreement(again: _Again) -> Part:
    return agreement_part([agree_again(again.signature, again.dataset)])


def _detect(again: _Again) -> Part:
    return detect(again.dataset, **again.arguments("of", "system"))


def _nuggets(again: _Again) -> Part:
    label = parse(str(again.arguments()["label"])).params
    return nuggets(again.dataset, label=label["name"], high=label["high"], **again.arguments("label"), **again.scoring)


def _power(again: _Again) -> Part:
    pilot = again.data
    if pilot is not None and not isinstance(pilot, Dataset):
        pilot = again.source(0).score([again.arguments()["evaluator"]])
    return power(**again.arguments(), pilot=pilot, **again.scoring)


def _reaction(again: _Again) -> Part:
    evaluator, resampling = again.arguments()["evaluator"], resampling_of(again.call)

    def score(dataset: Dataset) -> Any:
        return source_of(dataset, resampling.seed, again.workers, **again.scoring).score([evaluator], "set")

    moved = reactions(again.dataset, score, resampling)
    numbers = tuple(row.number() for row in moved if row.change == again.call.kwargs["change"])
    return _part(again, numbers, resampling.seed)


ANALYSES: Mapping[str, Callable[[_Again], Part]] = {
    AGREEMENT: _agreement,
    "communicate": lambda again: communicate(again.dataset, **again.arguments(), **again.scoring),
    "detect": _detect,
    "hds": lambda again: hds(again.dataset, [again.arguments()["criterion"]], **again.arguments("criterion")),
    "nuggets": _nuggets,
    "power": _power,
    "preference": lambda again: prefer(again.dataset, **again.arguments(), **again.scoring),
    "reaction": _reaction,
    "correct": lambda again: correct(again.dataset, **again.arguments(), **again.scoring),
    "probe": lambda again: probe(again.dataset, **again.arguments(), **again.scoring),
    "replace": lambda again: replace(again.dataset, **again.arguments(), **again.scoring),
}
"""Results of whole analyses, which are run again; `COLUMNS` names those of single columns."""


def _part(again: _Again, numbers: tuple[Number, ...], seed: int) -> Part:
    rows = tuple((number.name, number.cell, number.n, number.n_missing) for number in numbers)
    table = Table("recomputed", "", ("number", "value", "n", "missing"), rows)
    return Part("Recomputed", "", numbers=numbers, tables=(table,), methods=(again.signature,), seed=seed)


def _fitted_as(fits: tuple[str, ...], scoring: ScoringOptions) -> ScoringOptions:
    """The options with the fit that a signature records; it names training data by hash."""
    train, others = (
        scoring.get("train"),
        {key: value for key, value in scoring.items() if key not in ("train", "folds")},
    )
    options = cast(ScoringOptions, others)
    if scoring.get("folds") is not None:
        raise AssayError("folds are those of the signature. Leave them out.")
    if len(fits) > 1:
        raise AssayError(
            f"the columns of this result were fitted in {len(fits)} ways: {', '.join(fits)}. Give the table of "
            "scores that it was made from."
        )
    if not fits:
        if train is not None:
            raise AssayError("the result has no evaluator that learns. Leave --train out.")
        return options
    fit = parse_call(fits[0])
    if fit.name == "train":
        recorded, actual = fit.args[0], train and train.fingerprint[:16]
        if actual is None:
            raise AssayError(f"the evaluators were fitted on data with the hash {recorded}. Name it with --train.")
        if actual != recorded:
            raise AssayError(
                f"the training data has the hash {actual}, but the evaluators were fitted on data with the hash "
                f"{recorded}. Name that with --train."
            )
    elif train is not None:
        raise AssayError("the evaluators were cross-fitted, without a training set. Leave --train out.")
    folds = Folds(str(fit.kwargs["leave_out"]), cast(int | None, fit.kwargs.get("n")))
    return {**options, "train": train, "folds": folds}


def _written(value: Value) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_written, value))
    return print_call(value) if isinstance(value, Call) else value


def _calls(values: tuple[Value, ...]) -> Iterator[Call]:
    for value in values:
        if isinstance(value, Call) and value.name not in REFERENCES:
            yield value
        elif isinstance(value, tuple):
            yield from _calls(value)
