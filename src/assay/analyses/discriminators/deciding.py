"""The n-grams that decide: what a discriminator's verdict turns on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from assay.analyses.discriminators.verdicts import Judging
from assay.evaluators.discriminators.ngrams import NGrams
from assay.records import Dataset
from assay.registry import parse
from assay.run import score
from assay.run.fit import fit
from assay.run.folds import Folds
from assay.run.learning import Learning
from assay.run.one_pass import Run, RunSettings

TOKENIZER, ORDER = "13a", 3
LEAST_TEXTS = 5
MOST_CHANGED = 50
"""Held-out texts that an n-gram is deleted from."""


@dataclass(frozen=True)
class Deciding:
    """An n-gram: texts that have it, their mean probability, and what deleting it does to held-out ones."""

    ngram: str
    n: int
    probability: float
    share_human: float
    change: float
    n_changed: int


def deciding_ngrams(
    data: Dataset, evaluator: str, probability: NDArray[np.float64], most: int, judging: Judging
) -> list[Deciding]:
    """Find the n-grams whose texts have the most unusual probabilities, and delete each from held-out texts.

    The association of n-gram and probability chooses; the change of the probability when the n-gram is gone, under a
    model that was fitted without these texts, says whether it was this n-gram.
    """
    names, rows = _presence(data)
    known = ~np.isnan(probability)
    rows, p, human = rows[known], probability[known], data.human[known]
    n = np.asarray(rows.sum(axis=0)).ravel()
    means = np.asarray(rows.T @ p).ravel() / np.maximum(n, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        unusual = (means - p.mean()) / (p.std() * np.sqrt(1 / n - 1 / len(p)))
    unusual[(n < LEAST_TEXTS) | ~np.isfinite(unusual)] = 0.0
    order = np.argsort(-np.abs(unusual), kind="stable")
    chosen = [at for sign in (1, -1) for at in [int(at) for at in order if sign * unusual[at] > 0][: max(1, most // 2)]]
    changes = _changes(data, evaluator, [names[at] for at in chosen], judging)
    shares = np.asarray(rows.T @ human.astype(np.float64)).ravel() / np.maximum(n, 1)
    return [
        Deciding(names[at], int(n[at]), float(means[at]), float(shares[at]), *change)
        for at, change in zip(chosen, changes, strict=True)
    ]


def _presence(data: Dataset) -> tuple[list[str], NDArray[np.float64]]:
    features = NGrams(TOKENIZER, ORDER, min(LEAST_TEXTS, len(data)))
    batch = Run(data, RunSettings(Learning())).over("output").batch(parse("length"))
    known, counts = features.learn(batch)
    counts.data[:] = 1.0
    return features.names(known), counts


def _whole(ngram: str) -> re.Pattern[str]:
    """Match an n-gram in a text, however its tokens are spaced, and never inside a word."""
    start = r"(?<![^\W_])" if ngram[0].isalnum() else ""
    end = r"(?![^\W_])" if ngram[-1].isalnum() else ""
    return re.compile(start + r"\s*".join(map(re.escape, ngram.split(" "))) + end)


def _changes(data: Dataset, evaluator: str, ngrams: list[str], judging: Judging) -> list[tuple[float, int]]:
    """The mean change of the probability when each n-gram is deleted, and from how many held-out texts."""
    train, texts = _held_out(data, judging)
    rows, which = [], []
    for number, ngram in enumerate(ngrams):
        pattern = _whole(ngram)
        having = [text for text in texts if pattern.search(text)][:MOST_CHANGED]
        for text in having:
            rows += [text, " ".join(pattern.sub(" ", text).split())]
            which.append(number)
    if not rows:
        return [(float("nan"), 0) for _ in ngrams]
    with TemporaryDirectory(prefix="assay-") as folder:
        judge = fit(evaluator, train, Path(folder) / "judge", seed=judging.seed)
        changed = Dataset.from_records([{"text": text, "item": f"t{row}"} for row, text in enumerate(rows)])
        probability = score(changed, [judge], failures="error")[repr(judge)].values
    change, of = probability[1::2] - probability[::2], np.array(which)
    means = []
    for number in range(len(ngrams)):
        mine = change[(of == number) & ~np.isnan(change)]
        means.append((float(mine.mean()) if len(mine) else float("nan"), len(mine)))
    return means


def _held_out(data: Dataset, judging: Judging) -> tuple[Dataset, list[str]]:
    """Texts of the first fold and all others to learn from; all texts where the training data is given."""
    if judging.train is not None:
        scored = set(data.outputs.text)
        others = np.array([text not in scored for text in judging.train.outputs.text])
        return judging.train.select(others), data.outputs.text.to_list()
    folds = Folds.of(judging.scoring.get("folds"))
    first = folds.assign(data, judging.seed) == 0
    others = np.all([~np.isin(key, key[first]) for key in folds.keys(data)], axis=0)
    return data.select(others), data.select(first).outputs.text.to_list()
