"""Checks of log-probabilities for common mistakes, with a remedy for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isfinite, log

import numpy as np
from numpy.typing import NDArray

from assay.records import Dataset, LogProbs
from assay.records.columns import numbers_of

FEWEST = 10  # with fewer log-probabilities their distribution is not checked
LN10, LN2 = log(10), log(2)


@dataclass(frozen=True)
class Finding:
    """A suspected mistake: the check, the system, what was observed, and the remedy."""

    name: str
    system: str
    seen: str
    remedy: str


@dataclass(frozen=True, eq=False)
class Seen:
    """The log-probabilities under one system, with their outputs."""

    dataset: Dataset
    system: int
    output: NDArray[np.int64]
    value: NDArray[np.float64]
    tokens: NDArray[np.int64]

    @property
    def finite(self) -> NDArray[np.bool_]:
        """Whether each log-probability is finite."""
        return np.isfinite(self.value)

    @property
    def own(self) -> NDArray[np.bool_]:
        """Whether each output is the system's own."""
        return self.dataset.outputs.system[self.output] == self.system


def check_logprobs(dataset: Dataset) -> list[Finding]:
    """Check the log-probabilities under each system; an empty list if nothing looks wrong."""
    findings: list[Finding] = []
    tables = list(_per_system(dataset))
    for seen in tables:
        name = dataset.systems.id[seen.system]
        for check in CHECKS:
            problem = check(seen)
            if problem:
                findings.append(Finding(check.__name__, name, *problem))
                if check in DECISIVE:  # later checks would only restate it
                    break
    findings += _between_systems(dataset, tables)
    return findings


def all_zero(seen: Seen) -> tuple[str, str] | None:
    """Every log-probability is 0: they were never filled in."""
    if len(seen.value) and (seen.value == 0).all():
        return (
            f"all {len(seen.value)} log-probabilities are 0",
            "Compute them: a log-probability of 0 means that the text was certain. Leave unknown ones out.",
        )
    return None


def positive(seen: Seen) -> tuple[str, str] | None:
    """Some log-probability is above 0."""
    above = seen.value[seen.value > 1e-9]
    if not len(above):
        return None
    share = f"{len(above)} of {len(seen.value)} log-probabilities are positive"
    if (seen.value >= 0).all() and above.max() <= 1:
        return share + ", all between 0 and 1", "These look like probabilities. Take their logarithm."
    return (
        share,
        "These look like losses or negative log-likelihoods. Change the sign; if they are means, multiply by n_tokens.",
    )


def all_equal(seen: Seen) -> tuple[str, str] | None:
    """Every text has the same log-probability."""
    if len(seen.value) >= FEWEST and seen.finite.all() and (seen.value == seen.value[0]).all():
        return (
            f"all {len(seen.value)} log-probabilities are {seen.value[0]:g}",
            "A model gives different texts different probabilities. Check how they were joined to the texts.",
        )
    return None


def per_token(seen: Seen) -> tuple[str, str] | None:
    """Longer texts are not less likely, so the values are means over tokens and not sums."""
    value, tokens = seen.value[seen.finite], seen.tokens[seen.finite].astype(np.float64)
    if len(np.unique(value)) < 2 * FEWEST or tokens.std() < 0.15 * tokens.mean():
        return None
    slope = float(np.corrcoef(value, tokens)[0, 1])
    if slope > -0.1 and np.median(value) > -12:
        return (
            f"log-probabilities do not fall with length (correlation {slope:+.2f}, median {np.median(value):.2f})",
            "These look like means per token. Give the sum over all tokens: assay divides by n_tokens itself.",
        )
    return None


def people_missing(seen: Seen) -> tuple[str, str] | None:
    """The system's own texts have log-probabilities, human texts have none."""
    human = seen.dataset.human
    if not human.any() or human[seen.output].any() or not seen.own.any():
        return None
    return (
        "no human text has a log-probability under it",
        'Score the human texts with the same model and settings, and add them to "logprobs".',
    )


def sum_above_one(seen: Seen) -> tuple[str, str] | None:
    """The probabilities of different texts for one item sum to more than 1."""
    outputs = seen.dataset.outputs
    text = outputs.text.take(seen.output).factorize()[0]
    item = outputs.item[seen.output]
    first = np.unique(np.column_stack([item, text]), axis=0, return_index=True)[1]
    total = np.bincount(item[first], weights=np.exp(np.minimum(seen.value[first], 0.0)))
    worst = int(total.argmax()) if len(total) else 0
    if len(total) and total[worst] > 1 + 1e-6:
        item_id = seen.dataset.items.id[worst]
        return (
            f"the probabilities of different texts for item {item_id!r} sum to {total[worst]:.2f}",
            "Give the natural logarithm of the whole text's probability: not base 10, not a mean per token, and not "
            "of a model that scores instead of samples.",
        )
    return None


