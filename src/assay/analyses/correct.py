"""Human means from few labels: a judge on every output, corrected by its errors on the labeled ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan
from typing import Unpack

from assay.analyses.judges import judge_scores, only_criterion
from assay.analyses.sources import Data, ScoreSource, source_of
from assay.analyses.words import counted, interval, listed
from assay.errors import AssayError, DataError
from assay.kernels.statistics.prediction_powered import Population
from assay.limits import check_share
from assay.metaeval.correction.estimates import Correction, GroupMean, estimates
from assay.metaeval.correction.labels import LabeledUnits, matchups_with_labels, outputs_with_labels
from assay.metaeval.questions.question import signature
from assay.part import Bounded, Cell, Number, Part, Picture, Table
from assay.plot import Figure
from assay.records import Dataset
from assay.run.scoring import ScoringOptions
from assay.scores import Column

CITE = "Angelopoulos, Duchi and Zrnic 2023"


def correct(
    data: Data,
    criterion: str | None,
    judges: Sequence[str],
    *,
    answer: str | None = None,
    ignore: Sequence[str] = (),
    population: Population = "these",
    strata: str | None = None,
    probability: str | None = None,
    draws: int = 500,
    alpha: float = 0.05,
    confidence: float = 0.95,
    seed: int = 0,
    **scoring: Unpack[ScoringOptions],
) -> Part:
    """Estimate what people would say of each system, from the outputs they labeled and a judge of all outputs.

    Args:
        data: outputs, some of which have judgments of people.
        criterion: what people answered; None for the only one there is. Judgments about pairs give win rates.
        judges: annotators of the data, or evaluators; several are joined by a cross-fitted regression.
        answer: a label; its share is estimated instead of a mean.
        ignore: annotators who are no people; those declared to be models are left out anyway.
        population: `these` outputs, or `new` ones from the same systems.
        strata: a column of outputs within whose values the labels are a uniform sample.
        probability: a column with the probability that an output was chosen to be labeled.
        draws: of halves of the labels, on which the method is tried; 0 for none.
        alpha: the level of the tests behind ranks.
        confidence: of the intervals.
        seed: of everything random.
        scoring: how evaluators are scored; see `assay.score`.
    """
    check_share("alpha", alpha)
    check_share("confidence", confidence)
    source = source_of(data, seed, **scoring)
    dataset = source.dataset
    if dataset is None:
        raise DataError("a table of scores holds no judgments. Give the data set with texts and judgments.")
    if not judges:
        raise AssayError("name a judge: an annotator of the data or an evaluator, such as --judge bleu.")
    if strata and probability:
        raise AssayError(
            "labels are stratified or have recorded probabilities. Give one of --strata and --probability."
        )
    criterion = only_criterion(dataset, judges) if criterion is None else criterion
    units, columns = _units(
        source, dataset, criterion, tuple(dict.fromkeys(judges)), answer, ignore, strata, probability
    )
    result = estimates(units, population=population, alpha=alpha, confidence=confidence, draws=draws, seed=seed)
    origin = signature(
        "correct",
        criterion=criterion,
        judges=columns,
        answer=answer,
        ignore=tuple(ignore),
        population=population,
        strata=strata,
        probability=probability,
        draws=draws,
        alpha=alpha,
        confidence=confidence,
        seed=seed,
    )
    return _part(result, answer, origin, confidence, seed)


def _units(
    source: ScoreSource,
    dataset: Dataset,
    criterion: str,
    judges: tuple[str, ...],
    answer: str | None,
    ignore: Sequence[str],
    strata: str | None,
    probability: str | None,
) -> tuple[LabeledUnits, tuple[Column | str, ...]]:
    scores = judge_scores(source, dataset, judges)
    columns = tuple(column or name for name, column in scores.items())
    if criterion in dataset.judgments.about("pair").criteria:
        evaluators = [name for name, column in scores.items() if column is not None]
        if evaluators or answer or strata or probability:
            raise AssayError(
                f"{criterion!r} compares two outputs: win rates take judges who are annotators, and a uniform sample."
            )
        return matchups_with_labels(dataset, criterion, judges, ignore=ignore), columns
    values = {name: None if column is None else column.values.copy() for name, column in scores.items()}
    units = outputs_with_labels(
        dataset, criterion, values, ignore=ignore, answer=answer, strata=strata, probability=probability
    )
    return units, columns


def _part(result: Correction, answer: str | None, origin: str, confidence: float, seed: int) -> Part:
    units = result.units
    n = sum(one.n for one in result.means)
    what = f"the share of {answer!r}" if answer else f"the mean of {units.criterion}"
    where = "these outputs" if result.population == "these" else "new outputs of the same systems"
    return Part(
        title="Corrected by labels",
        summary=f"{what} over {where}, had people labeled all: {counted(n, 'label')} on "
        f"{counted(len(units.label), 'unit')}, and {listed(units.judges)} on all of them (PPI++, lambda "
        f"{result.weight:.2f}). {confidence:.0%} intervals; outputs of one item are one observation.{_tried(result)}",
        answers={"best": _best(result), "next": _next(result)},
        numbers=tuple(_numbers(result, origin)),
        tables=tuple(_tables(result)),
        pictures=(_picture(result),),
        methods=(origin, CITE),
        notes=tuple(_notes(result)),
        seed=seed,
    )


def _tried(result: Correction) -> str:
    tried = result.tried
    if tried is None:
        return ""
    return (
        f" Tried on halves of the labels, {tried.draws:,} times: the interval held their mean in "
        f"{tried.coverage:.1%} of cases (plain intervals: {tried.plain_coverage:.1%}), at "
        f"{tried.width_ratio:.2f} times the plain width."
    )


def _numbers(result: Correction, origin: str) -> Iterator[Number]:
    for one in result.means:
        about = {
            "system": one.group,
            "n_units": one.n_units,
            "plain": one.plain,
            "plain_interval": [one.plain_low, one.plain_high],
            "judge_mean": one.judge,
            "worth": one.worth,
            "labels_to_halve": one.labels_to_halve,
            "rank_interval": [one.rank_low, one.rank_high],
            "lambda": result.weight,
        }
        yield Number("mean", one.value, one.n, origin, 0, one.low, one.high, one.reason, about)
    n = sum(one.n for one in result.means)
    reasons = {one.group: one.reason for one in result.means}
    for two in result.differences:
        about = {"left": two.left, "right": two.right, "p_value": two.p_value, "p_adjusted": two.p_adjusted}
        reason = "" if two.low < two.high else reasons[two.left] or reasons[two.right]
        yield Number("difference", two.value, n, origin, 0, two.low, two.high, reason, about)
    if result.tried is not None:
        why = f"the share of {result.tried.draws} draws"
        for name, value in (("coverage", result.tried.coverage), ("plain coverage", result.tried.plain_coverage)):
            yield Number(name, value, n, origin, reason=why, about={"width_ratio": result.tried.width_ratio})


def _tables(result: Correction) -> Iterator[Table]:
    ordered = _ordered(result)
    rows: list[tuple[Cell, ...]] = [
        (
            one.group,
            Bounded(one.value, one.low, one.high),
            Bounded(one.plain, one.plain_low, one.plain_high),
            one.judge,
            one.n,
            one.n_units,
            one.worth,
            one.labels_to_halve,
            f"{one.rank_low}-{one.rank_high}",
        )
        for one in ordered
    ]
    header = ("system", "corrected", "labels alone", "judge alone", "labels", "units", "one label is worth")
    note = "One label is worth that many labels without the judge. Ranks hold for all systems at once."
    if all(one.n == one.n_units for one in result.means) and result.population == "these":
        note = "Every output is labeled: means and ranks are those of the labels, and nothing is left to estimate."
    yield Table("correct", "Corrected means", (*header, "labels for half the width", "ranks"), tuple(rows), note)
    if result.differences:
        pairs: list[tuple[Cell, ...]] = [
            (two.left, two.right, Bounded(two.value, two.low, two.high), two.p_value, two.p_adjusted)
            for two in result.differences
        ]
        columns = ("left", "right", "difference", "p", "p (holm)")
        yield Table("correct_pairs", "Differences, left minus right", columns, tuple(pairs))


def _ordered(result: Correction) -> list[GroupMean]:
    return sorted(result.means, key=lambda one: (isnan(one.value), -one.value if one.value == one.value else 0.0))


def _picture(result: Correction) -> Picture:
    shown = [one for one in _ordered(result) if not isnan(one.low)]
    caption = "Means corrected by the judge, and of the labels alone, with their intervals."
    figure = Figure(
        "Corrected means", result.units.criterion, y_categories=[one.group for one in shown], description=caption
    )
    for name, shift, ends in (
        ("corrected", -0.12, [(one.value, one.low, one.high) for one in shown]),
        ("labels alone", 0.12, [(one.plain, one.plain_low, one.plain_high) for one in shown]),
    ):
        color = 0 if name == "corrected" else 1
        places = [at + shift for at in range(len(shown))]
        values, low, high = (list(column) for column in zip(*ends, strict=True)) if ends else ([], [], [])
        figure.intervals(values, low, high, positions=places, color=color)
        figure.points(values, places, name=name, color=color)
    return Picture.of("correct", figure, caption)


def _best(result: Correction) -> list[str]:
    known = [one for one in _ordered(result) if not isnan(one.low) or one.n == one.n_units > 0]
    if len(known) < 2 or " over " in known[0].group:
        return []
    first = known[0]
    others = [one.group for one in known if one.rank_low == 1 and one is not first]
    about = "every output is labeled" if isnan(first.low) else interval(first.low, first.high)
    numbers = f"{first.value:.2f} ({about})"
    if not others:
        return [f"By people's {result.units.criterion}, {first.group} is best: {numbers}."]
    return [
        f"By people's {result.units.criterion}, {first.group} leads with {numbers}, but may equal {listed(others)}."
    ]


def _next(result: Correction) -> list[str]:
    worths = [one.worth for one in result.means if not isnan(one.worth)]
    if not worths and all(one.n == one.n_units for one in result.means):
        return []
    if not worths:
        return ["Label more outputs: no system has enough labels for an interval."]
    worth = sum(worths) / len(worths)
    halves = [one.labels_to_halve for one in result.means]
    known = [n for n in halves if n is not None]
    more = (
        f" About {sum(known):,} labels in all would halve the intervals." if known and len(known) == len(halves) else ""
    )
    return [f"With {listed(result.units.judges)}, one human label is worth {worth:.2f} without.{more}"]


def _notes(result: Correction) -> Iterator[str]:
    if result.units.n_unpredicted:
        gaps = counted(result.units.n_unpredicted, "unit")
        yield f"{gaps} without an answer of a judge: the mean of the system is used."
    if result.n_floored:
        floored = counted(result.n_floored, "mean")
        yield f"the variance of {floored} is at its floor: so few errors show little about the rest."
    for one in result.means:
        if one.reason:
            yield f"{one.group}: {one.reason}."
