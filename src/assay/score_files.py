"""Read score tables so that they can be pooled: `finish` is looked up by signature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, DataError, EvaluatorError
from assay.evaluator import Additive, Evaluator
from assay.io.score_parts import is_score_folder, read_score_folder
from assay.io.score_tables import read_scores
from assay.registry import parse
from assay.scores import Column, Finish, ScoreTable

# Two computers may differ in the last bits of a logarithm; an edited score differs by more.
TOLERANCE = 1e-9


def load_scores(path: str | Path, evaluators: Sequence[Evaluator] = ()) -> ScoreTable:
    """Read a score table, as written by `assay score -o`, `save_scores` or another program.

    Args:
        path: a .csv, .tsv, .json or .parquet file, or a folder of parts.
        evaluators: those that are not in the registry, whose scores could not be pooled otherwise.
    """
    table = read_score_folder(Path(path)) if is_score_folder(path) else read_scores(path)
    local = {evaluator.signature: evaluator for evaluator in evaluators}
    return replace(table, columns={name: _finished(path, column, local) for name, column in table.columns.items()})


def _finished(path: str | Path, column: Column, local: dict[str, Evaluator]) -> Column:
    """The column with the `finish` of its evaluator."""
    if column.statistics is None:
        return column
    try:
        evaluator = local.get(column.signature) or parse(column.signature)
        if evaluator.signature != column.signature:
            raise EvaluatorError(f"here it is {evaluator.signature!r}.")
        if not isinstance(evaluator.shape, Additive):
            raise EvaluatorError("it does not add up statistics.")
    except AssayError as error:
        return replace(column, finish=_cannot_finish(path, column, error))
    _check(path, column, evaluator.shape)
    return replace(column, finish=evaluator.shape.pooled)


def _cannot_finish(path: str | Path, column: Column, why: AssayError) -> Finish:
    """Refuse only when scores are pooled; pooling by the mean instead would give another number."""

    def refuse(sums: NDArray[np.float64]) -> NoReturn:
        raise EvaluatorError(
            f"{path}: the scores of {column.name!r} cannot be pooled, since their evaluator is not known here: {why} "
            f"Install what {column.signature!r} names, or score at the level you need."
        )

    return refuse


def _check(path: str | Path, column: Column, shape: Additive) -> None:
    """Check that the statistics still give the scores: one of the two may have been edited."""
    assert column.statistics is not None
    rows = np.flatnonzero(~np.isnan(column.values))
    scores, statistics = column.values[rows], column.statistics[rows]
    if not len(rows) or any(_same(finish(statistics), scores) for finish in (shape.finish, shape.pooled)):
        return
    raise DataError(
        f"{path}: the statistics of {column.name!r} do not give its scores, so one of the two was changed. "
        "Score again, or remove the column that describes it: its scores are then taken as is."
    )


def _same(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    return bool(np.allclose(one, other, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True))
