"""Every interval, test and sentence keeps to its stated rate, give or take the error of so many simulations."""

import pytest

from bench.rates.catalogue import rates
from bench.rates.rate import Rate, measure

TRIALS = 200
STANDARD_ERRORS = 2.6


@pytest.mark.slow
@pytest.mark.parametrize("rate", rates(), ids=lambda rate: rate.name)
def test_the_rate_holds(rate: Rate) -> None:
    measured = measure(rate, TRIALS)
    assert measured.trials, "no simulated study got an answer"
    assert measured.holds(STANDARD_ERRORS), f"{measured.share:.3f} of {measured.trials}"
