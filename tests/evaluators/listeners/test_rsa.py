"""Rational Speech Acts over literal listeners: games by hand through the data, and what is a gap."""

import numpy as np
import pytest

import assay
from assay import Dataset
from assay.errors import EvaluatorError
from assay.kernels.games.rsa import reason
from assay.listening import beliefs_of

OBJECTS = ["blue square", "blue circle", "green square"]
WORDS = ["blue", "circle", "green", "square"]


def objects(words=WORDS, **further):
    """The game of Frank and Goodman (2012) as data: an item per object, an output per true word."""
    return Dataset.from_records(
        [
            {"item": target, "choices": OBJECTS, "target": place, "text": word, "system": "people", **further}
            for place, target in enumerate(OBJECTS)
            for word in words
        ]
    )


def heard(data, call):
    column = assay.score(data, [call])[call]
    return {
        (output.item.id, output.text): beliefs_of(column).heard[row] for row, output in enumerate(data.iter_outputs())
    }


def literal(data):
    return heard(data, "text_listener()")


@pytest.mark.parametrize("depth", [1, 3])
def test_it_is_the_kernel_on_the_literal_listener(depth):
    data = objects()
    table = np.stack([literal(data)["blue square", word] for word in WORDS])
    expected = reason(np.log(table), np.ones(3) / 3, np.zeros(4), 2.0, depth)[-1].listener
    actual = heard(data, f"rsa(text_listener(), rationality=2.0, depth={depth})")
    for place, word in enumerate(WORDS):
        assert actual["blue square", word] == pytest.approx(np.exp(expected[place]), abs=1e-12)


def test_blue_means_the_square():
    """A reader of words alone does not know which blue object is meant; one who knows the other words does."""
    data = objects()
    plain, pragmatic = literal(data)["blue square", "blue"], heard(data, "rsa(text_listener())")["blue square", "blue"]
    assert plain[0] == pytest.approx(plain[1]) and pragmatic[0] > pragmatic[1] + 0.05


def test_by_hand_from_a_cold_reader():
    """Cold enough, BM25 is a lexicon: then L1(blue square | blue) is 3/5 (Frank and Goodman 2012)."""
    beliefs = heard(objects(), "rsa(text_listener(temperature=0.005))")
    assert beliefs["blue square", "blue"] == pytest.approx([3 / 5, 2 / 5, 0], abs=1e-9)


def test_prior_cost_and_alternatives():
    data = objects()
    plain = heard(data, "rsa(text_listener())")
    assert (
        heard(data, "rsa(text_listener(), prior=(5.0, 1.0, 1.0))")["blue square", "blue"][0]
        > plain["blue square", "blue"][0]
    )
    longer = objects([*WORDS, "blue blue blue"])
    costly = heard(longer, "rsa(text_listener(), cost=3.0)")["blue circle", "blue"]
    assert costly[0] != pytest.approx(heard(longer, "rsa(text_listener())")["blue circle", "blue"][0])


def test_alternatives_of_named_systems():
    rows = [
        {"item": "g", "choices": OBJECTS, "target": 0, "text": word, "system": system}
        for word, system in [("blue", "model"), ("square", "model"), ("circle", "given"), ("green", "given")]
    ]
    data = Dataset.from_records(rows)
    given = heard(data, "rsa(text_listener(), alternatives='given')")["g", "blue"]
    alone = heard(Dataset.from_records([rows[0], *rows[2:]]), "rsa(text_listener())")["g", "blue"]
    assert given == pytest.approx(alone, abs=1e-12)


def test_equal_texts_are_one_alternative():
    rows = [
        {"item": "g", "choices": OBJECTS, "target": 0, "text": word, "system": system}
        for system in ("a", "b")
        for word in WORDS
    ]
    twice, once = (heard(Dataset.from_records(some), "rsa(text_listener())") for some in (rows, rows[:4]))
    assert all(np.array_equal(twice[key], once[key]) for key in once)


def test_it_listens_to_games_that_its_listener_makes():
    rows = [
        {
            "item": f"i{n}",
            "context": f"about topic{n} and thing{n % 3}",
            "text": f"{word}{n % 3 if word == 'thing' else n}",
        }
        for n in range(9)
        for word in ("topic", "thing")
    ]
    values = assay.score(Dataset.from_records(rows), ["rsa(text_listener())"])["rsa(text_listener())"].values
    assert not np.isnan(values).any()


def test_gaps():
    rows = [
        {"item": "alone", "choices": ["a", "b"], "target": 0, "text": "a"},
        {"item": "two", "choices": ["a cat", "a dog"], "target": 0, "text": "cat"},
        {"item": "two", "choices": ["a cat", "a dog"], "target": 0, "text": "  "},
        {"item": "two", "choices": ["a cat", "a dog"], "target": 0, "text": "dog"},
        {"item": "none", "text": "a"},
    ]
    call = "rsa(text_listener(), prior=(1.0, 2.0))"
    column = assay.score(Dataset.from_records(rows), [call])[call]
    assert [column.gaps[row] for row in range(5)] == [
        "no other utterance of its item to choose from",
        "",
        "empty utterance",
        "",
        "no choices",
    ]
    wrong = "rsa(text_listener(), prior=(1.0, 2.0, 3.0))"
    assert assay.score(Dataset.from_records(rows), [wrong])[wrong].gaps[1] == "the prior has 3 weights for 2 choices"


def test_what_no_speaker_says_is_a_gap():
    """A costly synonym, to a perfectly rational speaker."""
    rows = [
        {"item": "g", "choices": ["a cat", "a dog"], "target": 0, "text": text} for text in ("cat", "cat zzz", "dog")
    ]
    call = "rsa(text_listener(), rationality='infinite', cost=1.0)"
    column = assay.score(Dataset.from_records(rows), [call])[call]
    assert column.gaps[1] == "no speaker of this level would say it" and column.values[0] == 1.0


def test_mistakes():
    with pytest.raises(EvaluatorError, match="length leaves no beliefs"):
        assay.score(objects(), ["rsa(length())"])
    with pytest.raises(EvaluatorError, match="no system 'nobody'"):
        assay.score(objects(), ["rsa(text_listener(), alternatives='nobody')"])
