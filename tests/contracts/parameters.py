"""Two values for every parameter of every evaluator and source of references, and what is refused.

A new evaluator or parameter needs a line here: two values that must give different scores on `telling()`, together
with the other parameters that make it count, if it counts only beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

import numpy as np

from assay import Dataset, save
from tests.contracts.worlds import COLORS, reading_model
from tests.meteor_tables import write_tables
from tests.tiny_models import tiny_corpus, tiny_cross_encoder, tiny_encoder, tiny_judge
from tests.word_vectors import tiny_vectors
from tests.wordnets import write_tiny


class Two(NamedTuple):
    """Two values as they are written in a call, the other parameters of that call, and the unit to look at."""

    first: str
    second: str
    beside: str = ""
    unit: str | None = None

    def calls(self, name: str, parameter: str) -> list[str]:
        """Write both calls."""
        return [f"{name}({parameter}={value}{', ' * bool(self.beside)}{self.beside})" for value in self[:2]]


def two(first: Any, second: Any, beside: str = "", unit: str | None = None) -> Two:
    """Give two values as Python writes them, or calls as they are."""
    written = [value if isinstance(value, Call) else repr(value) for value in (first, second)]
    return Two(written[0], written[1], beside, unit)


class Call(str):
    """A value that is a call."""


MODELS = two("minilm", str(tiny_encoder()))
TOKENIZERS = two("whitespace", "chars")
REFERENCES = two(Call("given()"), Call("others(among='human')"))
LISTENER_SCORES = two("probability", "hit")
HUSE = {
    "k": two(3, 9),
    "quality": two(Call("human(criterion='real')"), Call("length()")),
    "beside": two((), Call("(length(), chrf())")),
    "per_token": two(True, False),
    "scale": two(True, False),
    "ties": two("exact", "paper", "k=6"),
    "vote_tie": two("human", "model", "k=4"),
    "floor": two(-100.0, -3.0),
}
FLUENT = f"model={str(tiny_judge())!r}"
CHOSEN = f"model={str(tiny_judge(2))!r}, answer='chosen'"
VECTORS = f"vectors={str(tiny_vectors())!r}"
DISCRIMINATOR = {
    "tokenizer": TOKENIZERS,
    "max_order": two(1, 3),
    "min_texts": two(1, 4),
    "search": two(1, 30),
}
NETWORK = {
    "tokenizer": TOKENIZERS._replace(beside="epochs=1"),
    "min_texts": two(1, 4, "epochs=1"),
    "max_tokens": two(3, 128, "epochs=1"),
    "epochs": two(1, 6),
    "search": two(1, 4, "epochs=1"),
}
DISTRIBUTION = {"model": MODELS, "max_texts": two(10, 5000)}
SMOOTHED = {
    "max_order": two(2, 4),
    "smoothing": two("floor", "add-k"),
    "smooth_value": two(0.1, 0.7, "smoothing='floor'"),
    "lowercase": two(True, False),
    "tokenizer": TOKENIZERS,
}


@cache
def wordnet() -> str:
    """Write a WordNet in which a car is an automobile."""
    return str(write_tiny(Path(mkdtemp(prefix="assay-wordnet-")) / "tiny"))


@cache
def meteor_tables(other: bool = False) -> str:
    """Write tables of METEOR 1.5 with some paraphrases, or with others."""
    folder = Path(mkdtemp(prefix="assay-meteor-")) / "meteor"
    return str(write_tables(folder, (("nothing", "the cat"),)) if other else write_tables(folder))


@cache
def documents() -> str:
    """Write a data file whose references are documents."""
    path = Path(mkdtemp(prefix="assay-documents-")) / "documents.jsonl"
    rows = [{"item": f"d{n}", "text": "x", "references": [text]} for n, text in enumerate(TEXTS[:5])]
    save(Dataset.from_records(rows), path)
    return str(path)


def parameters() -> dict[str, dict[str, Two]]:
    """List two values of every parameter."""
    encoder = repr(str(tiny_encoder()))
    return {
        "abs_hds": {
            "criterion": two("diversity", "content_diversity"),
            "aggregate": two("mean", "median"),
        },
        "asp_hds": {"aspect": two("content", "form"), "aggregate": two("mean", "median", "aspect='content'")},
        "bert_score": {
            "model": MODELS,
            "layer": two(1, 2),
            "part": two("precision", "recall"),
            "references": REFERENCES,
        },
        "blend": {
            "members": two(Call("(bleu(),)"), Call("(length(), chrf())"), "criterion='typicality'"),
            "criterion": two("typicality", "real", "members=(length(),)"),
            "penalty": two(0.0, 10.0, "members=(length(),), criterion='typicality'"),
        },
        "bleu": {
            **SMOOTHED,
            "effective_order": two(True, False),
            "variant": two("sacrebleu", "nltk"),
            "references": REFERENCES,
        },
        "chrf": {
            "char_order": two(3, 6),
            "word_order": two(0, 2),
            "beta": two(1.0, 3.0),
            "lowercase": two(True, False),
            "whitespace": two(True, False),
            "eps_smoothing": two(True, False),
            "references": REFERENCES,
        },
        "cider": {
            "variant": two("d", "plain"),
            "max_order": two(2, 4),
            "sigma": two(1.0, 6.0),
            "documents": two("pooled", documents()),
            "tokenizer": TOKENIZERS,
            "lowercase": two(True, False),
            "references": REFERENCES,
        },
        "cnn": NETWORK,
        "cnn_lstm": NETWORK,
        "column": {"name": two("quality", "grade")},
        "compression_ratio": {"variant": two("sorted", "published")},
        "content_diversity": {"model": MODELS, "least": two(0.0, 1.0)},
        "cos_sim": {"max_order": two(1, 3), "order": two(1, 2), "tokenizer": TOKENIZERS},
        "cross_encoder": {
            "model": two(str(tiny_cross_encoder()), str(tiny_cross_encoder(seed=5))),
            "references": REFERENCES._replace(beside=f"model={str(tiny_cross_encoder())!r}"),
        },
        "distinct": {"max_order": two(1, 3), "order": two(1, 2), "tokenizer": TOKENIZERS},
        "edit_distance": {"tokenizer": TOKENIZERS, "max_pairs": two(2, 100)},
        "embedding_diversity": {"model": MODELS},
        "exact_match": {
            "ignore_case": two(True, False),
            "ignore_punctuation": two(True, False),
            "ignore_numbers": two(True, False),
            "ignore_articles": two(True, False),
            "ignore_spacing": two(True, False),
            "references": REFERENCES,
        },
        "fine_tuned": {
            "encoder": two(str(tiny_encoder()), str(tiny_encoder(seed=2)), "epochs=1"),
            "layers": two(1, 2, f"encoder={encoder}, epochs=1"),
            "max_tokens": two(4, 128, f"encoder={encoder}, epochs=1"),
            "epochs": two(1, 2, f"encoder={encoder}"),
            "search": two(1, 3, f"encoder={encoder}, epochs=1"),
        },
        "fluency": {
            "model": two(str(tiny_judge()), str(tiny_judge(1))),
            "norm": two("token", "text", FLUENT),
            "corpus": two(str(tiny_corpus("a b 1")), str(tiny_corpus("t t 5")), f"{FLUENT}, norm='slor'"),
        },
        "homogeneity": {"model": MODELS},
        "human": {
            "criterion": two("typicality", "real"),
            "aggregate": two("mean", "majority", "criterion='typicality'"),
            "of": two(1.0, 2.0, "criterion='typicality', aggregate='share'"),
            "votes": two(3, 4, "criterion='typicality'"),
        },
        "human_listener": {
            "criterion": two("typicality", "real"),
            "reading": two("clicked", "not described"),
            "score": LISTENER_SCORES,
        },
        "huse": HUSE,
        "huse_d": HUSE,
        "huse_q": {
            **{name: HUSE[name] for name in ("k", "quality", "beside", "ties", "vote_tie")},
            "ties": two("exact", "paper", "k=5"),
            "scale": two(True, False, "beside=(length(),)"),
        },
        "inertia": {"n_clusters": two(1, 2), "model": MODELS},
        "judge": {
            "model": two(str(tiny_judge()), str(tiny_judge(1)), "least_mass=0.0"),
            "form": two("rating", "typicality", f"model={str(tiny_judge())!r}, least_mass=0.0"),
            "answer": two(
                Call("'expected', least_mass=0.0"),
                Call("'chosen', max_tokens=1, temperature=2.0"),
                f"model={str(tiny_judge())!r}",
            ),
            "orders": two("both", "first", f"model={str(tiny_judge())!r}, form='preference', least_mass=0.0"),
            "least_mass": two(0.0, 0.295, f"model={str(tiny_judge(2))!r}"),
            "samples": two(1, 9, f"{CHOSEN}, max_tokens=1, temperature=30.0"),
            "temperature": two(3.0, 60.0, f"{CHOSEN}, max_tokens=1"),
            "max_tokens": two(1, 2, f"{CHOSEN}, temperature=30.0"),
        },
        "length": {"tokenizer": TOKENIZERS},
        "listener": {
            "kind": two("literal", "pragmatic", "epochs=1"),
            "learns": two("targets", "clicks", "epochs=1"),
            "epochs": two(1, 2),
            "score": LISTENER_SCORES._replace(beside="epochs=1"),
        },
        "logistic": {
            "features": two("embeddings", "ngrams"),
            "encoder": MODELS,
            "tokenizer": TOKENIZERS._replace(beside="features='ngrams'"),
            "max_order": two(1, 3, "features='ngrams'"),
            "min_texts": two(1, 4, "features='ngrams'"),
            "search": two(1, 30, "features='ngrams'"),
        },
        "lstm": NETWORK,
        "mauve": {
            **DISTRIBUTION,
            "n_clusters": two(2, 9),
            "scaling": two(1.0, 5.0),
            "smoothed": two(True, False),
            "seed": two(0, 1, "max_texts=10"),
        },
        "lm_listener": {
            "model": two(str(reading_model()), str(reading_model(seed=1))),
            "reads": two("output", "choice", f"model={str(reading_model())!r}"),
            "prior": two("uniform", "model", f"model={str(reading_model())!r}"),
            "template": two("{given} {text}", "a: {given} b: {text}", f"model={str(reading_model())!r}"),
            "temperature": two(1.0, 3.0, f"model={str(reading_model())!r}"),
            "score": LISTENER_SCORES._replace(beside=f"model={str(reading_model())!r}"),
        },
        "meteor": {
            "variant": two("2005", "1.5"),
            "tables": two(meteor_tables(), meteor_tables(other=True), "variant='1.5'"),
            "stemmer": two(True, False),
            "wordnet": two("", wordnet()),
            "align": two("fewest-chunks", "nltk"),
            "alpha": two(0.5, 0.9),
            "beta": two(1.0, 3.0),
            "gamma": two(0.2, 0.5),
            "tokenizer": TOKENIZERS,
            "references": REFERENCES,
        },
        "mixed_listener": {
            "listeners": two(Call("(human_listener(),)"), Call("(human_listener(), text_listener())")),
            "temperature": two(0.5, 2.0, "listeners=(human_listener(),)"),
            "score": LISTENER_SCORES._replace(beside="listeners=(human_listener(),)"),
        },
        "mmd": {**DISTRIBUTION, "bandwidth": two(0.5, 2.0), "seed": two(0, 1, "max_texts=10")},
        "mtld": {"threshold": two(0.6, 0.9), "tokenizer": TOKENIZERS},
        "nb": DISCRIMINATOR,
        "neighbors": {
            "kernel": two("bleu", "rouge_l", "criterion='typicality', min_neighbors=1"),
            "tau": two(0.1, 0.4, "criterion='typicality', min_neighbors=1"),
            "min_neighbors": two(1, 9, "criterion='typicality'"),
            "max_fraction": two(0.5, 1.0, "criterion='typicality', min_neighbors=1, tau=0.05"),
            "tokenizer": two(
                "chars", "lower+chars", "criterion='typicality', min_neighbors=1, max_fraction=1.0, tau=0.12"
            ),
            "orders": two((2, 3), (2, 3, 4), "criterion='typicality', min_neighbors=1"),
            "encoder": MODELS._replace(
                beside="kernel='cosine', criterion='typicality', min_neighbors=1, max_fraction=1.0"
            ),
            "weights": two("uniform", "similarity", "criterion='typicality', min_neighbors=1"),
            "criterion": two("typicality", "real", "min_neighbors=1"),
            "column": two("quality", "grade", "min_neighbors=1"),
            "subsample": two(0.5, 1.0, "criterion='typicality', min_neighbors=1"),
        },
        "ngram_entropy": {"order": two(1, 2), "tokenizer": TOKENIZERS},
        "numeric_match": {
            "answer": two("last", "marked"),
            "compare": two("value", "text"),
            "references": REFERENCES,
        },
        "perplexity": {"under": two("a", "b")},
        "reduce": {
            "similarity": two(Call("chrf()"), Call("bleu()")),
            "max_pairs": two(2, 100, "similarity=chrf()"),
        },
        "rf": {
            **DISCRIMINATOR,
            "max_features": two(5, 20, "trees=3"),
            "trees": two(2, 4),
            "search": two(1, 4, "trees=3"),
        },
        "rnk_hds": {"criterion": two("more_diverse", "more_varied")},
        "rouge": {
            "kind": two("1", "L"),
            "variant": two("rouge-score", "coco"),
            "measure": two("precision", "recall"),
            "stemmer": two(True, False),
            "tokenizer": TOKENIZERS,
            "beta": two(1.0, 3.0),
            "references": REFERENCES,
        },
        "repetition": {"tokenizer": TOKENIZERS, "max_order": two(1, 3), "search": two(1, 30)},
        "rsa": {
            "listener": two(Call("text_listener()"), Call("text_listener(reader='ngrams')")),
            "rationality": two(1.0, "infinite", "listener=text_listener()"),
            "cost": two(0.0, 0.5, "listener=text_listener()"),
            "depth": two(1, 2, "listener=text_listener()"),
            "utility": two("log", "probability", "listener=text_listener()"),
            "prior": two((), (0.6, 0.3, 0.1), "listener=text_listener()"),
            "alternatives": two("all", ("people",), "listener=text_listener()"),
            "score": two("probability", "hit", "listener=text_listener()"),
        },
        "self_bleu": SMOOTHED,
        "set_value": {
            "name": two("label_value", "other_label"),
            "high": two("a", "b", "name='system'"),
            "log10": two(True, False, "name='temperature'"),
        },
        "sim_hds": {"criterion": two("similarity", "likeness"), "aggregate": two("mean", "median")},
        "surface": {"of": two(("length",), ("length", "punctuation")), "search": two(1, 30)},
        "svm": DISCRIMINATOR,
        "support_precision": {
            "model": MODELS._replace(beside="k=2, max_texts=10"),
            "k": two(1, 3),
            "max_texts": two(10, 5000, "k=1"),
            "seed": two(0, 1, "max_texts=10"),
        },
        "support_recall": {
            "model": MODELS._replace(beside="k=2, max_texts=10"),
            "k": two(1, 3),
            "max_texts": two(10, 5000, "k=1"),
            "seed": two(0, 1, "max_texts=10"),
        },
        "ter": {"tokenizer": TOKENIZERS, "lowercase": two(True, False), "references": REFERENCES},
        "token_f1": {"tokenizer": TOKENIZERS, "references": REFERENCES},
        "text_listener": {
            "reader": two("bm25", "ngrams"),
            "score": two("probability", "surprisal"),
            "distractors": two("given", "nearest"),
            "n_choices": two(2, 4),
            "seed": two(0, 1),
            "temperature": two(0.5, 2.0),
            "tokenizer": TOKENIZERS,
            "k1": two(0.5, 2.0),
            "b": two(0.0, 1.0),
            "order": two(1, 2, "reader='ngrams'"),
            "mu": two(1.0, 50.0, "reader='ngrams'"),
        },
        "trained_content_diversity": {
            "label": two("label_value", "other_label", f"encoder={encoder}, epochs=0.5"),
            "encoder": MODELS._replace(beside="epochs=0.1, pairs=False"),
            "epochs": two(0.5, 3.0, f"encoder={encoder}, pairs=False"),
            "learning_rate": two(1e-4, 1e-2, f"encoder={encoder}, pairs=False"),
            "pairs": two(True, False, f"encoder={encoder}, epochs=0.5"),
        },
        "type_token_ratio": {"tokenizer": TOKENIZERS},
        "vendi": {"model": MODELS},
        "volume": {"model": MODELS},
        "wms": {
            "vectors": two(str(tiny_vectors()), str(tiny_vectors(1))),
            "parts": two("words", "sentences", VECTORS),
            "tokenizer": two("lower+13a", "whitespace", VECTORS),
            "references": REFERENCES._replace(beside=VECTORS),
        },
        "xgboost": {
            **DISCRIMINATOR,
            "max_features": two(5, 20),
            "rounds": two(1, 5),
            "search": two(1, 4, "rounds=5, min_texts=1"),
        },
    }


def reference_parameters() -> dict[str, dict[str, Two]]:
    """List two values of every parameter of a source of references."""
    return {
        "given": {},
        "nearest": {
            "k": two(1, 3),
            "among": two("human", "all"),
            "by": two("tfidf", str(tiny_encoder()), "k=1"),
            "tokenizer": two("lower+13a", "chars"),
        },
        "others": {"among": two("human", "all"), "alone": two("gap", "itself")},
    }


# What could do nothing is refused with a message that holds these words.
REFUSED: Mapping[str, str] = {
    f"fluency({str(tiny_judge())!r}, norm='slor')": "slor needs a corpus",
    f"fluency({str(tiny_judge())!r}, corpus={str(tiny_corpus('a b 1'))!r})": "leave it out",
    "judge('url(x@http://localhost:1/v1)', orders='both')": "shows one text: leave orders out",
    "judge('url(x@http://localhost:1/v1)', samples=3)": "samples is for a chosen answer",
    "judge('url(x@http://localhost:1/v1)', max_tokens=3)": "max_tokens is for a chosen answer",
    "judge('url(x@http://localhost:1/v1)', temperature=1.0)": "temperature is for a chosen answer",
    "judge('url(x@http://localhost:1/v1)', answer='chosen', least_mass=0.1)": "least_mass is for an expected answer",
    "judge('url(x@http://localhost:1/v1)', answer='chosen', samples=3, temperature=0.0)": "all samples are the same",
    "blend((), 'typicality')": "at least one evaluator",
    "blend((length,), 'typicality', penalty=-1.0)": "must be 0 or more",
    "logistic(max_order=2)": "has no max_order",
    "logistic(features='ngrams', encoder='minilm')": "has no encoder",
    "cnn(epochs=0)": "must be 1 or more",
    "lstm(max_tokens=0)": "must be 1 or more",
    "fine_tuned(layers=0)": "must be 1 or more",
    "surface(of=('colour',))": "knows no 'colour'",
    "surface(of=())": "one or more different things",
    "nb(search=0)": "must be 1 or more",
    "svm(min_texts=0)": "must be 1 or more",
    "rf(trees=0)": "must be 1 or more",
    "xgboost(rounds=0)": "must be 1 or more",
    "bleu(smooth_value=0.5)": "the smoothing 'exp' has no value",
    "bleu(variant='coco', smooth_value=0.5)": "the smoothing 'none' has no value",
    "bleu(variant='coco', smoothing='floor')": "has no smoothing",
    "bleu(variant='nltk', effective_order=True)": "has no effective order",
    "self_bleu(smoothing='exp', smooth_value=0.5)": "the smoothing 'exp' has no value",
    "cider(variant='plain', sigma=2.0)": "has no sigma",
    "rouge(variant='coco', measure='recall', beta=3.0)": "has no beta",
    "rouge('Lsum', variant='coco')": "has no 'Lsum'",
    "mixed_listener(())": "at least one listener",
    "mixed_listener((human_listener,), temperature=0.0)": "must be above 0",
    "listener(epochs=0)": "must be 1 or more",
    "meteor(tables='installed')": "has no tables",
    "meteor(variant='1.5', align='nltk')": "has its own stages",
    "meteor(variant='1.5', stemmer=False)": "has its own stages",
    "meteor(variant='1.5', wordnet='installed')": "has its own stages",
    "mauve(n_clusters=1)": "at least 2",
    "mmd(bandwidth=0.0)": "above 0",
    "support_recall(k=0)": "from 1 to 9",
    "human('typicality', votes=0)": "must be 1 or more",
    "human('typicality', of=2.0)": "is for aggregate='share'",
    "neighbors(kernel='cosine', tokenizer='13a')": "has no tokenizer",
    "neighbors(kernel='rouge_l', orders=(1, 2))": "has no orders",
    "neighbors(encoder='minilm')": "has no encoder",
    "rsa(text_listener(), rationality=0.0)": "must be above 0",
    "rsa(text_listener(), depth=0)": "must be 1 to 100",
    "rsa(text_listener(), prior=(0.0, 0.0))": "weights of 0 or more, at least one above 0",
    "rsa(text_listener(), cost=-1.0)": "must be 0 or more",
    "text_listener(order=2)": "has no order",
    "text_listener(reader='ngrams', k1=1.0)": "has no k1",
    "text_listener(reader='minilm', tokenizer='13a')": "has no tokenizer",
    "text_listener(distractors='given', n_choices=3)": "takes the choices in the data",
    "text_listener(distractors='nearest', seed=1)": "draws nothing at random",
    "text_listener(temperature=0.0)": "must be above 0",
    "text_listener(b=2.0)": "at most 1",
    "neighbors(criterion='typicality', column='grade')": "quality from both",
    "bleu(references=nearest(by='minilm', tokenizer='13a'))": "has no tokenizer",
}

TEXTS = (
    "The cat sat on the mat, purring.",
    "A dog, of course, barked at 3.5 cats!",
    "the cats were sitting on the mat and the cat sat",
    "Nothing happened at all today.",
    "Nothing happened.",
    "It rained; we stayed at home and read.",
    "My car was big, I think, and the cat sat in it.",
    "the mat the cat the mat sat on on",
    "We read at home. The rain stayed, the cat sat, the dog barked and nothing else happened at all that day.",
    "My automobile was large and the cat sat in it.",
)

# Each equals a reference by one option of exact_match, or has a number where one of numeric_match looks.
ANSWERS = ("the total, 5.0", "The total 5.0", "The total, 6.0", "sum a total", "sum total", "#### 5.0 or 8", "It is 5")
THINGS = ("cat", "dog", "mat", "rain", "big car", "home", "automobile")


def telling() -> Dataset:
    """Six items, people and two systems, sets of four: texts, answers and numbers in which every parameter shows."""
    return Dataset.from_records(_rows())


def training() -> Dataset:
    """The same in other words and about other contexts: what fitted evaluators learn from.

    Human texts often speak of "we", so that there is something by which to know them.
    """
    rows = [
        {
            **row,
            "text": row["text"].replace("a", "o") + (" We read." if row["human"] and number % 4 else f" So {number}."),
            "context": row["context"].replace("day", "week"),
        }
        for number, row in enumerate(_rows())
    ]
    return Dataset.from_records(rows)


def _rows() -> list[dict[str, Any]]:
    rng = np.random.default_rng(7)
    rows: list[dict[str, Any]] = []
    for item in range(6):
        for system in ("people", "a", "b"):
            rows += [
                _output(rng, item, system, nth, number) for nth, number in enumerate(range(len(rows), len(rows) + 4))
            ]
    rows.append(_output(rng, 6, "lonely", 0, len(rows)))
    for nth, text in enumerate(ANSWERS):
        answer = _output(rng, 7, "lonely", nth, len(rows))
        rows.append({**answer, "text": text, "references": ["The total, 5.0", "sum   total", "#### 5.0"]})
    return rows


def _output(rng: np.random.Generator, item: int, system: str, nth: int, number: int) -> dict[str, Any]:
    text = TEXTS[(3 * item + 5 * nth + len(system) + nth * nth) % len(TEXTS)]
    return {
        "id": f"o{number}",
        "item": f"i{item}",
        "context": f"What happened to the {THINGS[item % len(THINGS)]} on day {item}?",
        "choices": COLORS if item % 4 == 3 else [TEXTS[(item + place) % len(TEXTS)] for place in (0, 3, 7)],
        "target": item % 3,
        "references": [TEXTS[item % 3], TEXTS[6 + item % 3]],
        "system": system,
        "set": f"i{item}-{system}",
        "set_columns": {"label_value": float((item + len(system)) % 2), "other_label": float(item % 2)},
        "human": system == "people",
        "params": {"temperature": 0.5 + item / 10},
        "text": f"{text} {'Really!' if nth == 3 else ''}".strip(),
        "described": float(nth % 3),
        "quality": float(rng.integers(0, 5)),
        "grade": float(rng.integers(0, 5)),
        "logprobs": {name: _logprob(rng) for name in ("a", "b")},
        "judgments": [
            {"annotator": f"w{k}", "criterion": criterion, "value": int(rng.integers(0, 4)), "choice": choice % 3}
            for k in range(3)
            for criterion, choice in (("typicality", k // 2 + nth), ("real", k // 2 + item + 2 * nth))
        ]
        + ([{"annotator": "w3", "criterion": "typicality", "value": 1, "choice": 1}] if number % 5 == 0 else [])
        + (_about_sets(rng, item, system, number) if nth == 0 and system != "lonely" else []),
    }


def _logprob(rng: np.random.Generator) -> float:
    return -np.inf if rng.random() < 0.15 else -float(rng.integers(1, 40))


def _about_sets(rng: np.random.Generator, item: int, system: str, number: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for annotator in ("w0", "w1", "w2"):
        for criterion in ("diversity", "content_diversity", "form_diversity"):
            found.append({"criterion": criterion, "unit": "set", "annotator": annotator})
        for criterion in ("similarity", "likeness"):
            found.append({"criterion": criterion, "other": f"o{number + 1}", "annotator": annotator})
        for criterion in ("more_diverse", "more_varied"):
            other = f"i{(item + 1) % 6}-{system}"
            found.append({"criterion": criterion, "unit": "set", "other": other, "annotator": annotator})
    return [{**answer, "value": int(rng.integers(0, 9))} for answer in found]
