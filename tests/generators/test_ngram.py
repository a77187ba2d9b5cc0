from itertools import product
from math import exp, inf, isclose, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import GeneratorError
from assay.generators.ngram import END, NGramGenerator, NGramModel

TEXTS = {"pets": ["a cat sat", "a cat ran", "a dog"], "weather": ["sun", "rain a rain"]}


def small_model(max_words: int = 3, **options: object) -> NGramModel:
    return NGramModel(TEXTS, max_words=max_words, **options)  # type: ignore[arg-type]


def every_text(model: NGramModel) -> list[str]:
    return [
        " ".join(words) for length in range(1, model.max_words + 1) for words in product(model.words, repeat=length)
    ]


@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.0])
@pytest.mark.parametrize(("top_k", "top_p"), [(None, None), (3, None), (None, 0.8), (4, 0.9)])
@pytest.mark.parametrize("context", ["pets", "an unknown context"])
def test_probabilities_of_all_texts_sum_to_one(
    temperature: float, top_k: int | None, top_p: float | None, context: str
) -> None:
    model = small_model()
    generator = NGramGenerator(model, temperature, top_k, top_p)
    assert isclose(sum(exp(generator.logprob(text, context).logprob) for text in every_text(model)), 1.0, rel_tol=1e-12)


def test_witten_bell_by_hand() -> None:
    """Order 2 on "a b", "a": V = {end, a, b}; after a: b once, end once; unigrams: a 2, b 1, end 2."""
    model = NGramModel({"c": ["a b", "a"]}, order=2, topic_weight=0.0)
    uniform = 1 / 3
    unigram = {word: (count + 3 * uniform) / (5 + 3) for word, count in [("end", 2), ("a", 2), ("b", 1)]}
    after_a = {word: (count + 2 * unigram[word]) / (2 + 2) for word, count in [("end", 1), ("a", 0), ("b", 1)]}
    result = model.next_word(model.recent([model.numbers["a"]]), "c")
    assert np.allclose(result, [after_a["end"], after_a["a"], after_a["b"]], rtol=1e-14)


def test_logprob_is_the_product_of_the_steps() -> None:
    model = NGramModel({"c": ["a b", "a"]}, order=2, topic_weight=0.0)
    first = (2 + 1 * (2 + 1) / 8) / (2 + 1)  # both texts start with a
    end_first = (0 + 1 * (2 + 1) / 8) / (2 + 1)
    after_a_end = (1 + 2 * (2 + 1) / 8) / (2 + 2)
    assert isclose(NGramGenerator(model).logprob("a", "c").logprob, log(first / (1 - end_first)) + log(after_a_end))


def test_sampling_frequencies_match_the_probabilities() -> None:
    model = small_model(max_words=2)
    generator = NGramGenerator(model, temperature=0.8, top_p=0.95)
    n = 5_000
    texts = generator.sample("pets", n, np.random.default_rng(1))
    for text in every_text(model):
        probability = exp(generator.logprob(text, "pets").logprob)
        # Five standard deviations: a false alarm once in about 40,000 runs over the 42 texts.
        spread = 5 * (probability * (1 - probability) / n) ** 0.5
        assert abs(texts.count(text) / n - probability) <= spread


def test_truncated_words_are_impossible() -> None:
    model = small_model()
    generator = NGramGenerator(model, top_k=1)
    texts = set(generator.sample("pets", 50, np.random.default_rng(0)))
    assert len(texts) == 1
    assert generator.logprob(texts.pop(), "pets").logprob == 0.0
    assert generator.logprob("rain dog sun", "pets") == (-inf, 3)


def test_unknown_words_empty_texts_and_long_texts_are_impossible() -> None:
    generator = NGramGenerator(small_model(max_words=3))
    assert generator.logprob("a zebra", "pets") == (-inf, 2)
    assert generator.logprob("", "pets") == (-inf, 0)
    assert generator.logprob("a a a a", "pets") == (-inf, 4)
    assert generator.logprob("a a a", "pets").logprob > -inf


