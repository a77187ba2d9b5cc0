"""Tests of diversity metrics: intervals over contexts, the best accuracy of a threshold, and what a study says.

Contexts have an effect of their own on a metric, and on how far a metric sees the label; a metric's errors are partly
those of the others. Labels are high and low once in each context, as in the published data.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import asin, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from assay.metaeval.questions.contrast import contrast
from assay.metaeval.questions.correlation import Inquiry, correlate
from assay.metaeval.questions.question import Question, Resampling
from assay.metaeval.questions.sample import Sample
from assay.metaeval.sets.contest import best_thresholds
from assay.metaeval.sets.ranking_pairs import ordered_pairs
from assay.metaeval.sets.set_study import CONTEXTS
from assay.records import Dataset
from assay.scores import Column, ScoreTable
from assay.study.steps.contest import ConTest
from assay.study.steps.diversity import Diversity
from assay.study.task import Task
from assay.text.strings import Strings
from bench.rates.rate import Rate

Floats = NDArray[np.float64]
FEW = Resampling(300)
NOTHING, LITTLE, MUCH = 0.0, 0.35, 1.2
KNOWS = {NOTHING: "knows nothing", LITTLE: "knows a little", MUCH: "knows a lot"}
CONTEXT, INTERACTION, SHARED, OWN = 0.6, 0.3, 0.5, 0.6
SPREAD = sqrt(CONTEXT**2 + INTERACTION**2 + SHARED**2 + OWN**2)


BEFORE: dict[tuple[Any, ...], str] = {
    ("oca", 25, NOTHING): "23.5%",
    ("oca", 25, LITTLE): "55.5%",
    ("oca", 25, MUCH): "65.5%",
    ("oca", 100, NOTHING): "7.0%",
    ("oca", 100, LITTLE): "66.5%",
    ("oca", 100, MUCH): "78.0%",
    ("oca", 500, NOTHING): "0.7%",
    ("oca", 500, LITTLE): "78.4%",
    ("oca", 500, MUCH): "84.4%",
    ("interval of rho in contest", 5, NOTHING): "82.8%",
    ("interval of rho in contest", 5, LITTLE): "83.8%",
    ("interval of rho in contest", 5, MUCH): "67.2%",
    ("interval of rho in contest", 10, NOTHING): "91.5%",
    ("interval of rho in contest", 10, LITTLE): "91.0%",
    ("interval of rho in contest", 10, MUCH): "83.3%",
    ("interval of rho in contest", 30, NOTHING): "92.2%",
    ("interval of rho in contest", 30, LITTLE): "91.7%",
    ("interval of rho in contest", 30, MUCH): "89.7%",
    ("interval of rho in dectest", 5, NOTHING): "88.0%",
    ("interval of rho in dectest", 5, LITTLE): "87.3%",
    ("interval of rho in dectest", 5, MUCH): "86.5%",
    ("interval of rho in dectest", 10, NOTHING): "91.7%",
    ("interval of rho in dectest", 10, LITTLE): "92.2%",
    ("interval of rho in dectest", 10, MUCH): "92.7%",
    ("interval of rho in dectest", 30, NOTHING): "94.3%",
    ("interval of rho in dectest", 30, LITTLE): "95.0%",
    ("interval of rho in dectest", 30, MUCH): "94.5%",
    ("differ interval of rho in contest", 5, 2): "15.2%",
    ("differ interval of rho in contest", 10, 2): "7.7%",
    ("differ interval of rho in contest", 30, 2): "4.8%",
    ("differ interval of rho in contest", 30, 6): "6.0%",
    ("differ interval of rho in dectest", 5, 2): "10.7%",
    ("differ interval of rho in dectest", 10, 2): "9.8%",
    ("differ interval of rho in dectest", 30, 2): "5.0%",
    ("differ interval of rho in dectest", 30, 6): "6.0%",
    ("ranked", 10, NOTHING): "98.0%",
    ("ranked", 10, LITTLE): "92.0%",
    ("ranked", 10, MUCH): "27.5%",
    ("ranked", 50, NOTHING): "94.3%",
    ("ranked", 50, LITTLE): "92.5%",
    ("ranked", 50, MUCH): "79.7%",
    ("contest sentence", 10, (NOTHING,) * 6): "15.7%",
    ("contest sentence", 10, (0.6,) * 6): "0.0%",
    ("contest sentence", 10, (0.6,) * 5 + (0.7,)): "0.0%",
    ("contest sentence", 30, (NOTHING,) * 6): "12.1%",
    ("contest sentence", 30, (0.6,) * 6): "0.0%",
    ("contest sentence", 30, (0.6,) * 5 + (0.7,)): "0.0%",
    ("diversity sentence", 12, (4, 4, 4, 4)): "0.7%",
    ("diversity sentence", 12, (3, 8, 6, 3)): "77.7%",
    ("diversity sentence", 40, (3, 8)): "98.6%",
}
"""What the version before gave, measured with the same trials, 100 to 400 of each."""


def labeled(
    rng: np.random.Generator, n_contexts: int, per_context: int, *strengths: float
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Metrics (sets, metrics) of given strength, the label and the contexts of sets."""
    clusters = np.repeat(np.arange(n_contexts), per_context)
    label = np.tile(np.arange(per_context) % 2, n_contexts).astype(np.float64)
    return _metrics(rng, clusters, 2 * label - 1, strengths), label, clusters


