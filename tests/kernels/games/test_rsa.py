"""Rational Speech Acts against games worked out by hand, exact fractions, and what must hold of every game."""

from fractions import Fraction
from math import exp, inf

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.kernels.games.rsa import literal_listener, reason, success
from tests.oracles import rsa as plain

SCALAR = [[1, 1], [0, 1]]  # some, all; some but not all, all
# blue, circle, green, square; blue square, blue circle, green square (Frank and Goodman 2012)
OBJECTS = [[1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1]]


def played(lexicon, *, rationality=1.0, depth=1, cost=None, prior=None, utility="log"):
    """The rounds of a game as probabilities."""
    table = np.array(lexicon, float)
    weights = np.ones(table.shape[1]) if prior is None else np.array(prior, float)
    weights /= weights.sum()
    costs = np.zeros(len(table)) if cost is None else np.array(cost, float)
    rounds = reason(literal_listener(table, weights), weights, costs, rationality, depth, utility)
    return [(np.exp(one.speaker), np.exp(one.listener)) for one in rounds]


def exactly(expected):
    return pytest.approx(np.array(expected, float), abs=1e-12)


class TestGamesByHand:
    def test_scalar_implicature(self):
        """Who means all says all in two of three cases, so some means not all in three of four."""
        ((speaks, hears),) = played(SCALAR)
        assert speaks == exactly([[1, 1 / 3], [0, 2 / 3]])
        assert hears == exactly([[3 / 4, 1 / 4], [0, 1]])

    def test_scalar_implicature_one_level_deeper(self):
        """S2(some | all) = .25 / 1.25; L2(all | some) = .2 / 1.2."""
        _, (speaks, hears) = played(SCALAR, depth=2)
        assert speaks == exactly([[1, 1 / 5], [0, 4 / 5]])
        assert hears == exactly([[5 / 6, 1 / 6], [0, 1]])

    def test_blue_circle(self):
        """Blue is the square: for the circle there is a better word."""
        ((speaks, hears),) = played(OBJECTS)
        assert speaks.T == exactly([[1 / 2, 0, 0, 1 / 2], [1 / 3, 2 / 3, 0, 0], [0, 0, 2 / 3, 1 / 3]])
        assert hears == exactly([[3 / 5, 2 / 5, 0], [0, 1, 0], [0, 0, 1], [3 / 5, 0, 2 / 5]])

    def test_prior_cost_and_rationality(self):
        """L0(all | some) = .2; S1(all) is exp(-2 * .5) against .04; L1(all | some) = .2 x .04 / (...)."""
        ((speaks, hears),) = played(SCALAR, rationality=2.0, cost=[0, 0.5], prior=[0.8, 0.2])
        some = 0.04 / (0.04 + exp(-1))
        assert speaks == exactly([[1, some], [0, 1 - some]])
        assert hears[0] == exactly([0.8 / (0.8 + 0.2 * some), 0.2 * some / (0.8 + 0.2 * some)])

    def test_degrees(self):
        """L0(m | vague) is 2/3, 1/3."""
        ((_, hears),) = played([[1.0, 0.5], [0.0, 1.0]])
        assert hears[0] == exactly([4 / 5, 1 / 5])  # S1(vague | m2) = (1/3) / (1/3 + 1)

    def test_webppl_and_memo_scalar_implicature(self):
        """None, some or all of three people: 4/9, 4/9, 1/9, as WebPPL prints and memo's demo-scalar states."""
        lexicon = [[1, 0, 0, 0], [0, 1, 1, 1], [0, 0, 0, 1]]
        ((_, hears),) = played(lexicon)
        assert hears[1] == exactly([0, 4 / 9, 4 / 9, 1 / 9])


class TestMemo:
    """memo's demo-rsa and demo-rsa-recursive: utility is the probability; the literal agent is a speaker."""

    DENOTES = np.array([[0.0, 1.0], [1.0, 1.0]])  # utterance, referent

    def from_a_speaker(self):
        """A lexicon with which the literal listener is one who hears a literal speaker."""
        return self.DENOTES / self.DENOTES.sum(axis=0)

    def enumerated(self, beta, level):
        """The model as memo states it, with nothing but loops."""
        said = self.from_a_speaker()
        for _ in range(level):
            heard = said / said.sum(axis=1, keepdims=True)
            weights = np.array([[exp(beta * heard[u][r]) for r in range(2)] for u in range(2)])
            said = weights / weights.sum(axis=0)
        return said / said.sum(axis=1, keepdims=True)

    def test_the_first_listener_and_the_speaker_who_expects_it(self):
        """L(r | u) is 1/3 and 2/3 for the ambiguous utterance; the speaker prefers it at beta 3 by exp(2) to 1."""
        ((speaks, _),) = played(self.from_a_speaker(), rationality=3.0, utility="probability")
        literal = np.exp(literal_listener(self.from_a_speaker(), np.array([0.5, 0.5])))
        assert literal == exactly([[0, 1], [2 / 3, 1 / 3]])
        assert speaks[1] == exactly([exp(2) / (1 + exp(2)), exp(1) / (exp(3) + exp(1))])

    @pytest.mark.parametrize("level", [1, 2, 4])
    def test_recursion(self, level):
        *_, (_, hears) = played(self.from_a_speaker(), rationality=3.0, depth=level, utility="probability")
        assert hears == exactly(self.enumerated(3.0, level))

    @pytest.mark.parametrize(
        ("level", "printed"),
        [
            (1, [[0.11920292202211755, 0.8807970779778825], [0.8807970779778824, 0.11920292202211757]]),
            (2, [[0.09239113667902134, 0.9076088633209788], [0.9076088633209786, 0.09239113667902138]]),
            (4, [[0.07436752075952498, 0.925632479240475], [0.925632479240475, 0.07436752075952498]]),
        ],
    )
    def test_what_memo_prints(self, level, printed):
        """memo 1.3.3 (double precision) on its demo-rsa-recursive at beta 3."""
        *_, (_, hears) = played(self.from_a_speaker(), rationality=3.0, depth=level, utility="probability")
        np.testing.assert_allclose(hears, printed, rtol=0, atol=1e-14)


