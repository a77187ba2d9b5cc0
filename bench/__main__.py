"""`python -m bench`: run every bench/bench_*.py and print one table. `--only NAME` runs bench_NAME alone."""

import argparse
import sys
from importlib import import_module
from pathlib import Path

from bench.table import Row, formatted


def main() -> None:
    """Print the table, with progress on stderr."""
    names = sorted(path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py"))
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--only", metavar="NAME", choices=names, action="append", help=", ".join(names))
    rows: list[Row] = []
    for name in parser.parse_args().only or names:
        print(f"bench_{name} ...", file=sys.stderr)
        rows += import_module(f"bench.bench_{name}").rows()
    print(formatted(rows))


if __name__ == "__main__":
    main()
