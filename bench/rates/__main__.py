"""`python -m bench.rates`: run every simulation and print the table of docs/rates.md.

`--only NAME` takes the rates of one file, `--trials N` simulates more or fewer studies.
"""

import argparse
import sys

from bench.rates.catalogue import FILES, rates
from bench.rates.rate import LIMITS, Measured, measure

TRIALS = 1000


def main() -> None:
    """Print the table; say on stderr what is at work."""
    parser = argparse.ArgumentParser(prog="python -m bench.rates", description=__doc__)
    parser.add_argument("--only", metavar="NAME", choices=FILES, action="append", help=", ".join(FILES))
    parser.add_argument("--trials", type=int, default=TRIALS)
    arguments = parser.parse_args()
    print("| world | method | n | claim | limit | measured | before | simulated studies |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for rate in rates(arguments.only or FILES):
        print(f"{rate.name} ...", file=sys.stderr)
        print(row(measure(rate, arguments.trials)), flush=True)


def row(measured: Measured) -> str:
    """One line of the table; a rate outside its limit is marked."""
    rate = measured.rate
    low, high = (f"{100 * limit:g}" for limit in LIMITS[rate.claim])
    limit = f"{low}-{high}%" if rate.claim == "coverage" else f"at most {high}%"
    share = f"{100 * measured.share:.1f}%" + ("" if measured.holds() else " (!)")
    asked = f"{measured.trials:,}" + ("" if measured.trials == measured.asked else f" of {measured.asked:,} answered")
    cells = (rate.world, rate.method, rate.n, rate.claim, limit, share, rate.before, asked)
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
