"""The evaluator contract: the decorator and the shapes that authors use.

An author writes one factory; its parameters become the signature:

    @evaluator(units=("output",), higher_is_better=True, needs=("references",), scale="0 to 1")
    def exact_match(*, lowercase: bool = True, references: References = given()) -> Shape:
        '''Whether the text equals one of its references.'''

        def score(output: Output) -> float: ...

        return per_unit(score)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, update_wrapper
from pathlib import Path
from pickle import PicklingError
from typing import Any

from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.factory import Configured, Factory
from assay.io.model_folders import folders_in
from assay.records import Dataset
from assay.references import References
from assay.scored import Answer, Result, Scored, score_one_by_one, with_gaps
from assay.shapes import (
    Additive,
    Batched,
    Counted,
    Direction,
    Fitted,
    NotAsked,
    PerRequest,
    PerUnit,
    Score,
    Shape,
    State,
    Use,
    Uses,
    additive,
    batched,
    counted,
    fitted,
    per_request,
    per_unit,
)

# All that an author needs; the shapes and their scores are in `assay.shapes` and `assay.scored`.
__all__ = [
    "UNEQUAL_SETS",
    "About",
    "Additive",
    "Answer",
    "Batched",
    "Counted",
    "Direction",
    "Evaluator",
    "EvaluatorFactory",
    "Fitted",
    "NotAsked",
    "PerRequest",
    "PerUnit",
    "Result",
    "Score",
    "Scored",
    "Shape",
    "State",
    "Use",
    "Uses",
    "additive",
    "batched",
    "counted",
    "evaluator",
    "fitted",
    "per_request",
    "per_unit",
    "with_gaps",
]

UNEQUAL_SETS = "unequal sets"
"""Key of the caution about sets or systems with unequal numbers of texts."""


@dataclass(frozen=True)
class About:
    """What is known of an evaluator before it gets parameters.

    Attributes:
        units: the kinds of unit it scores by itself, the preferred one first; coarser ones are pooled.
        higher_is_better: the direction, None if there is none.
        needs: what the scored data must have: references, judgments, logprobs, context, choices, human.
        scale: the range of scores in words.
        cite: the source of the definition.
        stored: whether scores are worth caching on disk.
        cautions: notes for readers of the scores, by kind of unit or UNEQUAL_SETS.
    """

    units: tuple[str, ...]
    higher_is_better: bool | None = True
    needs: tuple[str, ...] = ()
    scale: str = ""
    cite: str = ""
    stored: bool = True
    cautions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, repr=False)
class Evaluator(Configured):
    """An evaluator with its parameters; equal to another with the same signature."""

    name: str
    params: Mapping[str, Any]
    about: About
    shape: Shape
    origin: str = "local"

    def __reduce__(self) -> tuple[Callable[[str, dict[str, Path]], Evaluator], tuple[str, dict[str, Path]]]:
        """Pickle as a signature, and where the folders of its models are."""
        from assay.registry import arrived, travels

        if not travels(self):
            raise PicklingError(f"{self!r} depends on functions of this session, and cannot be rebuilt elsewhere")
        return arrived, (self.signature, folders_in(self.signature))

    @property
    def references(self) -> References | None:
        """Its source of references, if it uses any."""
        source = self.params.get("references")
        return source if isinstance(source, References) else None

    def higher_is_better(self, dataset: Dataset) -> bool | None:
        """Whether higher is better on this data, None if neither is."""
        return self.shape.direction(dataset) if self.shape.direction else self.about.higher_is_better

    def offered(self, dataset: Dataset) -> tuple[str, ...]:
        """The kinds of unit it scores by itself on this data."""
        return self.shape.offers(dataset) if self.shape.offers else self.about.units

    def uses(self, dataset: Dataset) -> tuple[Use, ...]:
        """The evaluators it uses on this data."""
        uses = self.shape.uses
        return tuple(uses(dataset) if callable(uses) else uses)

    def parts(self, dataset: Dataset) -> Iterator[Evaluator]:
        """Itself and, recursively, the evaluators it uses on this data."""
        yield self
        for use in self.uses(dataset):
            yield from use.evaluator.parts(dataset)

    def learns(self, dataset: Dataset) -> bool:
        """Whether it, or an evaluator it uses, is fitted."""
        return any(isinstance(part.shape, Fitted) for part in self.parts(dataset))

    def asks(self, dataset: Dataset) -> bool:
        """Whether it, or an evaluator it uses, calls a service."""
        return any(isinstance(part.shape, PerRequest) for part in self.parts(dataset))

    def score(self, batch: Batch) -> Scored:
        """Score a batch directly, without what a run adds: cache, fitting, used evaluators, containment of failures."""
        match self.shape:
            case Additive(statistics=statistics, finish=finish):
                sums = with_gaps(statistics(batch))
                return with_gaps(Scored(finish(sums.values), sums.gaps))
            case Batched(score=score):
                return with_gaps(score(batch))
            case PerUnit(score=of_unit):
                return score_one_by_one(of_unit, batch)
            case PerRequest():
                raise TypeError(f"{self.name} asks {self.shape.service}: use assay.score")
        raise TypeError(f"{self.name} must be fitted before it scores")


class EvaluatorFactory:
    """A decorated factory: call it with parameters to get an evaluator."""

    def __init__(self, function: Callable[..., Shape], about: About, origin: str = "local") -> None:
        self.factory = Factory(function.__name__, function)
        self.about = about
        self.origin = origin
        update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Evaluator:
        """Make an evaluator. A fitted one takes `model=...`, a folder written by `assay.fit`."""
        if "model" in kwargs and "model" not in self.factory.parameters:
            from assay.applied import apply_model

            return apply_model(self, args, kwargs)
        if "train" in kwargs and "train" not in self.factory.parameters:
            raise EvaluatorError(
                f"{self.factory.name} has no parameter 'train'. Name training data beside the evaluators: --train FILE."
            )
        params = self.factory.bind(args, kwargs)
        shape = self.factory.function(**params)
        return Evaluator(self.factory.name, {**params, **shape.settled}, self.about, shape, self.origin)

    @cached_property
    def description(self) -> str:
        """What it measures, in one line."""
        return self.factory.description


def evaluator(
    *,
    units: Sequence[str] = ("output",),
    higher_is_better: bool | None = True,
    needs: Sequence[str] = (),
    scale: str = "",
    cite: str = "",
    stored: bool = True,
    cautions: Mapping[str, str] | None = None,
) -> Callable[[Callable[..., Shape]], EvaluatorFactory]:
    """Decorate a factory of evaluators; see `About` for the arguments."""
    about = About(tuple(units), higher_is_better, tuple(needs), scale, cite, stored, cautions or {})
    return lambda function: EvaluatorFactory(function, about)
