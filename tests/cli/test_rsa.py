"""Games typed by hand, from a TOML file to numbers, and every way to type one wrong."""

import json

import pytest
from click.testing import CliRunner

import assay
from assay.cli import cli
from assay.errors import DataError

BLUE = """
title = "Objects"
meanings = ["blue square", "blue circle", "green square"]

[lexicon]
blue = ["blue square", "blue circle"]
circle = ["blue circle"]
green = { "green square" = 1.0 }
square = ["blue square", "green square"]
"""


@pytest.fixture
def game(tmp_path):
    def write(text):
        path = tmp_path / "game.toml"
        path.write_text(text)
        return str(path)

    return write


def answered(*words):
    result = CliRunner().invoke(cli, ["rsa", *words, "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def probability(part, agent, utterance, meaning):
    (value,) = [
        number["value"]
        for number in part["numbers"]
        if (number.get("agent"), number.get("utterance"), number.get("meaning")) == (agent, utterance, meaning)
    ]
    return value


def test_a_typed_game_gives_its_numbers(game):
    part = answered(game(BLUE))
    assert part["title"] == "Objects"
    assert probability(part, "L1", "blue", "blue square") == pytest.approx(0.6, abs=1e-9)
    assert probability(part, "S1", "circle", "blue circle") == pytest.approx(2 / 3, abs=1e-9)
    assert [table["name"] for table in part["tables"]] == ["l0", "s1", "l1"]


def test_options_go_before_the_file(game):
    part = answered(game("rationality = 2\ndepth = 1\n" + BLUE), "--rationality", "inf", "--depth", "2")
    assert [table["name"] for table in part["tables"]][-1] == "l2"
    assert probability(part, "L1", "blue", "blue square") == 1
    assert "rationality=inf" in part["methods"][0]


def test_costs_prior_and_utility_change_the_numbers(game):
    plain = answered(game(BLUE))
    for addition in ("[cost]\nblue = 1.0", '[prior]\n"blue square" = 3\n"blue circle" = 1\n"green square" = 1'):
        other = answered(game(BLUE + addition))
        assert probability(other, "L1", "blue", "blue square") != probability(plain, "L1", "blue", "blue square")
        assert other["methods"][0] != plain["methods"][0]
    other = answered(game(BLUE), "--utility", "probability")
    assert probability(other, "S1", "green", "blue circle") > 0  # who values the probability may say what is false


def test_what_is_never_said_is_a_gap_with_a_reason(game):
    part = answered(game(BLUE + "azure = ['blue square']\n[cost]\nazure = 5"), "--rationality", "inf")
    (number,) = [
        number
        for number in part["numbers"]
        if number.get("agent") == "L1" and number["utterance"] == "azure" and number["meaning"] == "blue square"
    ]
    assert number["value"] is None and number["reason"] == "no speaker of this level would say it"
    assert any("azure" in note for note in part["notes"])


def test_a_meaning_without_an_utterance_is_named(game):
    part = answered(game('meanings = ["a", "b", "c"]\n[lexicon]\nx = ["a"]\ny = ["a", "b"]'))
    assert part["notes"] == ["'c': no utterance can express it."]


def test_python_and_the_command_line_say_the_same(game):
    path = game(BLUE)
    part = assay.rsa(assay.load_game(path), rationality=3.0)
    assert part.to_json()["numbers"] == answered(path, "--rationality", "3")["numbers"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title = 'x'", "no table [lexicon]"),
        ("[lexicon]", "the lexicon is empty"),
        ("[lexicon]\na = ['x']", "a single meaning leaves nothing to choose"),
        ("[lexicon]\na = ['x', 'y']\nb = []", "'b' is true of nothing"),
        ("[lexicon]\na = ['x', 'y']\nb = {x = 2.0}", "not 0 to 1"),
        ("[lexicon]\na = ['x', 'y']\nb = 'x'", "needs a list of meanings"),
        ("meanings = ['x', 'z']\n[lexicon]\na = ['x', 'y']", "not one of meanings"),
        ("meanings = ['x', 'y', 'x']\n[lexicon]\na = ['x', 'y']", "listed twice"),
        ("[lexicon]\na = ['x', 'y']\n[prior]\nx = 1", "the prior has no weight for 'y'"),
        ("[lexicon]\na = ['x', 'y']\n[prior]\nx = 1\ny = 1\nz = 1", "no meaning 'z'"),
        ("[lexicon]\na = ['x', 'y']\n[prior]\nx = 0\ny = 0", "At least one must be above 0"),
        ("[lexicon]\na = ['x', 'y']\n[prior]\nx = -1\ny = 2", "a weight of 0 or more"),
        ("[lexicon]\na = ['x', 'y']\n[cost]\nb = 1", "a cost of 'b', which is not said"),
        ("[lexicon]\na = ['x', 'y']\n[cost]\na = inf", "Give a number"),
        ("rationality = 0\n[lexicon]\na = ['x', 'y']", "a number above 0"),
        ("rationality = nan\n[lexicon]\na = ['x', 'y']", "a number above 0"),
        ("depth = 0\n[lexicon]\na = ['x', 'y']", "Give 1 (for S1 and L1)"),
        ("depth = true\n[lexicon]\na = ['x', 'y']", "Give a whole number"),
        ("utility = 'lgo'\n[lexicon]\na = ['x', 'y']", "Did you mean 'log'?"),
        ("lexikon = 1\n[lexicon]\na = ['x', 'y']", "Did you mean 'lexicon'?"),
        ("meanings = [1, 2]\n[lexicon]\na = ['x', 'y']", "a list of texts"),
        ("not toml", "not TOML"),
    ],
)
def test_a_mistake_is_one_plain_message(game, text, message):
    path = game(text)
    with pytest.raises(DataError) as error:
        assay.load_game(path)
    assert message in str(error.value) and "game.toml" in str(error.value)
