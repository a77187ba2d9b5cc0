"""Types of study-file keys with additional checks."""

from __future__ import annotations

from typing import Annotated, Any, get_args

from assay.errors import AssayError
from assay.limits import MOST_COUNT
from assay.registry import parse
from assay.typed_values import BadValue, WholeNumbers


class _KnownEvaluator:
    """Checks that an evaluator exists and accepts its parameters."""

    def __call__(self, text: str) -> str:
        try:
            parse(text)
        except AssayError as error:
            raise BadValue(str(error)) from None
        return text

    def __str__(self) -> str:
        return "an evaluator"


EvaluatorCall = Annotated[str, _KnownEvaluator()]
WholeNumber = Annotated[int, WholeNumbers(0, MOST_COUNT)]
Positive = Annotated[int, WholeNumbers(1, MOST_COUNT)]
Seed = Annotated[int, WholeNumbers(0)]


def wants_evaluators(kind: Any) -> bool:
    """Whether a key of this type names an evaluator, or a list of them."""
    return kind == EvaluatorCall or any(map(wants_evaluators, get_args(kind)))
