"""Figures of the diversity tests: each metric has its own file."""

import numpy as np

from assay import Column, ScoreTable
from assay.report.diversity_figures import draw_scatters
from assay.text.strings import Strings


def test_metrics_with_like_names_have_files_of_their_own() -> None:
    names = ["column('a b')", "column('a-b')", "column('A-b')", "distinct"]
    ids = Strings.of(["1", "2", "3"])
    table = ScoreTable("set", ids, ids, ids, {name: Column.of(name, [1.0, 2.0, 3.0]) for name in names}, 0, ())
    figures = draw_scatters(table, np.array([1.0, 2.0, 3.0]), "temperature")
    assert len({name.lower() for name in figures}) == len(names)
    assert "dectest-distinct" in figures
