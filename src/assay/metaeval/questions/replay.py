"""Results recomputed from their signatures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from assay import __version__
from assay.errors import AssayError
from assay.grammar import Call, Value, fits_of, made_by, parse_call, print_call
from assay.metaeval.questions.contrast import Contrast, contrast
from assay.metaeval.questions.correlation import Correlation, correlate
from assay.metaeval.questions.inquiry import Inquiry
from assay.metaeval.questions.pair_tests import Procedure, Test
from assay.metaeval.questions.question import Question, Resampling, resampling_of
from assay.metaeval.questions.study import prepare
from assay.metaeval.sets.contest import BestThreshold, best_thresholds
from assay.metaeval.sets.dectest import SubsetCorrelation, subset_correlations
from assay.metaeval.sets.ranking_pairs import OrderedPairs, ordered_pairs
from assay.metaeval.systems.comparison import SystemDifference, compare_systems
from assay.records import Dataset
from assay.scores import ScoreTable

Result = Correlation | Contrast | SystemDifference | BestThreshold | SubsetCorrelation | OrderedPairs
SETS: dict[str, Callable[..., Sequence[Result]]] = {
    "best_threshold": best_thresholds,
    "subset_correlation": subset_correlations,
    "ordered_pairs": ordered_pairs,
}
"""Results about response sets, each of one metric."""
# The arguments of a signature that name score columns.
COLUMNS = {
    "correlation": ("candidate", "target"),
    "contrast": ("left", "right", "target"),
    "difference": ("evaluator",),
    "matrix": ("left", "right"),
    **dict.fromkeys(SETS, ("candidate", "target")),
}
# The other arguments of a signature.
SETTINGS: dict[str, tuple[str, ...]] = {
    "correlation": ("statistic", "level", "grouping"),
    "contrast": ("statistic", "level", "grouping", "test", "correction", "alpha", "family"),
    "difference": ("left", "right", "among", "test", "correction", "alpha", "permutations"),
    "matrix": ("statistic", "level"),
    "best_threshold": (),
    "subset_correlation": ("subset", "repeats"),
    "ordered_pairs": (),
}


@dataclass(frozen=True)
class Replay:
    """A parsed signature: what has to be scored, how that was fitted, and how to recompute the result."""

    call: Call
    resampling: Resampling
    fits: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The evaluators as names to score by, or names of table columns."""
        named = [_name(self.call.kwargs[key]) for key in COLUMNS[self.call.name]]
        return tuple(dict.fromkeys((*self._family, *named)))

    @property
    def unit(self) -> str:
        """What the scores are about."""
        return self._text("unit")

    @property
    def seed(self) -> int:
        """Seed of the scores: that of their fitted models, if any, else of the result."""
        seeds = [parse_call(fit).kwargs["seed"] for fit in self.fits]
        return int(cast(int, seeds[0])) if seeds else self.resampling.seed

    @property
    def needs_dataset(self) -> bool:
        """Whether judgments or contexts are needed besides the scores."""
        return not {"annotators", "contexts"}.isdisjoint((*self.resampling.factors, *self._swapped))

    def study(self, table: ScoreTable, workers: int = 1) -> Inquiry:
        """The two columns of a matrix, one as the target."""
        self._check_fits(table)
        left, right = self._column("left"), self._column("right")
        question = Question(right, (left,), (self._text("statistic"),), (self._text("level"),))
        return prepare(table, question, None, workers=workers)

    def again(self, table: ScoreTable, dataset: Dataset | None = None, workers: int = 1) -> Result:
        """Recompute the result of the signature."""
        self._check_fits(table)
        if self.call.name == "difference":
            # All pairs are compared again, as p is adjusted for them.
            pair = self._text("left"), self._text("right")
            differences, _ = compare_systems(
                table,
                cast(tuple[str, ...], self.call.kwargs["among"]),
                self.columns,
                resampling=self.resampling,
                procedure=self._procedure,
                permutations=int(cast(int, self.call.kwargs["permutations"])),
                against=pair,
                workers=workers,
            )
            return next(one for one in differences if (one.left, one.right) == pair)
        if self.call.name == "correlation":
            study = prepare(table, self._question((self._column("candidate"),)), None, dataset=dataset, workers=workers)
            return correlate(study)[0]
        if self.call.name in SETS:
            question = Question(
                self._column("target"), (self._column("candidate"),), ("spearman",), resampling=self.resampling
            )
            settings = {key: self.call.kwargs[key] for key in SETTINGS[self.call.name]}
            study = prepare(table, question, None, dataset=dataset, workers=workers)
            return SETS[self.call.name](study, **settings)[0]
        left, right = self._column("left"), self._column("right")
        question = self._question(self._family)
        study = prepare(table, question, self._procedure, dataset=dataset, workers=workers)
        pairs, _ = contrast(study, self._procedure)
        return next(pair for pair in pairs if (pair.left, pair.right) == (left, right))

    def _check_fits(self, table: ScoreTable) -> None:
        """Refuse scores of other models than those of the result."""
        actual = {fit for name in self.columns for fit in fits_of(table[name].signature)}
        if actual != set(self.fits):
            then, now = (" and ".join(sorted(fits)) or "nothing that learns" for fits in (self.fits, actual))
            raise AssayError(
                f"the result was made with scores by {then}, and these are by {now}. Give the whole signature, and the "
                "data or table of scores that it was made from."
            )

    def _question(self, candidates: tuple[str, ...]) -> Question:
        return Question(
            self._column("target"),
            candidates,
            (self._text("statistic"),),
            (self._text("level"),),
            (self._text("grouping"),),
            self.resampling,
        )

    @property
    def _family(self) -> tuple[str, ...]:
        """The evaluators whose pairs p is adjusted for."""
        return tuple(map(_name, cast(tuple[Value, ...], self.call.kwargs.get("family", ()))))

    @property
    def _procedure(self) -> Procedure:
        alpha = float(cast(float, self.call.kwargs["alpha"]))
        return Procedure(cast(Test, self._text("test")), self._swapped, self._text("correction"), alpha)

    @property
    def _swapped(self) -> tuple[str, ...]:
        return cast(tuple[str, ...], self.call.kwargs.get("swapped", ()))

    def _column(self, key: str) -> str:
        return _name(self.call.kwargs[key])

    def _text(self, key: str) -> str:
        return str(self.call.kwargs[key])


def _name(value: Value) -> str:
    return print_call(value) if isinstance(value, Call) else str(value)


def read(signature: str) -> Replay:
    """Parse the signature of a result."""
    call = parse_call(signature)
    needed = [*COLUMNS[call.name], *SETTINGS[call.name], "unit"]
    needed += [] if call.name == "matrix" else ["resamples", "seed"]
    missing = [key for key in needed if key not in call.kwargs]
    if missing:
        raise AssayError(f"the signature lacks {', '.join(missing)}. Give the whole signature, in quotes.")
    return Replay(call, resampling_of(call), fits_of(signature))


def check_origin(signature: str) -> None:
    """Reject a signature of another version, whose numbers may differ."""
    origin = made_by(signature) or "something unnamed"
    if origin != f"assay:{__version__}":
        raise AssayError(f"the signature was made by {origin}, and this is assay:{__version__}. Install that version.")
