"""Agreement of evaluators with a target: intervals, differences of two evaluators, and the sentences of a study.

A world has systems, items and outputs, each with an effect on quality; people and evaluators see quality, and each has
leanings of its own towards systems, items and single outputs. All effects are normal, so that the correlations of the
population follow from their variances.
"""

from collections.abc import Callable, Sequence
from math import asin, pi

import numpy as np

from assay.analyses.meta_words import gather, trust
from assay.metaeval.questions.contrast import contrast
from assay.metaeval.questions.correlation import Inquiry, correlate
from assay.metaeval.questions.question import Question
from assay.scores import Column, ScoreTable
from assay.text.strings import Strings
from bench.rates.rate import Rate

Shares = tuple[float, float, float]
"""Variances of systems, items and outputs."""
World = tuple[Shares, Shares]
"""Of the quality that all see, and of the leanings of each column."""
Trial = Callable[[np.random.Generator], bool | None]

ALONE: World = ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0))
LEANING: World = ((0.4, 0.4, 0.2), (0.3, 0.3, 0.3))
BETWEEN: World = ((1.0, 0.0, 0.0), (0.2, 0.0, 1.0))
NAMES = {
    "alone": "independent outputs",
    "leaning": "leanings towards items and systems",
}
STATISTICS: dict[str, Callable[[float], float]] = {
    "pearson": lambda r: r,
    "spearman": lambda r: 6 / pi * asin(r / 2),
    "kendall": lambda r: 2 / pi * asin(r),
}
"""Each statistic of a normal population with correlation r."""


def table(
    rng: np.random.Generator, n_systems: int, n_items: int, world: World, n_evaluators: int, unrelated: bool = False
) -> ScoreTable:
    """People and evaluators that see the same quality equally well; unrelated ones each see another."""
    system, item = (code.ravel() for code in np.indices((n_systems, n_items)))

    def effects(shares: Shares) -> np.ndarray:
        sizes = (n_systems, n_items, len(item))
        parts = [np.sqrt(share) * rng.normal(size=n) for share, n in zip(shares, sizes, strict=True)]
        return parts[0][system] + parts[1][item] + parts[2]

    seen = effects(world[0])
    columns = {"human": seen + effects(world[1])}
    for number in range(n_evaluators):
        columns[f"e{number}"] = (effects(world[0]) if unrelated else seen) + effects(world[1])
    return ScoreTable(
        "output",
        Strings.of(map(str, range(len(item)))),
        Strings.of([f"i{i}" for i in item]),
        Strings.of([f"s{s}" for s in system]),
        {name: Column.of(name, values.tolist()) for name, values in columns.items()},
    )


def population_correlation(world: World, level: str, n_items: int) -> float:
    """What two of the columns have in common, over all outputs or over systems' means."""
    quality, leanings = world
    if level == "output":
        return sum(quality) / (sum(quality) + sum(leanings))
    own, lean = (shares[0] + shares[2] / n_items for shares in (quality, leanings))
    return own / (own + lean)


def covers(statistic: str, level: str, n_systems: int, n_items: int, world: World) -> Trial:
    """Whether the interval of an evaluator's correlation holds that of the population."""
    truth = STATISTICS[statistic](population_correlation(world, level, n_items))

    def trial(rng: np.random.Generator) -> bool | None:
        asked = Question("human", statistics=(statistic,), levels=(level,))
        answer = correlate(Inquiry(table(rng, n_systems, n_items, world, 1), asked))[0]
        return None if np.isnan(answer.low) else answer.low <= truth <= answer.high

    return trial


def differs(statistic: str, level: str, n_systems: int, n_items: int, world: World, n_evaluators: int = 2) -> Trial:
    """Whether any two of some equally good evaluators are called different."""

    def trial(rng: np.random.Generator) -> bool | None:
        asked = Question("human", statistics=(statistic,), levels=(level,))
        pairs, _ = contrast(Inquiry(table(rng, n_systems, n_items, world, n_evaluators), asked))
        p_values = np.array([pair.p_adjusted for pair in pairs])
        return None if np.isnan(p_values).all() else bool((p_values < 0.05).any())

    return trial


def says(words: Sequence[str], n_systems: int, n_items: int, world: World, n: int, unrelated: bool = False) -> Trial:
    """Whether a report says any of some words of a world in which they are false."""

    def trial(rng: np.random.Generator) -> bool:
        scores = table(rng, n_systems, n_items, world, n, unrelated)
        names = tuple(name for name in scores.columns if name != "human")
        sentences = trust(gather(scores, Question("human", names, ("spearman",))))
        claims = [sentence for sentence in sentences if not sentence.startswith(("No evaluator", "Not shown"))]
        return any(word in sentence for sentence in claims for word in words)

    return trial