def decoded(
    rng: np.random.Generator, n_contexts: int, per_context: int, *strengths: float
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """The same for a parameter with a standard deviation of one."""
    clusters = np.repeat(np.arange(n_contexts), per_context)
    parameter = rng.normal(size=len(clusters))
    return _metrics(rng, clusters, parameter, strengths), parameter, clusters


def _metrics(
    rng: np.random.Generator, clusters: NDArray[np.int64], signal: Floats, strengths: tuple[float, ...]
) -> Floats:
    n, n_contexts = len(clusters), int(clusters.max()) + 1
    shared = CONTEXT * rng.normal(size=n_contexts)[clusters] + SHARED * rng.normal(size=n)
    seen = [strength + INTERACTION * rng.normal(size=n_contexts)[clusters] for strength in strengths]
    return np.stack([one * signal + shared + OWN * rng.normal(size=n) for one in seen], axis=1)


def study_of(metrics: Floats, target: Floats, clusters: NDArray[np.int64]) -> Inquiry:
    """Metrics of sets against a target; every item is a context."""
    names = Strings.of([f"s{row}" for row in range(len(metrics))])
    items = Strings.of([f"c{context}" for context in clusters.tolist()])
    columns = {f"m{k}": Column.of(f"m{k}", metrics[:, k]) for k in range(metrics.shape[1])}
    table = ScoreTable("set", names, items, names, {**columns, "target": Column.of("target", target)})
    sample = Sample.of(table)
    sample = replace(sample, context=np.arange(sample.n_items))
    question = Question("target", tuple(columns), ("spearman",), ("set",), resampling=FEW.with_factors(CONTEXTS))
    return Inquiry(table, question, sample)


def best_accuracy(strength: float) -> float:
    """Of the rule "above 0", which is the best one there is."""
    return float(ndtr(strength / SPREAD))


def rho_of_label(strength: float) -> float:
    """Of a label with two equal classes rho is sqrt(3) / 2 times (2 AUC - 1)."""
    return float(sqrt(3) / 2 * (2 * ndtr(sqrt(2) * strength / SPREAD) - 1))


def rho_of_parameter(strength: float) -> float:
    """Near enough that of two normal variables: the interaction makes the metric a little less than normal."""
    return 6 / pi * asin(strength / sqrt(strength**2 + SPREAD**2) / 2)


def oca(rng: np.random.Generator, n_contexts: int, strength: float) -> bool | None:
    """Whether the interval of OCA holds the best accuracy."""
    metrics, label, clusters = labeled(rng, n_contexts, 2, strength)
    row = best_thresholds(study_of(metrics, label, clusters))[0]
    return None if np.isnan(row.low) else bool(row.low <= best_accuracy(strength) <= row.high)


def rho(rng: np.random.Generator, n_contexts: int, strength: float, world: Callable[..., Any]) -> bool | None:
    """Whether the interval of rho holds rho."""
    metrics, target, clusters = world(rng, n_contexts, 4, strength)
    row = correlate(study_of(metrics, target, clusters))[0]
    truth = rho_of_label(strength) if world is labeled else rho_of_parameter(strength)
    return None if np.isnan(row.low) else bool(row.low <= truth <= row.high)


def differ(
    rng: np.random.Generator, n_contexts: int, n_metrics: int, strength: float, world: Callable[..., Any]
) -> bool | None:
    """Whether any two of equally good metrics are said to differ."""
    metrics, target, clusters = world(rng, n_contexts, 4, *[strength] * n_metrics)
    pairs, _ = contrast(study_of(metrics, target, clusters))
    known = [pair.p_adjusted for pair in pairs if not np.isnan(pair.p_adjusted)]
    return bool(min(known) < 0.05) if known else None


def ranked(rng: np.random.Generator, n_contexts: int, strength: float) -> bool | None:
    """Whether the interval of the accuracy over pairs of sets holds it."""
    metrics, label, clusters = labeled(rng, n_contexts, 2, strength)
    row = ordered_pairs(study_of(metrics, label, clusters))[0]
    truth = ndtr(strength / sqrt(INTERACTION**2 + (SHARED**2 + OWN**2) / 2))
    return None if np.isnan(row.low) else bool(row.low <= truth <= row.high)


def contest_sentence(rng: np.random.Generator, n_contexts: int, strengths: tuple[float, ...]) -> bool:
    """Whether a study says that a metric follows the label, or is the best, and it is not so."""
    metrics, label, clusters = labeled(rng, n_contexts, 2, *strengths)
    records = [
        {
            "text": "a",
            "item": f"c{clusters[row]}",
            "set": f"s{row}",
            "set_columns": {"label_value": label[row]} | {f"m{k}": value for k, value in enumerate(metrics[row])},
        }
        for row in range(len(label))
    ]
    named = {f"column('m{k}')": strength for k, strength in enumerate(strengths)}
    part = ConTest(evaluators=tuple(named)).run(Task(Dataset.from_records(records), resamples=200))
    (sentence,) = part.answers["trust"]
    who = next((name for name in named if sentence.startswith(f"{name} follows")), "")
    if not who:
        return False
    above = [name for name in named if name != who and name not in sentence.split("above")[-1]]
    if "above" not in sentence and "best" not in sentence:
        above = []
    return named[who] <= 0 or any(named[name] >= named[who] for name in above)


def diversity_sentence(rng: np.random.Generator, sizes: tuple[int, ...], n_items: int) -> bool:
    """Whether systems whose words are those of people are said to be less diverse; people come first in `sizes`."""
    records = []
    for item in range(n_items):
        weights = rng.dirichlet(np.full(40, 0.5))
        for number, size in enumerate(sizes):
            for _ in range(size):
                words = rng.choice(40, 8, p=weights)
                system = {"system": f"m{number}"} if number else {"system": "people", "human": True}
                records.append({"text": " ".join(f"w{word}" for word in words), "item": f"i{item}", **system})
    part = Diversity(evaluators=("distinct", "self_bleu")).run(Task(Dataset.from_records(records), resamples=100))
    return bool(part.answers["wrong"])


def _rates() -> list[Rate]:
    rates = [
        Rate(
            f"a metric that {words}, two sets of a context",
            "interval of OCA in contest",
            f"{2 * n} sets",
            "coverage",
            partial(oca, n_contexts=n, strength=strength),
            BEFORE.get(("oca", n, strength), ""),
            conservative=True,
        )
        for n in (25, 100, 500)
        for strength, words in KNOWS.items()
    ]
    for world, method in ((labeled, "interval of rho in contest"), (decoded, "interval of rho in dectest")):
        rates += [
            Rate(
                f"a metric that {words}, four sets of a context",
                method,
                f"{n} contexts",
                "coverage",
                partial(rho, n_contexts=n, strength=strength, world=world),
                BEFORE.get((method, n, strength), ""),
                conservative=True,
            )
            for n in (5, 10, 30)
            for strength, words in KNOWS.items()
        ]
        rates += [
            Rate(
                f"{m} metrics that are equally good, with errors in common and errors of their own in every context",
                method.replace("interval of rho", "differences of rho, Holm,"),
                f"{n} contexts",
                "false positives",
                partial(differ, n_contexts=n, n_metrics=m, strength=0.6, world=world),
                BEFORE.get((f"differ {method}", n, m), ""),
            )
            for n, m in ((5, 2), (10, 2), (30, 2), (30, 6))
        ]
    rates += [
        Rate(
            f"a metric that {words}, pairs of sets of a context",
            "accuracy in contest --ranking",
            f"{n} contexts",
            "coverage",
            partial(ranked, n_contexts=n, strength=strength),
            BEFORE.get(("ranked", n, strength), ""),
            conservative=True,
        )
        for n in (10, 50)
        for strength, words in KNOWS.items()
    ]
    rates += [
        Rate(
            world,
            "sentence of [contest]",
            f"{n} contexts, {len(strengths)} metrics",
            "false sentences",
            partial(contest_sentence, n_contexts=n, strengths=strengths),
            BEFORE.get(("contest sentence", n, strengths), ""),
        )
        for n in (10, 30)
        for world, strengths in (
            ("metrics that know nothing", (NOTHING,) * 6),
            ("metrics that are equally good", (0.6,) * 6),
            ("metrics of which one is a little better", (0.6,) * 5 + (0.7,)),
        )
    ]
    rates += [
        Rate(
            world,
            "sentence of [diversity]: less diverse than people by every metric",
            f"{n} items, {len(sizes) - 1} systems",
            "false sentences",
            partial(diversity_sentence, sizes=sizes, n_items=n),
            BEFORE.get(("diversity sentence", n, sizes), ""),
        )
        for n, world, sizes in (
            (12, "systems as diverse as people, sets of one size", (4, 4, 4, 4)),
            (12, "systems as diverse as people, larger sets than people's", (3, 8, 6, 3)),
            (40, "a system as diverse as people, larger sets than people's", (3, 8)),
        )
    ]
    return rates


RATES = _rates()