def test_a_word_added_to_the_vocabulary_is_possible() -> None:
    generator = NGramGenerator(small_model(vocabulary=["zebra", "cat"]))
    assert generator.logprob("a zebra", "pets").logprob > -inf
    assert generator.model.words.count("cat") == 1


def test_a_very_low_temperature_makes_nothing_impossible() -> None:
    generator = NGramGenerator(small_model(), temperature=0.002)
    assert -inf < generator.logprob("rain dog sun", "pets").logprob < -745  # exp would underflow


def test_the_context_matters() -> None:
    generator = NGramGenerator(small_model())
    assert generator.logprob("a cat", "pets") > generator.logprob("a cat", "weather")


def test_white_space_is_not_part_of_a_text() -> None:
    generator = NGramGenerator(small_model())
    assert generator.logprob("  a \n cat ", "pets") == generator.logprob("a cat", "pets")


@pytest.mark.parametrize(
    ("options", "message"),
    [({"temperature": 0.0}, "temperature"), ({"top_k": 0}, "top_k"), ({"top_p": 1.5}, "top_p")],
)
def test_invalid_settings_are_reported(options: dict[str, float], message: str) -> None:
    with pytest.raises(GeneratorError, match=message):
        NGramGenerator(small_model(), **options)  # type: ignore[arg-type]


def test_nothing_to_learn_from() -> None:
    with pytest.raises(GeneratorError, match="no word"):
        NGramModel({"c": ["", "  "]})
    with pytest.raises(GeneratorError, match="order"):
        NGramModel(TEXTS, order=0)
    with pytest.raises(GeneratorError, match="backoff"):
        NGramModel(TEXTS, backoff=0.0)


def test_less_backoff_trusts_the_training_texts_more() -> None:
    seen, unseen = "a cat sat", "dog dog dog"
    trusting, doubting = (NGramGenerator(small_model(backoff=b)) for b in (0.2, 2.0))
    assert trusting.logprob(seen, "pets") > doubting.logprob(seen, "pets")
    assert trusting.logprob(unseen, "pets") < doubting.logprob(unseen, "pets")


words = st.text("abc", min_size=1, max_size=2)
texts = st.lists(st.lists(words, min_size=1, max_size=4).map(" ".join), min_size=1, max_size=4)


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(words, texts, min_size=1, max_size=3),
    st.integers(1, 4),
    st.floats(0.2, 3.0),
    st.one_of(st.none(), st.integers(1, 5)),
    st.one_of(st.none(), st.floats(0.1, 1.0)),
    st.integers(0, 2**32),
)
def test_samples_are_possible_and_reproducible(
    groups: dict[str, list[str]],
    order: int,
    temperature: float,
    top_k: int | None,
    top_p: float | None,
    seed: int,
) -> None:
    model = NGramModel(groups, order=order, max_words=6)
    generator = NGramGenerator(model, temperature, top_k, top_p)
    context = next(iter(groups))
    sampled = generator.sample(context, 4, np.random.default_rng(seed))
    assert sampled == generator.sample(context, 4, np.random.default_rng(seed))
    for text in sampled:
        logprob, n_tokens = generator.logprob(text, context)
        assert -inf < logprob <= 1e-12
        assert n_tokens == len(text.split()) <= 6
    step = np.exp(generator.next_word([1], context))
    assert isclose(step.sum(), 1.0, rel_tol=1e-12)
    assert top_k is None or np.count_nonzero(step) <= top_k
    assert generator.next_word([], context)[END] == -inf


@settings(max_examples=60, deadline=None)
@given(texts, st.floats(0.05, 1.0))
def test_top_p_keeps_the_fewest_words_that_reach_it(training: list[str], top_p: float) -> None:
    model = NGramModel({"c": training})
    full = np.exp(NGramGenerator(model).next_word([1], "c"))
    in_nucleus = np.exp(NGramGenerator(model, top_p=top_p).next_word([1], "c")) > 0
    assert full[in_nucleus].sum() >= top_p - 1e-9
    assert full[in_nucleus].sum() - full[in_nucleus].min() < top_p + 1e-9
    assert not in_nucleus.all() or full[in_nucleus].min() > 0
    if not in_nucleus.all():
        assert full[in_nucleus].min() >= full[~in_nucleus].max()