def _size(n_systems: int, n_items: int, n_evaluators: int = 1) -> str:
    return f"{n_systems} systems, {n_items} items" + ("" if n_evaluators < 3 else f", {n_evaluators} evaluators")


COVERAGE = [
    # (world, level, statistic, systems, items, before, conservative)
    ("alone", "output", "pearson", 8, 30, "92%", True),
    ("leaning", "output", "pearson", 5, 40, "69%", False),
    ("leaning", "output", "pearson", 12, 30, "73%", False),
    ("leaning", "output", "spearman", 5, 40, "68%", False),
    ("leaning", "output", "spearman", 12, 30, "75%", False),
    ("leaning", "output", "kendall", 5, 40, "69%", False),
    ("leaning", "output", "kendall", 12, 30, "75%", False),
    ("leaning", "system", "pearson", 5, 40, "96%", True),
    ("leaning", "system", "pearson", 8, 30, "92%", False),
    ("leaning", "system", "pearson", 12, 30, "92%", False),
    ("leaning", "system", "pearson", 20, 20, "91%", False),
    ("leaning", "system", "spearman", 5, 40, "98%", True),
    ("leaning", "system", "spearman", 8, 30, "99%", True),
    ("leaning", "system", "spearman", 12, 30, "95%", True),
    ("leaning", "system", "spearman", 20, 20, "95%", True),
    ("leaning", "system", "kendall", 5, 40, "98%", True),
    ("leaning", "system", "kendall", 12, 30, "95%", True),
]
DIFFERENCES = [
    # (world, level, statistic, systems, items, evaluators, before)
    ("alone", "output", "pearson", 8, 30, 2, "11%"),
    ("leaning", "output", "pearson", 5, 40, 2, "37%"),
    ("leaning", "output", "pearson", 12, 30, 2, "33%"),
    ("leaning", "output", "spearman", 12, 30, 2, "29%"),
    ("leaning", "output", "kendall", 12, 30, 2, "22%"),
    ("leaning", "system", "pearson", 6, 40, 2, "55%"),
    ("leaning", "system", "pearson", 8, 30, 2, "44%"),
    ("leaning", "system", "pearson", 12, 30, 2, "55%"),
    ("leaning", "system", "pearson", 20, 20, 2, "47%"),
    ("leaning", "system", "spearman", 6, 40, 2, "36%"),
    ("leaning", "system", "spearman", 12, 30, 2, "41%"),
    ("leaning", "system", "kendall", 12, 30, 2, "34%"),
    ("leaning", "output", "pearson", 8, 30, 8, "72%"),
    ("leaning", "system", "pearson", 8, 40, 8, "97%"),
    ("leaning", "system", "pearson", 12, 30, 8, "96%"),
    ("leaning", "system", "spearman", 12, 30, 8, "93%"),
]
WORLDS = {"alone": ALONE, "leaning": LEANING}
ORDER, BEST = ("orders the", "order the"), ("best", "most like", "agrees most")

RATES = [
    *(
        Rate(
            NAMES[world],
            f"interval of {statistic}, {level} level",
            _size(n_systems, n_items),
            "coverage",
            covers(statistic, level, n_systems, n_items, WORLDS[world]),
            before,
            conservative,
        )
        for world, level, statistic, n_systems, n_items, before, conservative in COVERAGE
    ),
    *(
        Rate(
            f"equally good evaluators, {NAMES[world]}",
            f"difference of two {statistic}, {level} level" + (", Holm" if n > 2 else ""),
            _size(n_systems, n_items, n),
            "false positives",
            differs(statistic, level, n_systems, n_items, WORLDS[world], n),
            before,
        )
        for world, level, statistic, n_systems, n_items, n, before in DIFFERENCES
    ),
    Rate(
        "evaluators unrelated to people",
        "`[meta]`: orders the systems",
        _size(5, 30, 8),
        "false sentences",
        says(ORDER, 5, 30, LEANING, 8, unrelated=True),
        "25% (reported)",
    ),
    Rate(
        "evaluators unrelated to people",
        "`[meta]`: orders the systems, follows people",
        _size(10, 20, 8),
        "false sentences",
        says(
            (*ORDER, *BEST, "follow people", "follows people", "follow human", "follows human"),
            10,
            20,
            LEANING,
            8,
            True,
        ),
    ),
    Rate(
        f"equally good evaluators, {NAMES['leaning']}",
        "`[meta]`: best, most like, agrees most",
        _size(10, 20, 6),
        "false sentences",
        says(BEST, 10, 20, LEANING, 6),
    ),
    Rate(
        "evaluators that agree with people between systems only",
        "`[meta]`: best, output by output",
        _size(10, 20, 4),
        "false sentences",
        says(("best, output by output",), 10, 20, BETWEEN, 4),
    ),
]
