"""Discriminators on n-grams, from texts to predictions, against scikit-learn; a million texts by a saved one."""

import json
import subprocess
import sys
import tempfile
from math import nan
from pathlib import Path

import numpy as np

from assay import Dataset, fit, registry
from assay.evaluators.discriminators.learner import Examples
from assay.evaluators.discriminators.logistic import LogisticRegression
from assay.evaluators.discriminators.nb import NaiveBayes
from assay.evaluators.discriminators.ngrams import NGrams
from assay.evaluators.discriminators.svm import LinearSVM
from assay.run.learning import Learning
from assay.run.one_pass import Run, RunSettings
from bench.table import Row, best_cpu
from bench.texts import bank

N_TRAIN, N_TEST = 8_000, 2_000
N_LARGE = 1_000_000
CHUNK = 100_000
COST = 0.1

MEASURED = """
import json, resource, time
from assay.io import load
from assay.run import score
table = score(load({path!r}), ["nb(model={model!r})"])
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({{"seconds": time.process_time(), "megabytes": used.ru_maxrss / 1024, "n": len(table)}}))
"""


def rows() -> list[Row]:
    return [*against_scikit_learn(), a_million_texts()]


def against_scikit_learn() -> list[Row]:
    """Features of uni-, bi- and trigrams and training at fixed settings, then predictions of held-out texts."""
    from sklearn.linear_model import LogisticRegression as TheirLogistic
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.svm import LinearSVC

    texts, human = labeled_texts(N_TRAIN + N_TEST)
    pairs = (
        ("naive Bayes", NaiveBayes(), {"alpha": 1.0}, MultinomialNB(alpha=1.0)),
        ("linear SVM", LinearSVM(), {"cost": COST}, LinearSVC(C=COST, tol=0.01)),
        ("logistic regression", LogisticRegression(COST), {"cost": COST}, TheirLogistic(C=COST, max_iter=1000)),
    )
    measured = []
    for name, learner, settings, peer in pairs:
        theirs, right_theirs = timed(lambda peer=peer: scikit_learn(peer, texts, human))
        ours, right_ours = timed(lambda learner=learner, settings=settings: assay(learner, settings, texts, human))
        assert abs(right_ours - right_theirs) < 0.01, (name, right_ours, right_theirs)
        speed = f"{N_TRAIN / ours:,.0f} texts/s; accuracy {right_ours:.3f}, theirs {right_theirs:.3f}"
        measured.append(Row(f"{name}, {N_TRAIN:,} texts", "CountVectorizer + scikit-learn", theirs, ours, speed))
    return measured


def timed(work):
    right = work()  # compiles, too
    return best_cpu(work, 3), right


def assay(learner, settings: dict, texts: list[str], human: np.ndarray) -> float:
    data = Dataset.from_records([{"id": str(row), "text": text} for row, text in enumerate(texts)])
    batch = Run(data, RunSettings(Learning())).over("output").batch(registry.parse("length"))
    features = NGrams("whitespace", 3, 1)
    known, train = features.learn(batch.take(np.arange(N_TRAIN)))
    examples = Examples(train, human[:N_TRAIN], np.ones(N_TRAIN))
    model = learner.train(examples, settings, None, np.random.default_rng(0)).model
    test, _ = features.rows(known, batch.take(np.arange(N_TRAIN, len(texts))))
    return float(np.mean((learner.margins(model, test) > 0) == human[N_TRAIN:]))


def scikit_learn(peer, texts: list[str], human: np.ndarray) -> float:
    from sklearn.feature_extraction.text import CountVectorizer

    counter = CountVectorizer(ngram_range=(1, 3), token_pattern=r"\S+", lowercase=False)
    peer.fit(counter.fit_transform(texts[:N_TRAIN]), human[:N_TRAIN])
    return float(peer.score(counter.transform(texts[N_TRAIN:]), human[N_TRAIN:]))


def labeled_texts(n: int) -> tuple[list[str], np.ndarray]:
    """Texts of which one class swaps words at random."""
    rng = np.random.default_rng(0)
    human = rng.random(n) < 0.5
    texts = []
    for text, natural in zip(bank(n), human.tolist(), strict=True):
        words = text.split()
        if not natural:
            for _ in range(2):
                one, other = rng.integers(0, len(words), 2)
                words[one], words[other] = words[other], words[one]
        texts.append(" ".join(words))
    return texts, human


def a_million_texts() -> Row:
    """Score a million short texts with a saved naive Bayes, in a process of its own."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    texts, human = labeled_texts(N_TRAIN)
    train = [
        {"id": str(row), "text": text, "human": own, "system": "people" if own else "a"}
        for row, (text, own) in enumerate(zip(texts, human.tolist(), strict=True))
    ]
    with tempfile.TemporaryDirectory() as folder:
        model, path = str(Path(folder) / "judge"), str(Path(folder) / "texts.parquet")
        fit("nb", Dataset.from_records(train), model)
        every = bank(100_003)
        schema = pa.schema([("id", pa.string()), ("text", pa.string())])
        with pq.ParquetWriter(path, schema) as writer:
            for start in range(0, N_LARGE, CHUNK):
                numbers = range(start, start + CHUNK)
                columns = {"id": [str(n) for n in numbers], "text": [every[n % len(every)] for n in numbers]}
                writer.write_table(pa.table(columns, schema=schema))
        run = subprocess.run(
            [sys.executable, "-c", MEASURED.format(path=path, model=model)], capture_output=True, text=True, check=True
        )
    measured = json.loads(run.stdout)
    note = f"{measured['n'] / measured['seconds']:,.0f} texts/s; peak {measured['megabytes']:,.0f} MB"
    return Row(f"a saved naive Bayes on {N_LARGE:,} texts", "", nan, measured["seconds"], note)
