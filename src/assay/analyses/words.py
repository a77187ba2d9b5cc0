"""Wording shared by the sentences of results, and the thresholds behind their claims."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isnan

from assay.evaluator import Evaluator
from assay.part.numbers import written_p
from assay.records import Dataset

ALPHA = 0.05
FEW_UNITS = 10  # with fewer units or texts nothing is claimed about an evaluator
FEW_SYSTEMS = 5  # three systems are in the right order by chance one time in six
STRONG = 0.3  # a weaker correlation does not make an evaluator a substitute for its target
MOST_NAMES = 5


def follows(value: float, low: float) -> bool:
    """Whether an evaluator follows its target: the correlation is strong, and its interval above 0."""
    return low > 0 and value >= STRONG


def interval(low: float, high: float, digits: int = 2) -> str:
    """`0.18 to 0.39`, or that there is none."""
    return "no interval" if isnan(low) or isnan(high) else f"{low:.{digits}f} to {high:.{digits}f}"


def p_value(p: float) -> str:
    """`p = .003`, `p < .001`."""
    return f"p {written_p(p)}" if p < 0.001 else f"p = {written_p(p)}"


def wording(dataset: Dataset | None, criteria: Iterable[str]) -> str:
    """What annotators were asked, as a sentence to append; empty where the data does not say."""
    questions = [] if dataset is None else [dataset.criterion(name).question for name in dict.fromkeys(criteria)]
    asked = listed([f"“{question}”" for question in questions if question])
    return f" Annotators were asked {asked}." if asked else ""


def criteria_of(evaluators: Iterable[Evaluator]) -> tuple[str, ...]:
    """The criteria whose judgments evaluators aggregate."""
    human = [evaluator for evaluator in evaluators if "judgments" in evaluator.about.needs]
    return tuple(criterion for evaluator in human if (criterion := evaluator.params.get("criterion")))


def listed(names: Sequence[str]) -> str:
    """`a, b and c`; a long list is cut: `a, b, c, d, e and 7 more`."""
    if len(names) > MOST_NAMES + 1:
        return f"{', '.join(names[:MOST_NAMES])} and {len(names) - MOST_NAMES} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def counted(n: int, thing: str) -> str:
    """`1 item`, `2 items`, `1,000 items`."""
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"


def why_no_interval(low: float, resamples: int) -> str:
    """Why resamples gave no interval; empty where they did."""
    if not isnan(low):
        return ""
    return "too few resamples have a value" if resamples else "no resamples were asked for"
