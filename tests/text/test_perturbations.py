"""Every way to damage a text, on a text made for it."""

from random import Random

import pytest

from assay.text.perturbations import PERTURBATIONS, Source

SOURCE = Source("What happened?", ["Paris", "Alice"])
BY_NAME = {one.name: one for one in PERTURBATIONS}


def damaged(name, text):
    return BY_NAME[name].damage(text, SOURCE, Random(1))


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("truncate", "one two three four", "one two"),
        ("repeat", "Yes.", "Yes. Yes."),
        ("negate", "It is late.", "It is not late."),
        ("negate", "It isn't late.", "It is late."),
        ("context", "It rained.", "What happened?"),
        ("pad", "x", "x That is what there is to say about it, and there is not much to add to that."),
        ("flatter", "x", "x This is a good answer."),
        ("case", "Yes", "YES"),
        ("format", "Yes", "- **Yes**"),
        ("entities", "We met Bob in Alice there.", "We met Paris in Paris there."),
    ],
)
def test_damage(name, text, expected):
    assert damaged(name, text) == expected


def test_random_damage_keeps_what_it_should():
    shuffled = damaged("shuffle", "one two three four")
    assert shuffled != "one two three four" and sorted(shuffled.split()) == ["four", "one", "three", "two"]
    assert damaged("numbers", "In 1990 we were 3.") not in (None, "In 1990 we were 3.")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("truncate", "one"),
        ("shuffle", "a a a"),
        ("numbers", "none"),
        ("entities", "none"),
        ("negate", "Rain."),
        ("case", "!"),
    ],
)
def test_what_does_not_apply(name, text):
    assert damaged(name, text) is None
