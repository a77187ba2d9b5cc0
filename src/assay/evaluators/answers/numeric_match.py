"""Numeric answers: the number a text ends on, or marks as its answer."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Literal

from assay.batch import Batch
from assay.evaluator import Scored, Shape, batched, evaluator
from assay.evaluators.answers.equal import equal_to_any
from assay.references import References, given

# The two filters of lm-evaluation-harness for GSM8K (Cobbe et al. 2021).
LAST = re.compile(r"(-?[$0-9.,]{2,})|(-?[0-9]+)")
MARKED = re.compile(r"#### (-?[0-9.,]+)")


@evaluator(needs=("references",), scale="0 or 1", cite="Cobbe et al. 2021")
def numeric_match(
    *,
    answer: Literal["last", "marked"] = "last",
    compare: Literal["value", "text"] = "value",
    references: References = given(),  # noqa: B008 (a value, never changed)
) -> Shape:
    """Whether the answer of the text, a number, is that of a reference: its last number, or the one after '####'.

    Dollar signs, thousands separators and a final period do not count. compare='value' takes 5.0 and 5 as equal;
    'text' compares digits, as lm-evaluation-harness does. A reference may be a bare number or a worked solution.
    """

    def number(text: str) -> str | None:
        matches = (LAST if answer == "last" else MARKED).findall(text)
        if not matches:
            return None
        # The last match, as with the harness's flexible filter; the first one after a mark, as with its strict one.
        written = "".join(matches[-1]) if answer == "last" else matches[0]
        return _value(_plain(written)) if compare == "value" else _plain(written)

    def score(batch: Batch) -> Scored:
        return equal_to_any(batch, number, "no number in the references")

    return batched(score, reads=("text", "references"))


def _plain(written: str) -> str:
    return re.sub(r"[,$]", "", written).removesuffix(".")


def _value(plain: str) -> str | None:
    """Spell equal numbers equally; None if it is no number, such as '.' or '1.2.3'."""
    try:
        return str(Decimal(plain).normalize() + 0)
    except InvalidOperation:
        return None
