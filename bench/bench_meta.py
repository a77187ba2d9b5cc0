"""Bootstraps of correlations against loops over scipy; a whole meta-evaluation, with its memory.

The peer's loop is timed on some of the resamples and extrapolated, as noted in the row; results are asserted equal.
"""

import resource
from math import nan

import numpy as np
from scipy import stats

from assay.kernels.statistics.resample import Block, bootstrap_counts, map_blocks
from assay.kernels.statistics.weighted import weighted_kendall, weighted_pearson, weighted_spearman
from assay.metaeval.questions.correlation import Inquiry, correlate
from assay.metaeval.questions.question import Question, Resampling
from assay.scores import Column, ScoreTable
from assay.text.strings import Strings
from bench.table import Row, best_cpu

N_RESAMPLES, N_COLUMNS, N_UNITS = 10_000, 20, 2_000
FAMILIES = (
    ("Pearson", weighted_pearson, lambda x, y: stats.pearsonr(x, y)[0], 20, 3),
    ("Spearman", weighted_spearman, lambda x, y: stats.spearmanr(x, y)[0], 10, 2),
    ("Kendall tau-b", weighted_kendall, lambda x, y: stats.kendalltau(x, y)[0], 5, 1),
)


def rows() -> list[Row]:
    result = []
    columns, target = scores(N_UNITS, N_COLUMNS)
    for name, ours, peer, n_timed, repeats in FAMILIES:
        draws = np.concatenate([bootstrap_counts(np.random.default_rng(0), n_timed, N_UNITS)])
        expected = scipy_loop(peer, draws, columns, target)
        assert np.abs(ours(columns, target)(draws) - expected).max() < 1e-9
        timed = best_cpu(lambda peer=peer, draws=draws: scipy_loop(peer, draws, columns, target), 1)
        result.append(
            Row(
                f"bootstrap of {name}",
                "scipy loop",
                timed * N_RESAMPLES / n_timed,
                best_cpu(lambda ours=ours: bootstrap(ours, columns, target), repeats),
                f"{N_RESAMPLES:,} resamples x {N_COLUMNS} x {N_UNITS:,}; peer scaled from {n_timed} resamples",
            )
        )
    table = score_table(2_000, 10)
    item_bootstrap = Resampling(1000, ("items",), "percentile")
    for resampling, label in (
        (Resampling(), "jackknife of items and systems"),
        (item_bootstrap, "1,000 resamples of items"),
    ):
        for statistic in ("pearson", "spearman"):
            question = Question("human", statistics=(statistic,), levels=("output",), resampling=resampling)
            correlate(Inquiry(table, question))
            seconds = best_cpu(lambda question=question: correlate(Inquiry(table, question)), 3)
            note = f"{label}, 20 evaluators x 2,000 items x 10 systems; peak memory {peak():.0f} MB"
            result.append(Row(f"intervals of {statistic}", "", nan, seconds, note))
    return result


def scores(n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns correlated with tied ratings, some of them with ties too."""
    rng = np.random.default_rng(1)
    target = np.round(rng.normal(size=n), 1)
    columns = target[:, None] + rng.normal(size=(n, m)) * np.linspace(0.5, 3, m)
    columns[:, ::4] = np.maximum(np.round(columns[:, ::4], 2), 0)
    return columns, target


def score_table(n_items: int, n_systems: int) -> ScoreTable:
    columns, target = scores(n_items * n_systems, N_COLUMNS)
    item, system = (code.ravel() for code in np.indices((n_items, n_systems)))
    named_columns = {"human": target} | {f"m{j}": column for j, column in enumerate(columns.T)}
    return ScoreTable(
        "output",
        Strings.of(map(str, range(len(item)))),
        Strings.of(map(str, item)),
        Strings.of(map(str, system)),
        {name: Column.of(name, values.tolist()) for name, values in named_columns.items()},
    )


def bootstrap(statistic, columns: np.ndarray, target: np.ndarray) -> np.ndarray:
    under = statistic(columns, target)

    def task(block: Block) -> np.ndarray:
        return under(bootstrap_counts(block.rng(0), block.size, len(target)))

    return np.concatenate(map_blocks(task, N_RESAMPLES, 0))


def scipy_loop(statistic, draws: np.ndarray, columns: np.ndarray, target: np.ndarray) -> np.ndarray:
    values = np.empty((len(draws), columns.shape[1]))
    for b, row in enumerate(draws):
        resample = np.repeat(np.arange(len(target)), row)
        for j in range(columns.shape[1]):
            values[b, j] = statistic(columns[resample, j], target[resample])
    return values


def peak() -> float:
    """Peak memory of this process in MB, including Python and the compiler."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
