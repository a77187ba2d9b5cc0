"""May a judge replace a human annotator? The alternative annotator test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from dataclasses import replace as dataclass_replace
from math import isnan
from typing import Any, Unpack

import numpy as np

from assay.analyses.judges import judge_scores
from assay.analyses.sources import Data, source_of
from assay.analyses.words import counted, interval, listed
from assay.errors import AssayError, DataError
from assay.limits import check_share
from assay.metaeval.questions.question import signature
from assay.metaeval.votes.replacement import PASSES, SCORES, Instances, Replacement, instances_of, replacement_test
from assay.part import Bounded, Cell, Number, Part, Picture, Table
from assay.plot import Figure
from assay.records import Dataset
from assay.registry import parse
from assay.run.scoring import ScoringOptions
from assay.scores import Column

CITE = "Calderon, Reichart and Dror 2025"


def replace(
    data: Data,
    judge: str,
    criteria: Sequence[str] = (),
    *,
    ignore: Sequence[str] = (),
    epsilon: float = 0.2,
    score: str | None = None,
    q: float = 0.05,
    confidence: float = 0.95,
    seed: int = 0,
    **scoring: Unpack[ScoringOptions],
) -> Part:
    """Test whether a judge agrees with people at least as well as a person does, minus epsilon.

    Each person is left out in turn. The judge beats a person if it is closer to the others' answers, or at most
    `epsilon` less often than the person; it passes if it beats half of them.

    Args:
        data: with judgments of several people.
        judge: an annotator of the data, or an evaluator whose scores are its answers.
        criteria: by default all that the judge answered, pooled, and then each of them.
        ignore: annotators who are no people, such as other judges. Those declared to be models are left out anyway.
        epsilon: what a judge may be worse by, since it is cheaper: .2 against experts, .1 against crowd workers.
        score: agreement with the others: `accuracy`, `neg_rmse` (the default for numbers), or an evaluator that
            compares two texts, such as chrf, for answers that are texts.
        q: the false discovery rate of Benjamini and Yekutieli's procedure over people.
        confidence: of the interval of the advantage.
        seed: of the resamples behind the number of items that is needed.
        scoring: how evaluators are scored; see `assay.score`.
    """
    check_share("confidence", confidence)
    source = source_of(data, seed, **scoring)
    dataset = source.dataset
    if dataset is None or not len(dataset.judgments):
        raise DataError("there are no judgments, so nobody to replace. Give data with answers of people.")
    scored = judge_scores(source, dataset, [judge])[judge]
    scores = None if scored is None else dict(zip(dataset.outputs.id, scored.values.tolist(), strict=True))

    by_evaluator = score is not None and score not in SCORES
    if score is not None and by_evaluator:
        _check_score(score)
    column = None

    def outcome(names: Sequence[str]) -> tuple[Instances, Replacement]:
        nonlocal column
        kind: Any = "accuracy" if by_evaluator else score
        instances = instances_of(dataset, judge, names, scores=scores, ignore=ignore, score=kind)
        if by_evaluator:
            assert score is not None
            instances, column = _compared_by(score, instances, seed, scoring)
        return instances, replacement_test(instances, epsilon=epsilon, q=q, confidence=confidence, seed=seed)

    instances, whole = outcome(criteria)
    single, notes = [], []
    for name in instances.criteria if len(instances.criteria) > 1 else ():
        try:
            single.append(outcome([name])[1])
        except DataError as error:
            notes.append(f"{name}: {error}")
    origin = signature(
        "replace",
        judge=scored or judge,
        criteria=tuple(criteria),
        ignore=tuple(ignore),
        epsilon=epsilon,
        score=column or instances.score,
        q=q,
        confidence=confidence,
        seed=seed,
    )
    return _part(whole, single, origin, (*notes, *_notes(whole)), seed)


def _check_score(score: str) -> None:
    try:
        parse(score)
    except AssayError as error:
        raise AssayError(f"--score {score}: neither {' nor '.join(SCORES)}, and no evaluator. {error}") from None


def _compared_by(evaluator: str, instances: Instances, seed: int, scoring: ScoringOptions) -> tuple[Instances, Column]:
    """Instances whose answers are compared by an evaluator of texts, each answer with another as its reference."""
    pairs = instances.compared()
    records = [
        {"id": str(at), "item": str(at), "text": instances.words[one], "references": [instances.words[other]]}
        for at, (one, other) in enumerate(pairs)
    ]
    table = source_of(Dataset.from_records(records), seed, **scoring).score([evaluator], "output")
    column = table[evaluator]
    if column.higher_is_better is None:
        raise AssayError(f"--score {evaluator}: it does not say whether high or low is good. Use one that does.")
    for at in np.flatnonzero(np.isnan(column.values))[:1].tolist():
        raise DataError(f"{evaluator} cannot compare {records[at]['text']!r} with another answer: {column.gaps[at]}.")
    sign = 1.0 if column.higher_is_better else -1.0
    place = {identity: value for identity, value in zip(table.unit, column.values.tolist(), strict=True)}
    similarity = {pair: sign * place[str(at)] for at, pair in enumerate(pairs)}
    return dataclass_replace(instances, score=evaluator, similarity=similarity), column


def _part(whole: Replacement, single: Sequence[Replacement], origin: str, notes: Sequence[str], seed: int) -> Part:
    return Part(
        title="May the judge replace a person?",
        summary=f"{whole.judge} on {listed(whole.criteria)}: {counted(whole.n_items, 'instance')} about "
        f"{counted(whole.n_clusters, 'item')}, {len(whole.people)} people, agreement by {whole.score}, epsilon "
        f"{whole.epsilon:g}. Each person is left out in turn and compared with the judge on the answers of the others: "
        "a one-sided t-test per person, Benjamini and Yekutieli's procedure over people. The clustered rule takes "
        "answers about one item as one observation.",
        answers={"trust": [_sentence(whole), *_by_criterion(single)], "next": _next(whole)},
        numbers=tuple(number for result in (whole, *single) for number in _numbers(result, origin)),
        tables=(_rules([whole, *single]), _people(whole), _curve(whole)),
        pictures=(_picture(whole),),
        methods=(origin, CITE),
        notes=tuple(notes),
        seed=seed,
        headline=headline(whole),
    )


def headline(result: Replacement) -> dict[str, Any]:
    """What a script looks for."""
    return {
        "winning_rate": result.winning_rate,
        "advantage": result.advantage,
        "passed": result.passed,
        "n_items": result.n_items,
        "annotators": [asdict(one) for one in result.people],
        "winning_rate_clustered": result.winning_rate_clustered,
        "passed_clustered": result.passed_clustered,
        "score": result.score,
        "epsilon": result.epsilon,
        "epsilon_needed": result.epsilon_needed,
        "epsilon_needed_clustered": result.epsilon_needed_clustered,
        "items_needed": result.clusters_needed,
    }


def _numbers(result: Replacement, origin: str) -> Iterator[Number]:
    about = {"judge": result.judge, "criteria": list(result.criteria), "epsilon": result.epsilon, "score": result.score}
    why = "the outcome of a rule"
    for rule, rate in (("published", result.winning_rate), ("clustered", result.winning_rate_clustered)):
        own = about | {"rule": rule, "passed": rate >= PASSES, "n_people": len(result.people)}
        yield Number("winning_rate", rate, result.n_items, origin, result.n_dropped, reason=why, about=own)
    ends = result.low, result.high
    yield Number("advantage", result.advantage, result.n_items, origin, result.n_dropped, *ends, about=about)
    for one in result.people:
        own = about | {key: value for key, value in asdict(one).items() if key not in ("advantage", "n")}
        yield Number("advantage", one.advantage, one.n, origin, reason="one person of several", about=own)


def _rules(results: Sequence[Replacement]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            listed(result.criteria),
            result.n_items,
            len(result.people),
            result.winning_rate,
            _verdict(result.passed),
            result.winning_rate_clustered,
            _verdict(result.passed_clustered),
            Bounded(result.advantage, result.low, result.high),
            result.epsilon_needed_clustered,
            result.clusters_needed,
        )
        for result in results
    ]
    header = ("criteria", "instances", "people", "winning rate", "published rule", "winning rate, clustered")
    more = ("clustered rule", "advantage", "smallest epsilon that passes", "items for 80% power")
    note = f"A winning rate of {PASSES:g} passes. The smallest epsilon is by the clustered rule."
    return Table("replace", "Outcome", (*header, *more), tuple(rows), note)


def _people(result: Replacement) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            one.annotator,
            one.n,
            one.advantage,
            one.lead,
            one.p_value,
            "yes" if one.beaten else "no",
            one.p_clustered,
            "yes" if one.beaten_clustered else "no",
        )
        for one in sorted(result.people, key=lambda one: (-one.advantage, one.annotator))
    ]
    header = ("person", "instances", "judge as close", "lead of the person", "p", "beaten", "p clustered")
    note = "Judge as close: how often the judge is at least as close to the others as the person is."
    return Table("replace_people", "Each person left out", (*header, "beaten, clustered"), tuple(rows), note)


def _curve(result: Replacement) -> Table:
    header = ("epsilon", "winning rate", "winning rate, clustered")
    return Table("replace_curve", "The winning rate over epsilon", header, result.curve)


def _picture(result: Replacement) -> Picture:
    epsilon, plain, clustered = zip(*result.curve, strict=True)
    caption = f"How many people {result.judge} beats as epsilon grows; half of them is a pass."
    figure = Figure("Winning rate", "epsilon", "share of people beaten", description=caption, y_range=(0.0, 1.0))
    figure.line(epsilon, plain, name="published rule")
    figure.line(epsilon, clustered, name="clustered rule", dash="4 3")
    figure.line([epsilon[0], epsilon[-1]], [PASSES, PASSES], name="a pass", width=1)
    return Picture.of("replace", figure, caption)


def _verdict(passed: bool) -> str:
    return "passed" if passed else "failed"


def _sentence(result: Replacement) -> str:
    n, beaten = len(result.people), sum(one.beaten_clustered for one in result.people)
    may = "may replace a person" if result.passed_clustered else "does not pass as a replacement of a person"
    other = "" if result.passed == result.passed_clustered else f" (the published rule: {_verdict(result.passed)})"
    return (
        f"{result.judge} {may} on {listed(result.criteria)} at epsilon {result.epsilon:g}: it beats {beaten} of {n} "
        f"people{other}, and is at least as close to the others as a person in {result.advantage:.0%} of cases "
        f"({interval(result.low, result.high)})."
    )


def _by_criterion(single: Sequence[Replacement]) -> Iterator[str]:
    """For what the judge may be trusted, where it answered several questions."""
    passed = [listed(one.criteria) for one in single if one.passed_clustered]
    failed = [listed(one.criteria) for one in single if not one.passed_clustered]
    if passed and failed:
        yield f"Taken one by one, it passes on {listed(passed)}, and fails on {listed(failed)}."
    elif single:
        yield f"Taken one by one, it {'passes' if passed else 'fails'} on each of {listed(passed or failed)}."


def _next(result: Replacement) -> list[str]:
    if result.passed_clustered:
        return []
    needed = result.epsilon_needed_clustered
    least = "" if isnan(needed) else f" It would pass from epsilon {needed:g} on."
    if result.clusters_needed is None:
        return [f"More items will not make {result.judge} pass at epsilon {result.epsilon:g}.{least}"]
    return [f"{result.judge} would pass with about {result.clusters_needed:,} items, if it is as good as here.{least}"]


def _notes(result: Replacement) -> Iterator[str]:
    if result.n_dropped:
        yield f"{counted(result.n_dropped, 'instance')} left out: the judge or a second person did not answer."
    if result.left_out:
        names = listed([f"{name} ({n})" for name, n in result.left_out.items()])
        yield f"people with fewer than 30 instances are not tested: {names}."