def repeats(seen: Seen) -> tuple[str, str] | None:
    """The system repeats itself more or less often than its probabilities imply.

    If x was drawn with probability p(x), each other draw for the item equals it with probability p(x). So the
    expected number of equal ordered pairs is the sum of (draws - 1) p(x) over the draws.
    """
    own = np.flatnonzero(seen.own)
    outputs = seen.dataset.outputs
    item, text = outputs.item[seen.output[own]], outputs.text.take(seen.output[own]).factorize()[0]
    draws = np.bincount(item, minlength=len(seen.dataset.items))[item]
    if not len(own) or draws.max() < 2:
        return None
    expected = float(((draws - 1) * np.exp(np.minimum(seen.value[own], 0.0))).sum())
    same = np.unique(np.column_stack([item, text]), axis=0, return_counts=True)[1]
    observed = int((same * (same - 1)).sum())
    # Ordered pairs come in twos, so their variance is about twice their number; clumps add to it, hence the factors.
    noise = 5 * np.sqrt(2 * max(expected, 1.0)) + 2
    numbers = f"{observed} pairs of equal texts were sampled, and the log-probabilities imply {expected:.1f}"
    if observed > 2 * expected + noise:
        return (
            numbers,
            "The log-probabilities are too low for how the texts were sampled, such as those of temperature 1 for "
            "texts sampled at a lower one. Give those of the sampling distribution, after temperature and truncation.",
        )
    if expected > 1.5 * observed + noise:
        return (
            numbers,
            "The log-probabilities are too high for how the texts were sampled: means per token, base 10, or those of "
            "another temperature.",
        )
    return None


def _between_systems(dataset: Dataset, tables: list[Seen]) -> Iterator[Finding]:
    """Compare systems on the texts with a log-probability under both."""
    for left in range(len(tables)):
        for right in range(left + 1, len(tables)):
            one, two = tables[left], tables[right]
            _, rows_one, rows_two = np.intersect1d(one.output, two.output, return_indices=True)
            a, b = one.value[rows_one], two.value[rows_two]
            usable = np.isfinite(a) & np.isfinite(b) & (a < 0) & (b < 0)
            if np.count_nonzero(usable) < FEWEST or a[usable].std() == 0:
                continue
            names = dataset.systems.id[one.system], dataset.systems.id[two.system]
            ratio = b[usable] / a[usable]
            middle = float(np.median(ratio))
            if np.abs(ratio - middle).max() > 0.01 * middle:
                continue
            yield from _constant_ratio(dataset, names, (one, two), middle)


def _constant_ratio(
    dataset: Dataset, names: tuple[str, str], pair: tuple[Seen, Seen], ratio: float
) -> Iterator[Finding]:
    for base, factor in (("base 10", LN10), ("base 2", LN2)):
        for odd, natural, divided in ((0, 1, ratio), (1, 0, 1 / ratio)):
            if abs(divided - factor) < 0.01 * factor:
                yield Finding(
                    "another_base",
                    names[odd],
                    f"its log-probabilities are those of {names[natural]!r} divided by {factor:.3f}, the logarithm of "
                    f"{base.removeprefix('base ')}",
                    f"One of the two is in {base}. Use natural logarithms: multiply by {factor:.4f}.",
                )
                return
    temperatures = [_temperature(dataset, seen.system) for seen in pair]
    if abs(ratio - 1) < 1e-6 and temperatures[0] != temperatures[1] and all(map(isfinite, temperatures)):
        colder = int(np.argmin(temperatures))
        yield Finding(
            "temperature_ignored",
            names[colder],
            f"its log-probabilities equal those of {names[1 - colder]!r}, though one has temperature "
            f"{temperatures[colder]:g} and the other {temperatures[1 - colder]:g}",
            "Give the log-probabilities of the sampling distribution: divide the logits by the temperature, and cut "
            "off what is truncated, before the softmax.",
        )


def _temperature(dataset: Dataset, system: int) -> float:
    values = dataset.outputs.columns.get("params.temperature")
    column = None if values is None else numbers_of(values)
    if column is None:
        return float("nan")
    known = np.unique(column[(dataset.outputs.system == system) & ~np.isnan(column)])
    return float(known[0]) if len(known) == 1 else float("nan")


def _per_system(dataset: Dataset) -> Iterator[Seen]:
    table: LogProbs = dataset.logprobs
    tokens = np.where(table.n_tokens >= 0, table.n_tokens, dataset.outputs.n_tokens[table.output])
    words = np.array([len(text.split()) for text in dataset.outputs.text], np.int64)
    tokens = np.where(tokens >= 0, tokens, words[table.output])
    for system in np.unique(table.system).tolist():
        rows = np.flatnonzero(table.system == system)
        yield Seen(dataset, system, table.output[rows], table.value[rows], tokens[rows])


CHECKS: tuple[Callable[[Seen], tuple[str, str] | None], ...] = (
    all_zero,
    positive,
    all_equal,
    people_missing,
    per_token,
    sum_above_one,
    repeats,
)
DECISIVE = (all_zero, positive, all_equal, per_token)
