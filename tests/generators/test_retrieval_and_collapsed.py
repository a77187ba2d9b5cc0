from itertools import product
from math import exp, inf, isclose, log

import numpy as np
import pytest

from assay.errors import GeneratorError
from assay.generators.collapsed import CollapsedGenerator
from assay.generators.ngram import NGramGenerator, NGramModel
from assay.generators.retrieval import RetrievalGenerator

STORE = {"how are you": ["fine", "fine", "not  bad"], "where do you live": ["here"]}


def test_retrieval_repeats_its_store_in_proportion() -> None:
    generator = RetrievalGenerator(STORE)
    texts = generator.sample("how are you", 6000, np.random.default_rng(0))
    assert set(texts) == {"fine", "not bad"}
    assert abs(texts.count("fine") / 6000 - 2 / 3) < 0.03
    assert generator.logprob("fine", "how are you") == (log(2 / 3), 1)
    assert generator.logprob("not bad", "how are you") == (log(1 / 3), 2)


def test_retrieval_only_returns_stored_texts() -> None:
    generator = RetrievalGenerator(STORE)
    assert generator.logprob("here", "how are you") == (-inf, 1)
    assert generator.logprob("very well thanks", "how are you") == (-inf, 3)


def test_retrieval_takes_the_nearest_context() -> None:
    generator = RetrievalGenerator(STORE)
    assert generator.sample("Where is it", 1, np.random.default_rng(0)) == ["here"]
    assert generator.nearest("nothing in common at all") == "how are you"
    assert generator.nearest("") == "how are you"


@pytest.mark.parametrize("store", [{}, {"a": ["x"], "b": []}])
def test_an_empty_store_is_rejected(store: dict[str, list[str]]) -> None:
    with pytest.raises(GeneratorError, match="no text to return"):
        RetrievalGenerator(store)


def small_base() -> NGramGenerator:
    return NGramGenerator(NGramModel({"c": ["a cat sat", "a cat ran", "a dog"]}, max_words=3))


@pytest.mark.parametrize("escape", [0.0, 0.1, 1.0])
def test_collapsed_probabilities_sum_to_one(escape: float) -> None:
    base = small_base()
    generator = CollapsedGenerator(base, escape=escape)
    every = [" ".join(words) for length in (1, 2, 3) for words in product(base.model.words, repeat=length)]
    assert isclose(sum(exp(generator.logprob(text, "c").logprob) for text in every), 1.0, rel_tol=1e-12)


def test_collapsed_samples_its_modes_with_their_probability() -> None:
    generator = CollapsedGenerator(small_base(), n_modes=2, escape=0.2, seed=3)
    n = 5000
    texts = generator.sample("c", n, np.random.default_rng(0))
    for mode in generator.modes("c"):
        assert abs(texts.count(mode) / n - exp(generator.logprob(mode, "c").logprob)) < 0.03
    assert 0.1 < sum(text not in generator.modes("c") for text in texts) / n < 0.2


def test_the_modes_are_the_likeliest_per_word_and_do_not_depend_on_call_order() -> None:
    base = small_base()
    one, other = CollapsedGenerator(base, seed=5), CollapsedGenerator(base, seed=5)
    other.modes("another context")
    assert one.modes("c") == other.modes("c")
    best, second = (base.logprob(mode, "c") for mode in one.modes("c"))
    assert best.logprob / best.n_tokens >= second.logprob / second.n_tokens


def test_without_escape_everything_else_is_impossible() -> None:
    generator = CollapsedGenerator(small_base(), escape=0.0)
    assert generator.logprob("sat sat sat", "c") == (-inf, 3)


@pytest.mark.parametrize("options", [{"n_modes": 0}, {"escape": 1.5}, {"n_modes": 4, "n_tries": 3}])
def test_invalid_settings_are_rejected(options: dict[str, float]) -> None:
    with pytest.raises(GeneratorError, match="n_modes"):
        CollapsedGenerator(small_base(), **options)  # type: ignore[arg-type]
