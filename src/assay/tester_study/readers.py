"""A simulated panel that reads texts blind to who wrote them. It stands in for people, and is none.

A reader is more at ease the less surprising the words are. With s(text) the mean log-probability per word under a
language model, and m and d the mean and standard deviation of s over human texts,

    ease = (s(text) - m) / d,        rating = 2.5 + ease + e(text) + bias + noise,        rounded, from 0 to 5

where e(text), normal with standard deviation 0.5, is everything else about a text, seeded by the text itself; every
reader has a bias (0.3) and every answer noise (0.7). The language model is one of word trigrams, fitted without the
text on four fifths of the human texts that no generator has seen, or any other that is named. So a reader sees whether
words follow each other as people's do, and nothing of sense, truth or length: texts that are too likely please.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.backends.language.opening import open_model
from assay.backends.language.protocol import ToScore
from assay.backends.language.template import Template, following
from assay.errors import DataError
from assay.generators.ngram import NGramGenerator, NGramModel
from assay.records import Dataset
from assay.run.models import score_texts

Floats = NDArray[np.float64]

N_READERS = 8
N_FOLDS = 5
CRITERION = "simulated"
DECLARED = {
    CRITERION: {
        "question": "Simulated, no person was asked: how typical is this text of what people write?",
        "scale": "ordinal",
        "low": 0,
        "high": 5,
        "better": "higher",
        "unit": "output",
        "asks": "quality",
    }
}
EVERYTHING_ELSE, BIAS, NOISE = 0.5, 0.3, 0.7


def simulated_judgments(dataset: Dataset, seed: int, reader: str | None = None) -> list[list[dict[str, Any]]]:
    """Ratings of every output by every simulated reader."""
    ease = _ease(dataset, seed, reader)
    rng = np.random.default_rng((seed, 1))
    bias = rng.normal(0.0, BIAS, N_READERS)
    own = np.array([_everything_else(text) for text in dataset.outputs.text])
    noise = rng.normal(0.0, NOISE, (len(dataset), N_READERS))
    ratings = np.clip(np.rint(2.5 + (ease + own)[:, None] + bias + noise), 0, 5).astype(int)
    return [
        [
            {"annotator": f"simulated-{reader + 1}", "criterion": CRITERION, "value": value}
            for reader, value in enumerate(row)
        ]
        for row in ratings.tolist()
    ]


def _ease(dataset: Dataset, seed: int, reader: str | None) -> Floats:
    per_word = _trigram_logprobs(dataset, seed) if reader is None else _model_logprobs(dataset, reader)
    of_people = per_word[dataset.human & np.isfinite(per_word)]
    spread = float(of_people.std()) if len(of_people) else 0.0
    if not spread:
        raise DataError("the simulated readers find all human texts alike; name another reader.")
    # An empty or impossible text is as bad as one can be.
    return np.clip(np.nan_to_num((per_word - of_people.mean()) / spread, nan=-5.0, neginf=-5.0), -5.0, 5.0)


def _model_logprobs(dataset: Dataset, reader: str) -> Floats:
    template = Template()
    wanted = []
    for row, text in enumerate(dataset.outputs.text):
        prompt, space = template.split(dataset.items.context[int(dataset.outputs.item[row])])
        wanted.append(ToScore(prompt, following(space, text)))
    scores = score_texts(open_model(reader), wanted)
    words = np.array([len(text.split()) or np.nan for text in dataset.outputs.text])
    return np.array([one.logprob for one in scores]) / words


def _trigram_logprobs(dataset: Dataset, seed: int) -> Floats:
    """Per word, under a model that was fitted without the item of the text."""
    fold = np.random.default_rng((seed, 2)).permutation(len(dataset.items)) % N_FOLDS
    texts = dataset.outputs.text.to_list()
    vocabulary = list(dict.fromkeys(word for text in texts for word in text.split()))
    longest = max(len(text.split()) for text in texts)
    # Equal texts are met in training or not: those of people are left out wherever they stand.
    values = np.full(len(dataset), np.nan)
    of_output = fold[dataset.outputs.item]
    for number in range(N_FOLDS):
        held_out = {texts[row] for row in np.flatnonzero(dataset.human & (of_output == number)).tolist()}
        learnt = [texts[row] for row in np.flatnonzero(dataset.human & (of_output != number)).tolist()]
        training = _without(learnt, held_out)
        model = NGramModel({"": training}, max_words=longest + 1, vocabulary=vocabulary)
        generator = NGramGenerator(model)
        for row in np.flatnonzero(of_output == number).tolist():
            value, n_words = generator.logprob(texts[row], "")
            values[row] = value / (n_words + 1) if n_words else np.nan
    return values


def _without(texts: Sequence[str], left_out: set[str]) -> list[str]:
    return [text for text in texts if text not in left_out]


def _everything_else(text: str) -> float:
    digest = sha256(text.encode()).digest()
    return float(np.random.default_rng(list(digest)).normal(0.0, EVERYTHING_ELSE))


def with_judgments(records: Sequence[Mapping[str, Any]], dataset: Dataset, seed: int, reader: str | None) -> Dataset:
    """The records of a dataset with the ratings of the simulated readers."""
    judged = simulated_judgments(dataset, seed, reader)
    rows = [dict(record) | {"judgments": own} for record, own in zip(records, judged, strict=True)]
    rows[0]["criteria"] = DECLARED
    return Dataset.from_records(rows, "testbed")
