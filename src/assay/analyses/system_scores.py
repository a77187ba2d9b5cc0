"""Scores of whole systems with intervals over items: what several analyses show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import isnan, nan

from assay.analyses.names import plain_name
from assay.analyses.sources import ScoreSource, tables_by_unit
from assay.metaeval.systems.comparison import rank_systems
from assay.metaeval.systems.ranks import SystemRank
from assay.part import Number, Picture
from assay.plot import Figure
from assay.scores import ScoreTable

WHOLE = "one number for the whole system: nothing to resample"


def system_scores(
    source: ScoreSource, evaluators: Sequence[str], progress: Callable[[int, int], None] | None = None
) -> dict[str, list[Number]]:
    """Score the systems with each evaluator at its own unit."""
    numbers: dict[str, list[Number]] = {}
    for table in tables_by_unit(source, evaluators) if evaluators else []:
        for name in table.columns:
            numbers[name] = scores_of(table, name, rank_systems(table, [name]))
            if progress:
                progress(len(numbers), len(evaluators))
    return {name: numbers[name] for name in evaluators}


def best_first(numbers: Sequence[Number]) -> list[Number]:
    """Systems by rank; those without a score come last."""
    return sorted(numbers, key=lambda number: number.about["rank"] or len(numbers) + 1)


def ranking_picture(name: str, numbers: Sequence[Number]) -> Picture:
    """Draw the systems by one evaluator, best first."""
    shown = [number for number in best_first(numbers) if not isnan(number.value)]
    systems = [number.about["system"] for number in shown]
    figure = Figure(f"Systems by {name}", name, y_categories=systems)
    figure.intervals(
        [number.value for number in shown],
        [number.low for number in shown],
        [number.high for number in shown],
        tooltips=[f"{number.about['system']}: {number.value:.4f}" for number in shown],
    )
    return Picture.of(f"ranking-{plain_name(name)}", figure, f"Scores by {name} with 95% intervals over items.")


def scores_of(
    table: ScoreTable, name: str, ranks: Iterable[SystemRank] | None, chosen: Sequence[str] = ()
) -> list[Number]:
    """The score of every system, or of the chosen ones, with its rank where a ranking is given."""
    ranked = {row.system: row for row in ranks or ()}
    systems = replace(table, columns={name: table[name]}).by_system()
    groups = table.rows_by_system()
    column = systems[name]
    why = WHOLE if table.kind == "system" else ""
    numbers = []
    for row, system in enumerate(systems.unit):
        if chosen and system not in chosen:
            continue
        own = table[name].take(groups[row])
        place = ranked.get(system)
        numbers.append(
            Number(
                "score",
                float(column.values[row]),
                own.n,
                column.signature,
                own.n_missing,
                place.low if place else nan,
                place.high if place else nan,
                column.gaps[row] or why or (place.reason if place else ""),
                {
                    **{"system": system, "evaluator": name, "unit": table.kind, "missing": own.gaps.counts()},
                    **({} if ranks is None else _rank(place)),
                },
            )
        )
    return numbers


def _rank(place: SystemRank | None) -> dict[str, float | list[float] | None]:
    if place is None:
        return {"rank": None, "rank_interval": None}
    known = not isnan(place.rank_low)
    return {"rank": place.rank, "rank_interval": [place.rank_low, place.rank_high] if known else None}
