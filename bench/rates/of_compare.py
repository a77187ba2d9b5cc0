"""`assay compare` and the sentences of `[generators]`: coverage, false positives, ranks and false sentences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.analyses.gate import gate
from assay.metaeval.systems.comparison import compare_systems
from assay.records import Dataset
from assay.study.step import steps
from assay.study.task import Task
from bench.rates.rate import Rate
from bench.rates.system_worlds import World, corpus_table, corpus_truth, normal, rated, right_or_wrong, skewed, truth

Trial = Callable[[np.random.Generator], bool | None]
SCALES = {
    "ratings of 3 annotators from 1 to 5": rated,
    "scores of 0 or 1": right_or_wrong,
    "skewed scores with zeros": skewed,
}
BETTER = 0.5
"""How much better one of two systems is, in standard deviations of items."""


def covers(world: World, *, shared: bool = True) -> Trial:
    """Whether the interval of the difference holds the true one."""

    def trial(rng: np.random.Generator) -> bool | None:
        difference = compare_systems(world.table(rng, shared=shared))[0][0]
        left, right = truth(world)
        return (
            None if np.isnan(difference.low) else bool(difference.low - 1e-9 <= left - right <= difference.high + 1e-9)
        )

    return trial


def corpus_covers(items: int, shift: float, outputs: int) -> Trial:
    """The same for BLEU of a corpus."""

    def trial(rng: np.random.Generator) -> bool | None:
        difference = compare_systems(corpus_table(rng, items, shift, outputs))[0][0]
        return None if np.isnan(difference.low) else bool(difference.low <= corpus_truth(shift) <= difference.high)

    return trial


def fires(world: World, *, shared: bool = True) -> Trial:
    """Whether any two systems that are alike differ significantly."""

    def trial(rng: np.random.Generator) -> bool:
        return any(pair.p_adjusted < 0.05 for pair in compare_systems(world.table(rng, shared=shared))[0])

    return trial


def lets_pass(world: World) -> Trial:
    """Whether the gate lets a system pass that is no better than the baseline."""

    def trial(rng: np.random.Generator) -> bool:
        return bool(gate(world.table(rng), "s1", ["score"], systems=["s0"]).headline["passed"])

    return trial


def corpus_fires(items: int) -> Trial:
    """The same for BLEU of a corpus."""

    def trial(rng: np.random.Generator) -> bool:
        return compare_systems(corpus_table(rng, items, 0.0))[0][0].p_value < 0.05

    return trial


def score_covers(world: World) -> Trial:
    """Whether the interval of a system's own score holds the true one."""

    def trial(rng: np.random.Generator) -> bool | None:
        rank = {one.system: one for one in compare_systems(world.table(rng))[1][0].ranks}["s0"]
        return None if np.isnan(rank.low) else bool(rank.low <= truth(world)[0] <= rank.high)

    return trial


def ranks_cover(world: World) -> Trial:
    """Whether the intervals of all ranks hold the true ones, each of the ranks that equals share."""

    def trial(rng: np.random.Generator) -> bool:
        real = np.array(truth(world))
        for rank in compare_systems(world.table(rng))[1][0].ranks:
            own = real[int(rank.system[1:])]
            best, worst = 1 + (real > own).sum(), (real >= own).sum()
            if not (rank.rank_low <= best and worst <= rank.rank_high):
                return False
        return True

    return trial


def says_best(world: World) -> Trial:
    """Whether the report says that a generator is above every other one, and it is not."""

    def trial(rng: np.random.Generator) -> bool:
        scores = world.scores(rng)
        rows = [
            {"system": f"s{system}", "item": f"i{item}", "text": "x", "quality": float(scores[item, system, output])}
            for item, system, output in np.ndindex(scores.shape)
        ]
        step = steps()["generators"](evaluators=("column('quality')",))
        sentence = step.run(Task(Dataset.from_records(rows))).answers["best"][0]
        if "above every other" not in sentence:
            return False
        leader = int(sentence.partition(" leads")[0].rpartition("s")[2])
        real = np.array(truth(world))
        return bool((np.delete(real, leader) >= real[leader]).any())

    return trial


def _differences() -> list[Rate]:
    before = {
        rated: ("74.3%", "82.7%", "88.3%", "94.7%", "91.7%"),
        right_or_wrong: ("52.3%", "66.7%", "87.7%", "93.7%", "95.0%"),
        skewed: ("67.0%", "81.3%", "87.3%", "95.3%", "93.0%"),
    }
    return [
        Rate(
            f"one of two systems better, item effects, {name}",
            "compare, interval",
            f"{items} items",
            "coverage",
            covers(World((BETTER, 0.0), items, 1, scale)),
            was,
            conservative=scale is right_or_wrong and items < 10,
        )
        for name, scale in SCALES.items()
        for items, was in zip((3, 5, 10, 30, 100), before[scale], strict=True)
    ]


