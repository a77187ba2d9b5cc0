"""`python -m bench.rates`: run every simulation and print docs/rates.md.

`--only NAME` prints the section of one file, `--trials N` simulates more or fewer studies, `--workers N` uses
processes.
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from itertools import repeat

from bench.rates.catalogue import FILES, rates
from bench.rates.rate import LIMITS, Measured, measure

TRIALS = 400
MORE = 10
"""A row outside its limit gets so many times the studies."""
INTRODUCTION = """# Stated rates, measured

A 95% interval should cover the truth in 95 of 100 studies, a test at the 5% level should fire in at most 5 of 100
studies in which there is nothing to find, and a sentence of the report should be false in at most 5 of 100. Each row
below simulates studies whose truth is known, asks assay, and counts. Intervals must cover in 92.5 to 97.5% of the
studies, tests may be wrong in at most 6%, sentences in at most 5%; what lies outside is marked (!). A study in which
a method gives no answer, but the reason why, is not counted; where that happened, the last column says in how many
studies there was an answer. "Before" is what the same simulation gave in assay's first version, or what was reported
of it; empty where the method is new.

`make long` makes this page, with {trials:,} simulated studies a row: a coverage of 95% is then known to about 2
points (two standard errors), 5% likewise. A row outside its limit is simulated with {more} times as many studies
and shown with that figure, so that a mark is not chance. The slow tests repeat every row with fewer studies. Where a
method is conservative by design, the limit has no upper end.

Outside these worlds some intervals are too short, because a sample of few units often lacks the rare values that
matter: Krippendorff's alpha on an interval scale covers 88 to 92% where most answers lie at one end of a five-point
scale (20 to 50 items, 10 annotators; ordinal alpha, the default, 92 to 93%); `assay compare` covers 80 to 88% where
differences are as skewed as log-normal ones; `assay agree` covers 88 to 90% where annotators differ strongly by batch,
and 99% with `--resample items annotators`.
"""


def main() -> None:
    """Print the page, or the sections asked for; say on stderr what is at work."""
    parser = argparse.ArgumentParser(prog="python -m bench.rates", description=__doc__)
    parser.add_argument("--only", metavar="NAME", choices=FILES, action="append", help=", ".join(FILES))
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    if not arguments.only:
        print(INTRODUCTION.format(trials=arguments.trials, more=MORE))
    with ProcessPoolExecutor(arguments.workers) as pool:
        print("\n".join(section(name, arguments.trials, pool) for name in arguments.only or FILES), end="")


def section(name: str, trials: int, pool: ProcessPoolExecutor) -> str:
    """The table of one file, under the first line of its docstring."""
    title = (import_module(f"bench.rates.{name}").__doc__ or name).splitlines()[0].rstrip(".")
    numbers = range(len(rates([name])))
    rows = list(pool.map(row_of, repeat(name), numbers, repeat(trials)))
    head = ["| world | method | n | claim | limit | measured | before | studies |", f"|{' --- |' * 8}"]
    return "\n".join([f"## {title}", "", *head, *rows, ""])


def row_of(name: str, number: int, trials: int) -> str:
    """Measure one rate of a file, by number, since a trial does not travel between processes."""
    rate = rates([name])[number]
    print(f"{rate.name} ...", file=sys.stderr)
    measured = measure(rate, trials)
    return row(measured if measured.holds() else measure(rate, MORE * trials))


def row(measured: Measured) -> str:
    """One line of the table; a rate outside its limit is marked."""
    rate = measured.rate
    low, high = (f"{100 * limit:g}" for limit in LIMITS[rate.claim])
    limit = f"at most {high}%"
    if rate.claim == "coverage":
        limit = f"at least {low}%" if rate.conservative else f"{low}-{high}%"
    share = f"{100 * measured.share:.1f}%" + ("" if measured.holds() else " (!)")
    studies = f"{measured.trials:,}" + ("" if measured.trials == measured.asked else f" of {measured.asked:,}")
    cells: Sequence[str] = (rate.world, rate.method, rate.n, rate.claim, limit, share, rate.before, studies)
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
