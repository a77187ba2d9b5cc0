"""What a text looks like without a word being read: the control that every discriminator must beat."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from assay.batch import Batch
from assay.errors import EvaluatorError, did_you_mean
from assay.evaluator import Shape, State, evaluator
from assay.evaluators.discriminators.discriminator import discriminator
from assay.evaluators.discriminators.learner import Floats, Mask
from assay.evaluators.discriminators.logistic import LogisticRegression
from assay.evaluators.discriminators.standard import learn_standard, standard

MARKS = re.compile(r"_{2,}|<[^<>\s]{1,20}>|\[unk\]|\ufffd|@@", re.IGNORECASE)
"""Traces of preprocessing: unknown words, tags, broken characters, joined word pieces."""

PUNCTUATION = re.compile(r"[^\w\s]|_")
DIGITS = re.compile(r"\d")
KINDS = ("length", "casing", "punctuation", "digits", "marks")


def look(text: str, kinds: tuple[str, ...]) -> list[float]:
    """Numbers about a text, for each kind in turn."""
    n = max(1, len(text))
    numbers = {
        "length": [np.log1p(len(text)), np.log1p(len(text.split())), len(text) / max(1, len(text.split()))],
        "casing": [sum(map(str.isupper, text)) / n, float(text[:1].isupper())],
        "punctuation": [len(PUNCTUATION.findall(text)) / n, float(bool(PUNCTUATION.match(text[-1:])))],
        "digits": [len(DIGITS.findall(text)) / n],
        "marks": [len(MARKS.findall(text)) / n, float(bool(MARKS.search(text)))],
    }
    return [float(number) for kind in kinds for number in numbers[kind]]


@dataclass(frozen=True)
class Look:
    """Standardized numbers about each text, and their squares."""

    kinds: tuple[str, ...]

    def learn(self, train: Batch) -> tuple[State, Floats]:
        """Means and standard deviations of the training texts, and their rows."""
        return learn_standard(self._numbers(train))

    def rows(self, known: State, batch: Batch) -> tuple[Floats, Mask]:
        """The rows of other texts; every text has a look."""
        return standard(known, self._numbers(batch)), np.zeros(len(batch), bool)

    def _numbers(self, batch: Batch) -> Floats:
        texts = batch.texts.take(batch.candidates)
        return np.array([look(text, self.kinds) for text in texts]).reshape(len(texts), -1)


@evaluator(scale="probability that a human wrote the text")
def surface(*, of: tuple[str, ...] = KINDS, search: int = 2) -> Shape:
    """Length, casing, punctuation, digits and marks alone: the probability that a human wrote the text."""
    for kind in of:
        if kind not in KINDS:
            raise EvaluatorError(f"surface knows no {kind!r}.{did_you_mean(kind, KINDS)}")
    if not of or len(set(of)) < len(of):
        raise EvaluatorError("surface looks at one or more different things, such as of=('length', 'marks').")
    return discriminator(Look(of), LogisticRegression(1.0), search)
