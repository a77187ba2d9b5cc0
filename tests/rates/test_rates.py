"""Every interval, test and sentence keeps to its stated rate, give or take the error of so many simulations."""

from pathlib import Path

import pytest

from bench.rates.catalogue import rates
from bench.rates.rate import Rate, measure

PAGE = Path(__file__).parents[2] / "docs" / "rates.md"
TRIALS = 200
STANDARD_ERRORS = 2.6


@pytest.mark.slow
@pytest.mark.parametrize("rate", rates(), ids=lambda rate: rate.name)
def test_the_rate_holds(rate: Rate) -> None:
    measured = measure(rate, TRIALS)
    assert measured.trials, "no simulated study got an answer"
    assert measured.holds(STANDARD_ERRORS), f"{measured.share:.3f} of {measured.trials}"


def test_the_page_has_every_rate_and_no_other() -> None:
    rows = [line.split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    on_the_page = {" | ".join(cells[:3]).removeprefix("| ") for cells in rows if cells[0] not in ("| world", "| ---")}
    assert on_the_page == {rate.name for rate in rates()}
