"""Small score tables with systems, items, ties and gaps, for the tests of meta-evaluation."""

import numpy as np

from assay.scores import Column, ScoreTable
from assay.text.strings import Strings


def score_table(n_items=20, n_systems=5, n_candidates=3, *, seed=0, gaps=0.0, kind="output", outputs_per_item=1):
    """A target `human` with tied ratings and candidates m0, m1, ... of falling quality."""
    rng = np.random.default_rng(seed)
    item, system, _ = (code.ravel() for code in np.indices((n_items, n_systems, outputs_per_item)))
    quality = 0.6 * rng.normal(size=n_systems)[system] + 0.6 * rng.normal(size=n_items)[item]
    quality += 0.5 * rng.normal(size=len(item))
    columns = {"human": np.clip(np.round(2 + quality + 0.5 * rng.normal(size=len(item))), 0, 5)}
    for j in range(n_candidates):
        columns[f"m{j}"] = quality + (0.5 + j) * rng.normal(size=len(item))
    for values in columns.values():
        values[rng.random(len(item)) < gaps] = np.nan
    return table_of(columns, [f"i{i}" for i in item], [f"s{s}" for s in system], kind=kind)


def table_of(columns, items, systems, *, kind="output", **about):
    n = len(items)
    return ScoreTable(
        kind,
        Strings.of([f"u{row}" for row in range(n)]),
        Strings.of(items),
        Strings.of(systems),
        {name: Column.of(name, list(values), **about.get(name, {})) for name, values in columns.items()},
    )