def _other_intervals() -> list[Rate]:
    better = "one of two systems better"
    rows = [
        (f"{better}, item effects, ratings", "5 items of 4 outputs", covers(World((BETTER, 0), 5, 4, rated)), "82.7%"),
    ]
    for name, scale, items, was in (
        ("ratings", rated, 5, "91.7%"),
        ("ratings", rated, 20, "92.7%"),
        ("skewed scores", skewed, 5, "83.3%"),
        ("skewed scores", skewed, 20, "91.3%"),
    ):
        world = World((BETTER, 0.0), items, 1, scale, (0.3, 1.5))
        sizes = f"{items} items of its own each"
        rows.append((f"{better}, unequal spread, {name}", sizes, covers(world, shared=False), was))
    for items, was in ((3, "77.3%"), (5, "82.0%"), (10, "92.7%"), (30, "94.7%")):
        trial = corpus_covers(items, BETTER, 3)
        rows.append((f"{better}, item effects, BLEU of the corpus", f"{items} items of 3 outputs", trial, was))
    return [Rate(world, "compare, interval", sizes, "coverage", trial, was) for world, sizes, trial, was in rows]


def _scores() -> list[Rate]:
    before = {rated: ("91.0%", "92.5%", "94.5%"), skewed: ("84.0%", "84.7%", "91.0%")}
    return [
        Rate(
            f"item effects, {name}",
            "compare, interval of a system's own score",
            f"{items} items",
            "coverage",
            score_covers(World((0.0, 0.0), items, 1, scale)),
            was,
        )
        for name, scale in SCALES.items()
        if scale in before
        for items, was in zip((8, 10, 30), before[scale], strict=True)
    ]


def _false_positives() -> list[Rate]:
    alike = "equal systems, item effects"
    rows = []
    for name, scale, was in (
        ("ratings", rated, "5.7%"),
        ("scores of 0 or 1", right_or_wrong, "3.3%"),
        ("skewed scores", skewed, "4.0%"),
    ):
        for items, first in ((5, "0.0%, could not fire"), (30, was)):
            world = World((0.0, 0.0), items, 2, scale)
            rows.append(
                (f"{alike}, {name}", "compare, p", f"2 systems, {items} items of 2 outputs", fires(world), first)
            )
    for name, scale in SCALES.items():
        for items in (10, 30):
            trial = lets_pass(World((0.0, 0.0), items, 2, scale))
            rows.append((f"{alike}, {name}", "gate, passed", f"2 systems, {items} items of 2 outputs", trial, ""))
    for items, was in ((5, ""), (30, "0.0%, could not fire")):
        trial = fires(World((0.0,) * 12, items, 2, rated))
        rows.append(
            (f"{alike}, ratings", "compare, any p (Holm)", f"12 systems, {items} items of 2 outputs", trial, was)
        )
    unequal = World((0.0, 0.0), 10, 1, normal, (0.3, 1.5))
    trial = fires(unequal, shared=False)
    rows.append(("equal systems of unequal spread", "compare, p", "2 systems, 10 items of its own each", trial, "4.3%"))
    rows.append((f"{alike}, BLEU of the corpus", "compare, p", "2 systems, 10 items", corpus_fires(10), "4.3%"))
    return [Rate(world, method, sizes, "false positives", trial, first) for world, method, sizes, trial, first in rows]


def _leaderboards() -> list[Rate]:
    several = (0.0, 0.0, 0.1, 0.2, 0.3, 0.5, 0.5, 1.0)
    ranks = [
        Rate(
            "systems close together, some equal, ratings",
            "compare, all intervals of ranks at once",
            f"8 systems, {items} items",
            "coverage",
            ranks_cover(World(several, items, 1, rated)),
            was,
            conservative=True,
        )
        for items, was in ((10, "44.5%"), (50, "69.5%"))
    ]
    sentences = [
        Rate(
            world,
            "[generators], significantly above every other generator",
            f"{len(quality)} systems, 20 items",
            "false sentences",
            says_best(World(quality, 20, 1, rated)),
            was,
        )
        for world, quality, was in (
            ("two equal systems far above a third, ratings", (1.0, 1.0, -4.0), "3.0%"),
            ("equal systems, ratings", (0.0,) * 5, "0.0%"),
        )
    ]
    return ranks + sentences


RATES = [*_differences(), *_other_intervals(), *_scores(), *_false_positives(), *_leaderboards()]
