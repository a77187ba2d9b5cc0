"""A table of scores as a result: a score per system, what is missing, and the texts that explain scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import nan

import numpy as np

from assay.analyses.sources import ScoreSource, tables_by_unit
from assay.analyses.system_scores import scores_of, system_scores
from assay.io.score_tables import scores_as_csv
from assay.listening import has_beliefs, share_of_hits
from assay.part import Cell, Number, Part, Table
from assay.part.visible import visible_line
from assay.registry import parse
from assay.run.part_estimate import Estimate
from assay.run.part_plan import outputs_within, size_text
from assay.run.parts import ScoredParts
from assay.scores import Column, ScoreTable

# Explained units shown: this many of the lowest scores, of the highest, and of the gaps.
N_EXPLAINED = 3
# Longest explanation shown, in characters.
N_SHOWN = 300
RANKS = "Ranks are those of the scores as they are; how sure a rank is depends on the intervals."
SLOW = "CPU s per million outputs, alone"
NO_INTERVAL = "scored, not compared: `assay compare` has intervals"


def scores_part(table: ScoreTable, *, texts: bool = False) -> Part:
    """Show a table by system; with `texts`, also what evaluators left beside the scores of single units."""
    by_evaluator = {name: _numbers(table, name) for name in table.columns}
    explained: list[tuple[Cell, ...]] = [
        (name, unit, text)
        for name, column in table.columns.items()
        for unit, text in zip(table.unit, column.texts or (), strict=column.texts is not None)
        if text
    ]
    heard = {name: column for name, column in table.columns.items() if has_beliefs(column)}
    hits = [_share_of_hits(name, column) for name, column in heard.items()]
    shown = [replace(overview(by_evaluator), title="")]
    if hits:
        cells = tuple((number.about["evaluator"], number.value, number.n) for number in hits)
        shown.append(Table("hits", "How often the likeliest choice is the target", ("listener", "share", "n"), cells))
    if texts and explained:
        shown.append(Table("texts", "Texts beside scores", ("evaluator", "unit", "text"), tuple(explained)))
    return Part(
        title="Scores",
        summary="",
        numbers=(*(number for numbers in by_evaluator.values() for number in numbers), *hits),
        tables=tuple(shown),
        methods=tuple(column.signature for column in table.columns.values()),
        notes=(*table.notes, *missing(table)),
        seed=table.seed,
    )


def parts_part(scored: ScoredParts) -> Part:
    """Show scores of data in parts by system."""
    by_evaluator: dict[str, list[Number]] = {}
    for name, column in scored.systems.columns.items():
        by_evaluator[name] = [
            Number(
                "score",
                value,
                sums.n,
                column.signature,
                sum(sums.reasons.values()),
                reason=column.gaps[row] or NO_INTERVAL,
                about={"system": system, "evaluator": name, "unit": scored.kind, "missing": dict(sums.reasons)},
            )
            for row, (value, (system, sums)) in enumerate(
                zip(column.values.tolist(), scored.sums[name].systems.items(), strict=True)
            )
        ]
    gaps = [
        f"{name} has no score for {lacking} of {lacking + sum(number.n for number in numbers)} {scored.kind}s."
        for name, numbers in by_evaluator.items()
        if (lacking := sum(number.n_missing for number in numbers))
    ]
    return Part(
        title="Scores",
        summary="",
        answers={"parts without scores": [f"{name}: {why}" for name, why in scored.failures.items()]},
        numbers=tuple(number for numbers in by_evaluator.values() for number in numbers),
        tables=(replace(overview(by_evaluator), title=""),),
        methods=tuple(column.signature for column in scored.systems.columns.values()),
        notes=(*scored.systems.notes, *gaps),
        seed=scored.systems.seed,
    )


def plan_part(estimate: Estimate) -> Part:
    """Show what scoring data in parts will do and take."""
    plan = estimate.plan
    how = {
        **dict.fromkeys(plan.mapped, "part by part"),
        **dict.fromkeys(plan.pooled, "part by part, with the pool of references of all parts"),
        **dict.fromkeys(plan.counted, "part by part, after the counts of all parts"),
        **dict.fromkeys(plan.trained, "fitted once on the training data, then part by part"),
        **dict.fromkeys(plan.by_system, "one system after the other"),
        **{name: f"all the data in one process: {why}" for name, (_, why) in plan.gathered.items()},
        **{
            name: f"fitted on all the data in one process, then part by part: {plan.gathered[name][1]}"
            for name in plan.cross_fitted
        },
    }
    rows = tuple((name, text, estimate.seconds_per_million.get(name, nan)) for name, text in how.items())
    facts: list[tuple[Cell, ...]] = [
        ("parts", f"{estimate.n_parts:,}"),
        ("outputs", f"about {plan.n_outputs:,}"),
        ("unit", plan.kind),
        ("passes", ", then ".join(estimate.passes)),
        ("bytes per pass over all columns", size_text(estimate.n_bytes)),
        ("memory per worker", f"about {size_text(plan.part_bytes)}"),
        ("workers", str(estimate.n_workers)),
        ("CPU, part by part", f"about {estimate.cpu_seconds:,.0f} s"),
        ("time, part by part", f"about {estimate.seconds:,.0f} s if workers do nothing else"),
    ]
    if plan.counted:
        facts.append(("counts over all parts, in each process", f"at most {size_text(estimate.count_bytes)}"))
    if plan.pooled:
        taken = _within(estimate.gather, plan.n_pooled, plan.pool_bytes)
        facts.append(("memory for the pools of references, in each process", taken))
    if plan.by_system:
        facts.append(("memory for the largest system", _within(estimate.gather, plan.n_largest, plan.system_bytes)))
    if plan.gathered:
        taken = _within(estimate.gather, plan.n_outputs, plan.whole_bytes)
        facts.append(("memory of the process that has all the data", taken))
    return Part(
        title="Plan",
        summary="",
        tables=(
            Table("plan", "", ("what", "how much"), tuple(facts)),
            Table("evaluators", "How each evaluator is distributed", ("evaluator", "how", SLOW), rows),
        ),
        notes=("Nothing was scored. Time and memory are estimated from a part.",),
    )


def _within(limit: int, n: int, needed: int) -> str:
    """What so many outputs take, and how many are the most."""
    most = outputs_within(limit, n, needed)
    return f"about {size_text(needed)}; at most {size_text(limit)} (--gather), about {most:,} outputs"


def study_scores(
    source: ScoreSource, evaluators: Sequence[str], progress: Callable[[int, int], None] | None = None
) -> Part:
    """Score the systems, with intervals over items, and every unit, each evaluator at its own unit."""
    by_evaluator = system_scores(source, evaluators, progress)
    tables = {f"{table.kind}s": table for table in tables_by_unit(source, evaluators)}
    numbers = tuple(number for scores in by_evaluator.values() for number in scores)
    cited = [(scores[0].signature, parse(name).about.cite) for name, scores in by_evaluator.items()]
    return Part(
        title="Scores",
        summary=(
            f"{len(evaluators)} evaluators. Each number is about a whole system, with a 95% interval over items. The "
            f"scores of single units are in {', '.join(f'scores/{name}.csv' for name in tables)}."
        ),
        answers={"missing": [line for table in tables.values() for line in missing(table)]},
        numbers=numbers,
        scores={name: scores_as_csv(table) for name, table in tables.items()},
        tables=(_leaderboard(by_evaluator, tables), _with_intervals(numbers), *_explained(tables)),
        methods=tuple(line for pair in cited for line in pair if line),
    )


def overview(by_evaluator: Mapping[str, list[Number]]) -> Table:
    """A row per system, a column per evaluator."""
    rows: dict[str, dict[str, float]] = {}
    for name, numbers in by_evaluator.items():
        for number in numbers:
            rows.setdefault(number.about["system"], {})[name] = number.value
    cells: list[tuple[Cell, ...]] = [
        (system, *(row.get(name) for name in by_evaluator)) for system, row in rows.items()
    ]
    return Table("scores", "Scores of systems", ("system", *by_evaluator), tuple(cells))


def _leaderboard(by_evaluator: Mapping[str, list[Number]], tables: Mapping[str, ScoreTable]) -> Table:
    """The systems ranked by the first evaluator that has a direction; a page ranks them by any other."""
    directions = {name: column.higher_is_better for table in tables.values() for name, column in table.columns.items()}
    better = [{True: 1, False: -1, None: 0}[directions[name]] for name in by_evaluator]
    plain = overview(by_evaluator)
    ranks: dict[int, int] = {}
    if any(better):
        at = next(place for place, sign in enumerate(better) if sign)
        values = [better[at] * _number_or_nan(row[at + 1]) for row in plain.rows]
        known = {row: value for row, value in enumerate(values) if value == value}
        ranks = {row: 1 + sum(other > value for other in known.values()) for row, value in known.items()}
    order = sorted(range(len(plain.rows)), key=lambda row: ranks.get(row, len(plain.rows) + 1))
    return replace(
        plain,
        title="Leaderboard",
        header=("rank", *plain.header),
        rows=tuple((ranks.get(row), *plain.rows[row]) for row in order),
        better=(0, 0, *better),
        note=f"{RANKS} {_cautions(tables)}".strip(),
    )


def _number_or_nan(cell: Cell) -> float:
    return float(cell) if isinstance(cell, int | float) else float("nan")


def missing(table: ScoreTable) -> list[str]:
    """How many units have no score, and why."""
    sentences = []
    for name, column in table.columns.items():
        if column.n_missing:
            reasons = ", ".join(f"{reason}: {n}" for reason, n in column.gaps.counts().items())
            sentences.append(f"{name} has no score for {column.n_missing} of {len(table)} {table.kind}s ({reasons}).")
    return sentences


def _share_of_hits(name: str, column: Column) -> Number:
    share, n = share_of_hits(column)
    return Number(
        "share of hits", share, n, column.signature, len(column) - n, reason=NO_INTERVAL, about={"evaluator": name}
    )


def _numbers(table: ScoreTable, name: str) -> list[Number]:
    return [replace(number, reason=number.reason or NO_INTERVAL) for number in scores_of(table, name, None)]


def _cautions(tables: Mapping[str, ScoreTable]) -> str:
    """Caveats of comparing systems by these scores."""
    return " ".join(f"{note}." for table in tables.values() for note in dict.fromkeys(table.notes))


def _with_intervals(numbers: tuple[Number, ...]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (a["evaluator"], a["system"], n.cell, a["unit"], n.n, n.n_missing) for n in numbers for a in (n.about,)
    ]
    header = ("evaluator", "system", "score", "unit", "n", "missing")
    return Table("scores_with_intervals", "The same with intervals", header, tuple(rows))


def _explained(tables: Mapping[str, ScoreTable]) -> Iterator[Table]:
    """Explained units: the lowest and highest scores, and some gaps."""
    rows: list[tuple[Cell, ...]] = []
    for table in tables.values():
        for name, column in table.columns.items():
            rows += [
                (name, table.unit[row], table.system[row], float(column.values[row]), _shown(column, row))
                for row in _extremes(column)
            ]
    if rows:
        header = ("evaluator", "unit", "system", "score", "text")
        yield Table("explained", "Scores with their explanations", header, tuple(rows), "All are in scores/.")


def _extremes(column: Column) -> list[int]:
    if column.texts is None:
        return []
    explained = np.flatnonzero(column.texts.lengths > 0)
    order = explained[np.argsort(column.values[explained], kind="stable")]
    gaps = order[np.isnan(column.values[order])][:N_EXPLAINED]
    scored = order[~np.isnan(column.values[order])]
    ends = scored if len(scored) <= 2 * N_EXPLAINED else np.concatenate([scored[:N_EXPLAINED], scored[-N_EXPLAINED:]])
    return [*ends.tolist(), *gaps.tolist()]


def _shown(column: Column, row: int) -> str:
    assert column.texts is not None
    text = column.texts[row]
    text = text if len(text) <= N_SHOWN else f"{text[:N_SHOWN]} ..."
    return visible_line(f"({column.gaps[row]}) {text}" if column.gaps[row] else text)
