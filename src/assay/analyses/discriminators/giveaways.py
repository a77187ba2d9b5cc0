"""What a discriminator looks at, and whether that is quality: the function behind `assay giveaways`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from math import isnan
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from assay.analyses.discriminators.deciding import deciding_ngrams
from assay.analyses.discriminators.masks import Mask, masked, masks
from assay.analyses.discriminators.verdicts import (
    HALF,
    Judging,
    Verdicts,
    accuracy,
    check_discriminators,
    generators,
    judges_sets,
)
from assay.analyses.discriminators.verdicts import texts_of as texts_of_system
from assay.analyses.names import plain_name
from assay.errors import EvaluatorError
from assay.evaluators.discriminators.surface import KINDS, MARKS
from assay.kernels.statistics.calibration import area_under_curve, balanced_weights
from assay.limits import check_share
from assay.part import Bounded, Cell, Number, Part, Table
from assay.records import Dataset
from assay.registry import parse
from assay.run.scoring import ScoringOptions

SHOWN = 100
"""Characters of a text that are shown."""

SUREST = 3
NO_INTERVAL = "a measure of all texts together: no interval"


def giveaways(
    data: Dataset,
    evaluators: Sequence[str] = ("nb",),
    *,
    ngrams: int = 20,
    confidence: float = 0.95,
    seed: int = 0,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
    **scoring: Unpack[ScoringOptions],
) -> Part:
    """Ask what discriminators look at: n-grams that decide, the surest texts, and give-aways that are not quality.

    Args:
        data: human and generated texts.
        evaluators: the discriminators.
        ngrams: how many n-grams to show.
        confidence: of the intervals.
        seed: the random seed.
        workers: threads.
        progress: called with (discriminators trained, discriminators in all).
        scoring: how discriminators are scored; see `assay.score`.
    """
    check_share("confidence", confidence)
    check_discriminators(data, evaluators)
    for name in evaluators:
        if judges_sets(name):
            raise EvaluatorError(f"{name} judges whole sets, and giveaways are looked for in single texts.")
    judging, hidden = Judging(scoring, seed, workers), masks(data)
    names = list(dict.fromkeys(evaluators))
    trained, n_in_all = count(1), 1 + len(KINDS) + len(names) * (1 + len(hidden))

    def probabilities(name: str, mask: Mask | None = None) -> NDArray[np.float64]:
        hide = (lambda texts: texts) if mask is None else partial(masked, mask=mask)
        values = judging.trained_on(hide).probabilities(hide(data), name)
        if progress:
            progress(next(trained), n_in_all)
        return values

    alone = {"surface": probabilities("surface")}
    alone |= {f"{kind} alone": probabilities(f"surface(of=({kind!r},))") for kind in KINDS}
    numbers = _numbers(data, alone, parse("surface").signature)
    tables = [_looks(data)]
    answers = []
    for name in names:
        by = {"text": probabilities(name)}
        by |= {f"without {label}": probabilities(name, mask) for label, mask in hidden.items()}
        numbers += _numbers(data, by, parse(name).signature)
        plain = plain_name(name)
        rows: list[tuple[Cell, ...]] = [(label, *_measures(data, values)) for label, values in {**by, **alone}.items()]
        tables += [
            Table(
                f"giveaways-{plain}",
                f"What {name} and its controls know",
                ("what is seen", "balanced accuracy", "AUC"),
                tuple(rows),
                "`surface` sees length, casing, punctuation, digits and marks, and no word.",
            ),
            _by_system(data, name, by["text"], alone["surface"], by["without all of these"], confidence),
            _ngrams(data, name, by["text"], ngrams, judging),
            _surest(data, name, by["text"]),
        ]
        answers.append(_answer(data, name, by, alone["surface"]))
    return Part(
        title="Give-aways",
        summary=(
            "What discriminators look at. A discriminator that is nearly as good on length and marks alone, or that "
            "loses what it knows once these are hidden, does not measure quality."
        ),
        answers={"trust": answers},
        numbers=tuple(numbers),
        tables=tuple(tables),
        methods=tuple(dict.fromkeys(number.signature for number in numbers)),
        seed=seed,
    )


def _measures(data: Dataset, probability: NDArray[np.float64]) -> tuple[float, float]:
    known = ~np.isnan(probability)
    p, human = probability[known], data.human[known]
    if not human.any() or human.all():
        return float("nan"), float("nan")
    right = float(np.average((p > HALF) == human, weights=balanced_weights(human)))
    return right, area_under_curve(p, human)


def _numbers(data: Dataset, seen: Mapping[str, NDArray[np.float64]], signature: str) -> list[Number]:
    numbers = []
    for label, probability in seen.items():
        n = int((~np.isnan(probability)).sum())
        for name, value in zip(("balanced accuracy", "AUC"), _measures(data, probability), strict=True):
            about = {"seen": label}
            numbers.append(Number(name, value, n, signature, len(data) - n, reason=NO_INTERVAL, about=about))
    return numbers


def _answer(data: Dataset, name: str, by: Mapping[str, NDArray[np.float64]], control: NDArray[np.float64]) -> str:
    text, hidden, alone = (_measures(data, p)[0] for p in (by["text"], by["without all of these"], control))
    if isnan(text) or isnan(hidden):
        return f"{name} has too few scores to say what it looks at."
    return (
        f"{name} is right on {text:.0%} of texts, and on {hidden:.0%} where length, casing, punctuation, digits and "
        f"marks are hidden; these alone are right on {alone:.0%}."
    )


def _looks(data: Dataset) -> Table:
    """What could give each system away."""
    texts = data.outputs.text.to_list()
    words = np.array([len(text.split()) for text in texts], np.float64)
    marked = np.array([bool(MARKS.search(text)) for text in texts])
    upper = np.array([sum(map(str.isupper, text)) / max(1, len(text)) for text in texts])
    rows: list[tuple[Cell, ...]] = []
    for code, system in enumerate(data.systems.id):
        mine = data.outputs.system == code
        if mine.any():
            n, about = int(mine.sum()), (words[mine].mean(), marked[mine].mean(), upper[mine].mean())
            rows.append((system, n, *map(float, about)))
    header = ("system", "texts", "words", "texts with marks", "capitals")
    return Table("looks", "What could give a system away", header, tuple(rows), "Marks: `__`, `<unk>`, tags, `@@`.")


def _by_system(
    data: Dataset,
    name: str,
    text: NDArray[np.float64],
    control: NDArray[np.float64],
    hidden: NDArray[np.float64],
    confidence: float,
) -> Table:
    every = np.arange(len(data))
    seen = {"text": text, "surface alone": control, "all hidden": hidden}
    rows: list[tuple[Cell, ...]] = []
    for system in [*generators(data), "human texts"]:
        texts = data.human if system == "human texts" else texts_of_system(data, system)
        shares = [
            accuracy(data, Verdicts(label, name, every, p, {}), texts, system, confidence) for label, p in seen.items()
        ]
        rows.append((system, *(Bounded(one.value, one.low, one.high) for one in shares)))
    header = ("system", *seen)
    return Table(
        f"giveaways-systems-{plain_name(name)}", f"Texts that {name} takes for what they are", header, tuple(rows)
    )


def _ngrams(data: Dataset, name: str, probability: NDArray[np.float64], most: int, judging: Judging) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (one.ngram, one.n, one.probability, one.share_human, one.change, one.n_changed)
        for one in deciding_ngrams(data, name, probability, most, judging)
    ]
    header = ("n-gram", "texts", "mean probability", "human share", "change if deleted", "texts changed")
    note = "The change is that of held-out texts' probability of being human, under a model fitted without them."
    return Table(f"ngrams-{plain_name(name)}", f"N-grams that decide for {name}", header, tuple(rows), note)


def _surest(data: Dataset, name: str, probability: NDArray[np.float64]) -> Table:
    """The texts with the most extreme probabilities: right and wrong, human and generated."""
    rows: list[tuple[Cell, ...]] = []
    known = np.flatnonzero(~np.isnan(probability))
    for verdict, order in (("human", -probability[known]), ("generated", probability[known])):
        for right in (True, False):
            is_right = data.human[known] == (verdict == "human")
            chosen = known[np.argsort(order, kind="stable")]
            chosen = chosen[is_right[np.argsort(order, kind="stable")] == right][:SUREST]
            for row in chosen.tolist():
                system = data.systems.id[int(data.outputs.system[row])]
                text = data.outputs.text[row]
                shown = text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
                rows.append((verdict, "right" if right else "wrong", system, float(probability[row]), shown))
    header = ("taken for", "", "system", "probability", "text")
    return Table(f"surest-{plain_name(name)}", f"Texts that {name} is surest of", header, tuple(rows))