class TestInfiniteRationality:
    def test_the_most_informative_reading(self):
        """With no costs, some means not all and blue the square, for certain."""
        assert played(SCALAR, rationality=inf)[0][1] == exactly([[1, 0], [0, 1]])
        assert played(OBJECTS, rationality=inf)[0][1][0] == exactly([1, 0, 0])

    def test_equally_good_utterances_share(self):
        ((speaks, _),) = played([[1, 1], [1, 1]], rationality=inf)
        assert speaks == exactly([[0.5, 0.5], [0.5, 0.5]])

    def test_rounding_decides_no_tie(self):
        """L0 of both words is .1 + .2 over .3, or over .1 + .1 + .1: equal, but not to the last bit."""
        ((speaks, _),) = played([[1, 1, 0], [1, 0, 1]], rationality=inf, prior=[1, 0.1 + 0.2, 0.3])
        assert speaks[:, 0] == exactly([0.5, 0.5])

    def test_an_utterance_that_no_one_says_has_no_meaning(self):
        """A costlier synonym is never said, and who hears it knows nothing; no one builds on it one level up."""
        for speaks, hears in played([[1, 0], [1, 0], [0, 1]], rationality=inf, cost=[0, 1, 0], depth=2):
            assert speaks == exactly([[1, 0], [0, 0], [0, 1]])
            assert hears == exactly([[1, 0], [0, 0], [0, 1]])


def lexicons():
    degrees = st.sampled_from([0, 0, 1, 1, Fraction(1, 2), Fraction(1, 3)])
    sizes = st.tuples(st.integers(1, 5), st.integers(2, 5))
    return sizes.flatmap(lambda size: st.lists(st.lists(degrees, min_size=size[1], max_size=size[1]), min_size=size[0]))


@given(lexicons(), st.integers(1, 3), st.integers(1, 2), st.data())
def test_equals_fractions(lexicon, rationality, depth, data):
    weights = data.draw(st.lists(st.integers(0, 4), min_size=len(lexicon[0]), max_size=len(lexicon[0])))
    assume(sum(weights))
    prior = [Fraction(weight, sum(weights)) for weight in weights]
    expected = plain.rounds([[Fraction(x) for x in row] for row in lexicon], prior, rationality, depth)
    for (speaks, hears), (said, heard) in zip(
        played(lexicon, rationality=float(rationality), depth=depth, prior=weights), expected, strict=True
    ):
        for u in range(len(lexicon)):
            for m in range(len(prior)):
                assert speaks[u, m] == pytest.approx(float(said[m].get(u, 0)), abs=1e-9)
                assert hears[u, m] == pytest.approx(float(heard[u].get(m, 0)), abs=1e-9)


@given(lexicons(), st.sampled_from([0.1, 1.0, 7.5, 500.0, inf]), st.sampled_from(["log", "probability"]), st.data())
def test_speakers_and_listeners_are_distributions(lexicon, rationality, utility, data):
    cost = data.draw(st.lists(st.floats(0, 3), min_size=len(lexicon), max_size=len(lexicon)))
    for speaks, hears in played(lexicon, rationality=rationality, depth=3, cost=cost, utility=utility):
        for totals in (speaks.sum(axis=0), hears.sum(axis=1)):
            assert np.all((abs(totals - 1) < 1e-9) | (totals == 0))
        assert (speaks >= 0).all() and (hears >= 0).all()


@given(st.integers(1, 4), st.integers(2, 4), st.integers(1, 3))
def test_games_are_worked_out_side_by_side(n_utterances, n_meanings, depth):
    """Several games in one array give the bits of each alone."""
    rng = np.random.default_rng(n_utterances * 10 + n_meanings)
    tables = rng.integers(0, 2, (3, n_utterances, n_meanings)).astype(float)
    prior, cost = rng.dirichlet(np.ones(n_meanings), 3), rng.random((3, n_utterances))
    together = reason(literal_listener(tables, prior), prior, cost, 2.0, depth)
    for game in range(3):
        alone = reason(literal_listener(tables[game], prior[game]), prior[game], cost[game], 2.0, depth)
        for one, other in zip(together, alone, strict=True):
            assert np.array_equal(one.speaker[game], other.speaker)
            assert np.array_equal(one.listener[game], other.listener)


def test_success_is_the_chance_of_being_understood():
    """Some but not all: .75; all: 1/3 x 1/4 + 2/3."""
    rounds = reason(literal_listener(np.array(SCALAR, float), np.ones(2) / 2), np.ones(2) / 2, np.zeros(2), 1.0, 1)
    assert float(success(rounds[0], np.ones(2) / 2)) == pytest.approx(0.75, abs=1e-12)


def test_very_rational_speakers_do_not_underflow():
    """exp(-1000 log 2) is 0 as a float; its logarithm is not."""
    ((_, hears),) = played([[1, 1, 1], [1, 1, 0], [1, 0, 0]], rationality=5000.0)
    assert hears == exactly([[0, 0, 1], [0, 1, 0], [1, 0, 0]])
