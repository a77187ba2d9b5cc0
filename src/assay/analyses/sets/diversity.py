"""How diverse each system's outputs for one item are, by several metrics, and beside human texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from assay.analyses.sources import ScoreSource, people_of, tables_by_unit
from assay.analyses.system_scores import best_first, ranking_picture, system_scores
from assay.analyses.words import ALPHA, counted, listed
from assay.metaeval.sets.against_people import AgainstPeople, against_people
from assay.part import Bounded, Number, Part, Table
from assay.records import Dataset
from assay.records.equal_sets import EqualSets, equal_sets
from assay.registry import parse


def diversity(
    source: ScoreSource,
    dataset: Dataset,
    metrics: Sequence[str],
    score_from: Callable[[Dataset], ScoreSource],
    seed: int = 0,
) -> Part:
    """Rank the systems by each metric, and compare each with human texts.

    Args:
        source: the scores of the data set.
        dataset: sets of outputs.
        metrics: evaluators of sets.
        score_from: scores of another data set, for sets cut to equal sizes.
        seed: of that draw.
    """
    drawn = equal_sets(dataset, np.random.default_rng(seed))
    equal = source if drawn is None or not drawn.drawn else score_from(drawn.dataset)
    by_source = [
        (source, [name for name in metrics if not _reads_texts(name)]),
        (equal, [name for name in metrics if _reads_texts(name)]),
    ]
    scored = {name: numbers for own, names in by_source for name, numbers in system_scores(own, names).items()}
    by_metric = {name: scored[name] for name in metrics}
    people = people_of(source)
    compared = {name: _against(own, name, people) for own, names in by_source for name in names}
    cited = [(numbers[0].signature, parse(name).about.cite) for name, numbers in by_metric.items()]
    return Part(
        title="Diversity",
        summary=(
            f"{len(by_metric)} metrics over {len(dataset.sets)} sets of outputs, the most diverse system first. "
            f"{_sizes(drawn)}"
            "A metric of form (words, n-grams) can rise with noise: [contest] and [dectest] say what it follows."
        ),
        answers={"wrong": less_diverse(compared)},
        numbers=tuple(number for numbers in by_metric.values() for number in numbers),
        tables=(_table(by_metric), *_differences(compared)),
        pictures=tuple(ranking_picture(name, numbers) for name, numbers in by_metric.items()),
        methods=tuple(line for pair in cited for line in pair if line),
    )


def less_diverse(compared: Mapping[str, Sequence[AgainstPeople]]) -> list[str]:
    """Name the systems that every metric finds clearly less diverse than people."""
    less = [{one.system for one in some if one.is_less(ALPHA)} for some in compared.values()]
    shared = sorted(set.intersection(*less)) if less else []
    return [f"{listed(shared)}: less diverse than people by every metric."] if shared else []


def _reads_texts(name: str) -> bool:
    """Whether a metric can score a subset; judgments and columns refer to whole sets."""
    return {"columns", "judgments"}.isdisjoint(parse(name).about.needs)


def _against(source: ScoreSource, name: str, people: set[str]) -> list[AgainstPeople]:
    """Compare the systems with human texts by one metric, if it scores sets and there are human texts."""
    (table,) = tables_by_unit(source, [name])
    return against_people(table, name, people) if people and table.kind == "set" else []


def _sizes(drawn: EqualSets | None) -> str:
    if drawn is None or not drawn.drawn:
        return ""
    left_out = f"; {counted(drawn.n_left_out, 'smaller set')} left out" if drawn.n_left_out else ""
    return f"Sets differ in size: metrics of texts see {drawn.size} texts drawn from each{left_out}. "


def _table(by_metric: Mapping[str, Sequence[Number]]) -> Table:
    rows = tuple(
        (name, number.about["rank"], number.about["system"], number.cell, number.n)
        for name, part in by_metric.items()
        for number in best_first(part)
    )
    header = ("metric", "rank", "system", "score", "sets")
    return Table("diversity", "Systems by diversity", header, rows, "Rank 1 is the most diverse.")


def _differences(compared: Mapping[str, Sequence[AgainstPeople]]) -> list[Table]:
    rows = tuple(
        (name, one.system, Bounded(one.difference, one.low, one.high), one.p_value, one.p_holm, one.n)
        for name, some in compared.items()
        for one in some
    )
    if not rows:
        return []
    header = ("metric", "system", "less or more than people", "p", "p (Holm)", "items")
    note = "Below 0 is less diverse than people, whichever way a metric points; over the items that both were given."
    return [Table("diversity-people", "Systems against people", header, rows, note)]
