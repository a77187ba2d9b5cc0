"""Meta-evaluations and comparisons of systems as tables a paper can print."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from assay.metaeval.questions.contrast import Contrast
from assay.metaeval.questions.correlation import Correlation
from assay.metaeval.questions.study import Answers
from assay.part import Cell, Part, Table


def render(form: str, title: str, header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Write one table."""
    return Part("", "", tables=(Table("", title, tuple(header), tuple(map(tuple, rows))),)).render(form)


MOST_PAIRS = 15
"""Longer lists of pairs are for --json."""


def render_answers(answers: Answers, form: str) -> str:
    """All tables of a meta-evaluation, as text, markdown or latex."""
    tables = [*_correlations(answers, form), *_comparisons(answers, form), *_matrices(answers, form)]
    tables += [*_sides(answers, form), *_rankings(answers, form)]
    return "\n".join(tables)


def _correlations(answers: Answers, form: str) -> list[str]:
    tables = []
    for level, grouping in dict.fromkeys((part.level, part.grouping) for part in answers.correlations):
        mine = [part for part in answers.correlations if (part.level, part.grouping) == (level, grouping)]
        statistics = list(dict.fromkeys(part.statistic for part in mine))
        header = [
            "evaluator",
            *(cell for name in statistics for cell in (name, "interval")),
            "n",
            "missing",
            "coverage",
        ]
        rows = [_correlation_row(mine, name) for name in dict.fromkeys(part.candidate for part in mine)]
        first = mine[0]
        title = f"Agreement with {first.target}, {level} level"
        title += "" if grouping == "pooled" else f", mean over {grouping}s"
        title += f" ({first.confidence:.0%} {first.interval} intervals, {_made_of(first)}, seed {first.seed})"
        tables.append(render(form, title, header, rows))
        reasons = [f"{part.candidate}, {part.statistic}: {part.reason}" for part in mine if part.reason]
        if reasons:
            tables.append("\n".join(reasons) + "\n")
    return tables


def _made_of(row: Correlation) -> str:
    drawn = " and ".join(row.resampled)
    if row.interval == "t" and row.resamples:
        return f"jackknife of {drawn}"
    return f"{row.resamples} resamples of {drawn}"


def _correlation_row(parts: Sequence[Correlation], candidate: str) -> list[Cell]:
    own = [part for part in parts if part.candidate == candidate]
    cells: list[Cell] = [candidate]
    for part in own:
        cells += [part.value, _interval(part.low, part.high)]
    return [*cells, own[0].n, own[0].n_missing, own[0].coverage]


def _comparisons(answers: Answers, form: str) -> list[str]:
    """One table of all pairs, where they are few, and one of all clusters."""
    if not answers.comparisons:
        return []
    tables = []
    first = answers.comparisons[0]
    if len(answers.comparisons) <= MOST_PAIRS * len(answers.clusters):
        header = ["level", "grouping", "statistic", "left", "right", "difference", "interval", "p"]
        header += [f"p ({first.correction})", "n", "test"]
        title = "Do they differ? Left minus right"
        tables.append(render(form, title, header, list(map(_pair, answers.comparisons))))
    rows: list[list[Cell]] = [
        [found.level, found.grouping, found.statistic, at, ", ".join(cluster)]
        for found in answers.clusters
        for at, cluster in enumerate(found.clusters, 1)
    ]
    title = f"Clusters, best first (alpha {answers.clusters[0].alpha}, {first.correction})"
    tables.append(render(form, title, ["level", "grouping", "statistic", "cluster", "evaluators"], rows))
    return tables


def _pair(part: Contrast) -> list[Cell]:
    test = f"{part.test} of {', '.join(part.swapped)}" if part.swapped else part.test
    setting = [part.level, part.grouping, part.statistic, part.left, part.right]
    return [*setting, part.difference, _interval(part.low, part.high), part.p_value, part.p_adjusted, part.n, test]


def _matrices(answers: Answers, form: str) -> list[str]:
    """The first statistic of each level; --json has them all."""
    tables = []
    for level in dict.fromkeys(matrix.level for matrix in answers.matrices):
        matrix = next(part for part in answers.matrices if part.level == level)
        if len(matrix.names) < 3:
            continue
        rows: list[list[Cell]] = [[name, *values] for name, values in zip(matrix.names, matrix.values, strict=True)]
        tables.append(
            render(form, f"Evaluator by evaluator: {matrix.statistic}, {level} level", ["", *matrix.names], rows)
        )
    return tables


def _sides(answers: Answers, form: str) -> list[str]:
    if not answers.between_within:
        return []
    header = ["evaluator", "statistic", "between systems", "within systems", "pooled", "systems", "units"]
    rows: list[list[Cell]] = [
        [part.candidate, part.statistic, part.between, part.within, part.pooled, part.n_systems, part.n_units]
        for part in answers.between_within
    ]
    return [render(form, f"Between and within systems, with {answers.between_within[0].target}", header, rows)]


def _rankings(answers: Answers, form: str) -> list[str]:
    tables = []
    for name in dict.fromkeys(part.evaluator for part in answers.rankings):
        rows: list[list[Cell]] = [
            [
                part.rank,
                part.system,
                part.score,
                _interval(part.low, part.high),
                "-" if isnan(part.rank_low) else f"{part.rank_low:.0f}-{part.rank_high:.0f}",
                part.n,
            ]
            for part in answers.rankings
            if part.evaluator == name
        ]
        header = ["rank", "system", "score", "interval", "ranks", "n"]
        tables.append(render(form, f"Systems by {name}", header, rows))
    if answers.leave_one_out:
        changed: list[list[Cell]] = [
            [part.candidate, part.statistic, part.level, part.change, part.value, part.shift, part.n]
            for part in answers.leave_one_out
        ]
        header = ["evaluator", "statistic", "level", "systems", "value", "shift", "n"]
        tables.append(render(form, "One system more or less", header, changed))
    return tables


def _interval(low: float, high: float) -> str:
    return "-" if isnan(low) or isnan(high) else f"[{low:.3f}, {high:.3f}]"
