"""May a judge replace a person? The alternative annotator test, by the published rule and by clusters."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite, nan
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, DataError, did_you_mean
from assay.kernels.statistics.intervals import NO_INTERVAL, Interval
from assay.kernels.statistics.jackknife import t_interval
from assay.kernels.votes.replacement import (
    ClusteredLeads,
    Margins,
    Outcomes,
    outcomes_by_accuracy,
    outcomes_by_error,
    outcomes_by_similarity,
    plain_margins,
)
from assay.limits import check_share
from assay.metaeval.votes.votes import items_of_units
from assay.records import Dataset

Score = Literal["accuracy", "neg_rmse"]
SCORES: tuple[Score, ...] = ("accuracy", "neg_rmse")
PASSES = 0.5
"""The share of people that a judge must beat."""
LEAST_PEOPLE, LEAST_INSTANCES = 2, 30
"""People per instance, and instances per person, of the published rule."""
MOST_EPSILON = 1.0
POWER, N_DRAWS, MOST_TIMES = 0.8, 200, 64


@dataclass(frozen=True, eq=False)
class Instances:
    """Votes of people on what a judge answered too. A vote has a person, an instance and an answer.

    An instance is a unit and a criterion; its cluster is the item, numbered. `judged` is the judge's answer per
    instance, `names` are the people and `left_out` those with too few instances. Where answers are compared as labels
    or texts, they are places in `words`; `similarity` of two of them stands in for equality.
    """

    judge: str
    criteria: tuple[str, ...]
    score: str
    person: NDArray[np.int64]
    instance: NDArray[np.int64]
    answer: NDArray[np.float64]
    judged: NDArray[np.float64]
    cluster: NDArray[np.int64]
    names: tuple[str, ...]
    left_out: Mapping[str, int]
    n_dropped: int
    words: tuple[str, ...] = ()
    similarity: Mapping[tuple[int, int], float] | None = None

    def compared(self) -> list[tuple[int, int]]:
        """The answers that a similarity is needed of: each given one with each of another person about the same."""
        given: dict[int, list[int]] = {}
        for instance, answer in zip(self.instance.tolist(), self.answer.astype(np.int64).tolist(), strict=True):
            given.setdefault(instance, []).append(answer)
        pairs = {
            (one, other)
            for instance, answers in given.items()
            for one in {*answers, int(self.judged[instance])}
            for other in answers
        }
        return sorted(pairs)

    def outcomes(self) -> Outcomes:
        """Who is closer to the others, vote by vote."""
        if self.similarity is not None:
            codes = self.answer.astype(np.int64), self.judged.astype(np.int64)
            return outcomes_by_similarity(self.instance, *codes, self.similarity)
        if self.score == "accuracy":
            return outcomes_by_accuracy(self.instance, self.answer.astype(np.int64), self.judged.astype(np.int64))
        return outcomes_by_error(self.instance, self.answer, self.judged)


@dataclass(frozen=True)
class PersonTest:
    """One person left out: how often the judge is at least as close to the others, and is it better by epsilon?"""

    annotator: str
    n: int
    n_clusters: int
    advantage: float
    lead: float
    p_value: float
    beaten: bool
    p_clustered: float
    beaten_clustered: bool


@dataclass(frozen=True)
class Replacement:
    """The outcome of the test on some criteria. `epsilon_needed` is the smallest that passes, NaN if none does."""

    judge: str
    criteria: tuple[str, ...]
    score: str
    epsilon: float
    q: float
    n_items: int
    n_clusters: int
    n_dropped: int
    people: tuple[PersonTest, ...]
    left_out: Mapping[str, int]
    advantage: float
    low: float
    high: float
    curve: tuple[tuple[float, float, float], ...]
    epsilon_needed: float
    epsilon_needed_clustered: float
    clusters_needed: int | None

    @property
    def winning_rate(self) -> float:
        """The share of people whom the judge beats, by the published rule."""
        return sum(one.beaten for one in self.people) / len(self.people)

    @property
    def winning_rate_clustered(self) -> float:
        """The same where answers about one item are one cluster."""
        return sum(one.beaten_clustered for one in self.people) / len(self.people)

    @property
    def passed(self) -> bool:
        """Whether the judge passes by the published rule."""
        return self.winning_rate >= PASSES

    @property
    def passed_clustered(self) -> bool:
        """Whether it passes by clusters."""
        return self.winning_rate_clustered >= PASSES


def instances_of(
    dataset: Dataset,
    judge: str,
    criteria: Sequence[str],
    *,
    scores: Mapping[str, float] | None = None,
    ignore: Collection[str] = (),
    score: Score | None = None,
) -> Instances:
    """Collect what people and the judge answered.

    Other annotators that are declared to be models are left out as those of `ignore` are. With `scores`, by output, an
    evaluator is the judge.
    """
    table = dataset.judgments
    known = table.annotators.to_list()
    for name in ignore:
        if name not in known:
            raise AssayError(f"no annotator {name!r} to ignore.{did_you_mean(name, known)}")
    names = tuple(criteria) or _answered(dataset, judge, scores)
    rows = np.sort(np.concatenate([table.about(*(["output"] if scores else [])).of(name).rows for name in names]))
    score = score or _usual_score(dataset, names, rows)
    answer, words = _answers(dataset, rows, score, by_evaluator=scores is not None)
    keys = np.stack([column[rows] for column in (table.criterion, table.kind, table.unit, table.other)], axis=1)
    instances, instance = np.unique(keys, axis=0, return_inverse=True)
    instance = instance.ravel().astype(np.int64)
    # Only the first answer of an annotator about a unit counts.
    first = np.sort(np.unique(instance * len(known) + table.annotator[rows], return_index=True)[1])
    annotator, instance, answer = table.annotator[rows][first], instance[first], answer[first]
    judged = np.full(len(instances), nan)
    if scores is None:
        own = annotator == known.index(judge)
        judged[instance[own]] = answer[own]
    else:
        judged[:] = [scores.get(name, nan) for name in dataset.outputs.id.take(instances[:, 2])]
    out = {*ignore, judge} | table.models()
    of_people = np.array([name not in out for name in known])[annotator]
    n = np.bincount(instance[of_people], minlength=len(instances))
    kept = (n >= LEAST_PEOPLE) & ~np.isnan(judged)
    votes = np.flatnonzero(of_people & kept[instance])
    if not len(votes):
        raise DataError(
            f"nothing that {judge} judged has answers of {LEAST_PEOPLE} people to {', '.join(names)}. The test leaves "
            "one person out and compares with the others."
        )
    used, numbered = np.unique(instance[votes], return_inverse=True)
    item = items_of_units(dataset, instances[used, 1], instances[used, 2])
    return _with_enough(
        Instances(
            judge=judge,
            criteria=names,
            score=score,
            person=annotator[votes],
            instance=numbered.astype(np.int64),
            answer=answer[votes],
            judged=judged[used],
            cluster=np.unique(item, return_inverse=True)[1].astype(np.int64),
            names=tuple(known),
            left_out={},
            n_dropped=int(np.count_nonzero(n)) - len(used),
            words=words,
        )
    )


def _with_enough(instances: Instances) -> Instances:
    """Number the people who are tested. The votes of the others stay: they are among the others of everybody."""
    n = np.bincount(instances.person, minlength=len(instances.names))
    few = {instances.names[code]: int(n[code]) for code in np.flatnonzero((n > 0) & (n < LEAST_INSTANCES))}
    tested = np.flatnonzero(n >= LEAST_INSTANCES)
    if not len(tested):
        raise DataError(
            f"no person answered {LEAST_INSTANCES} of the instances that {instances.judge} judged and another person "
            f"too (the most: {n.max()}). Collect more answers."
        )
    number = np.full(len(n), -1)
    number[tested] = np.arange(len(tested))
    names = tuple(instances.names[code] for code in tested)
    return replace(instances, person=number[instances.person], names=names, left_out=few)


def _answered(dataset: Dataset, judge: str, scores: Mapping[str, float] | None) -> tuple[str, ...]:
    table = dataset.judgments
    if scores is not None:
        return tuple(table.about("output").criteria)
    rows = np.flatnonzero(table.annotator == table.annotators.to_list().index(judge))
    return tuple(table.criteria.take(np.unique(table.criterion[rows])))


def _usual_score(dataset: Dataset, criteria: Sequence[str], rows: NDArray[np.int64]) -> Score:
    """`neg_rmse` for numbers, and for labels whose numbers are declared; `accuracy` for names."""
    nominal = any(dataset.criterion(name).scale == "nominal" for name in criteria)
    return "accuracy" if nominal or np.isnan(dataset.judgments.value[rows]).any() else "neg_rmse"


def _answers(
    dataset: Dataset, rows: NDArray[np.int64], score: Score, *, by_evaluator: bool
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """The answers as numbers, or for accuracy as places in a list of answers, and that list."""
    table = dataset.judgments
    value, label = table.value[rows], table.label[rows]
    named = np.isnan(value)
    if score == "neg_rmse":
        value[named] = [_number(table.labels[int(of)]) for of in label[named]]
        for row in rows[np.isnan(value)][:1]:
            criterion = table.criteria[int(table.criterion[row])]
            answer = table.labels[int(table.label[row])]
            raise DataError(
                f"{answer!r}, an answer to {criterion!r}, is a label and no number. Use --score accuracy, or declare "
                "the labels of the criterion in order."
            )
        return value, ()
    if score != "accuracy":
        raise AssayError(f"no score {score!r}.{did_you_mean(score, SCORES)}")
    if by_evaluator:
        raise AssayError("scores of an evaluator are no labels, so there is no accuracy. Use --score neg_rmse.")
    answers = np.stack([np.where(named, label, -1), np.where(named, 0.0, value)], axis=1)
    distinct, codes = np.unique(answers, axis=0, return_inverse=True)
    words = tuple(table.labels[int(of)] if of >= 0 else f"{number:g}" for of, number in distinct.tolist())
    return codes.ravel().astype(np.float64), words


def _number(label: str) -> float:
    """A number that was written in quotes; NaN for other labels."""
    try:
        number = float(label)
    except ValueError:
        return nan
    return number if isfinite(number) else nan


def replacement_test(
    instances: Instances,
    *,
    epsilon: float = 0.2,
    q: float = 0.05,
    confidence: float = 0.95,
    n_draws: int = N_DRAWS,
    seed: int = 0,
) -> Replacement:
    """Run the test: one-sided t per person, Benjamini and Yekutieli over people, at least half must be beaten.

    `n_draws` resamples find how many clusters are needed; 0 leaves that out.
    """
    if not 0 <= epsilon <= MOST_EPSILON:
        raise AssayError(f"epsilon is {epsilon:g}. Give a number from 0 to {MOST_EPSILON:g}, such as 0.2.")
    check_share("q", q)
    outcomes = instances.outcomes()
    tested = instances.person >= 0
    person, wins, lead = instances.person[tested], outcomes.judge[tested], outcomes.lead[tested]
    _, cluster = np.unique(instances.cluster[instances.instance[tested]], return_inverse=True)
    n_people, n_clusters = len(instances.names), int(cluster.max()) + 1
    leads = ClusteredLeads.of(lead, person, cluster, n_people, n_clusters)
    rules = plain_margins(lead, person, n_people), leads.margins(np.ones((1, n_clusters)))[0]
    n = np.bincount(person, minlength=n_people)
    shares = np.bincount(person, wins, n_people) / n
    plain, clustered = (margins.p_values(epsilon) for margins in rules)
    beaten = [margins.beaten(epsilon, q) for margins in rules]
    interval = _interval(wins, person, cluster, shares, n, n_clusters, confidence)
    return Replacement(
        judge=instances.judge,
        criteria=instances.criteria,
        score=instances.score,
        epsilon=epsilon,
        q=q,
        n_items=len(instances.judged),
        n_clusters=n_clusters,
        n_dropped=instances.n_dropped,
        people=tuple(
            PersonTest(
                annotator=name,
                n=int(n[at]),
                n_clusters=int(rules[1].freedom[at]) + 1,
                advantage=float(shares[at]),
                lead=float(rules[0].mean[at]),
                p_value=float(plain[at]),
                beaten=bool(beaten[0][at]),
                p_clustered=float(clustered[at]),
                beaten_clustered=bool(beaten[1][at]),
            )
            for at, name in enumerate(instances.names)
        ),
        left_out=instances.left_out,
        advantage=float(shares.mean()),
        low=interval.low,
        high=interval.high,
        curve=tuple((at, _rate(rules[0], at, q), _rate(rules[1], at, q)) for at in _grid(epsilon)),
        epsilon_needed=_epsilon_needed(rules[0], q),
        epsilon_needed_clustered=_epsilon_needed(rules[1], q),
        clusters_needed=_clusters_needed(leads, epsilon, q, n_draws, np.random.default_rng(seed)),
    )


def _rate(margins: Margins, epsilon: float, q: float) -> float:
    return float(margins.beaten(epsilon, q).mean())


def _grid(epsilon: float) -> list[float]:
    return sorted({*(round(step * 0.05, 2) for step in range(11)), epsilon})


def _epsilon_needed(margins: Margins, q: float) -> float:
    """The smallest epsilon, to three decimals, at which the judge passes: beating is monotone in epsilon."""
    low, high = 0, round(MOST_EPSILON * 1000)
    if _rate(margins, MOST_EPSILON, q) < PASSES:
        return nan
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _rate(margins, middle / 1000, q) >= PASSES else (middle + 1, high)
    return low / 1000


def _interval(
    wins: NDArray[np.bool_],
    person: NDArray[np.int64],
    cluster: NDArray[np.int64],
    shares: NDArray[np.float64],
    n: NDArray[np.int64],
    n_clusters: int,
    confidence: float,
) -> Interval:
    """An interval of the mean share over new items: the influence of each cluster on it."""
    if n_clusters < 2:
        return NO_INTERVAL
    influence = np.bincount(cluster, (wins - shares[person]) / (n[person] * len(n)), n_clusters)
    estimate = float(shares.mean())
    return t_interval(estimate, [estimate - influence * n_clusters / (n_clusters - 1)], confidence)


def _clusters_needed(
    leads: ClusteredLeads, epsilon: float, q: float, n_draws: int, rng: np.random.Generator
) -> int | None:
    """The least number of clusters with which resamples of these pass in 80% of draws; None if none does."""
    n_clusters = leads.n.shape[0]
    if not n_draws:
        return None

    def is_enough(drawn: int) -> bool:
        weights = rng.multinomial(drawn, np.full(n_clusters, 1 / n_clusters), n_draws).astype(np.float64)
        counts = np.asarray(weights @ leads.n)
        passes = [
            _passes(margins, n >= LEAST_INSTANCES, epsilon, q)
            for margins, n in zip(leads.margins(weights), counts, strict=True)
        ]
        return sum(passes) >= POWER * n_draws

    high = n_clusters
    while not is_enough(high):
        if high >= MOST_TIMES * n_clusters:
            return None
        high *= 2
    low = high // 2 if high > n_clusters else 1
    while high - low > max(1, high // 50):
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def _passes(margins: Margins, tested: NDArray[np.bool_], epsilon: float, q: float) -> bool:
    return bool(tested.any()) and _rate(Margins(*(part[tested] for part in margins)), epsilon, q) >= PASSES
