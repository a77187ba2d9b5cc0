"""`python -m tests.fuzz NUMBER`: show a case and what it does. `python -m tests.fuzz FIRST LAST`: run many."""

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.fuzz.cases import case
from tests.fuzz.check import broken_rule


def show(number: int) -> None:
    folder = Path(tempfile.mkdtemp(prefix=f"fuzz-{number}-"))
    made = case(number, folder)
    print(made)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        print(path, repr(path.read_bytes()[:2000]))
    print(broken_rule(made) or "fine")


def run(first: int, last: int) -> None:
    found: Counter[str] = Counter()
    seconds: Counter[str] = Counter()
    done: Counter[str] = Counter()
    for number in range(first, last):
        with tempfile.TemporaryDirectory() as folder:
            made = case(number, Path(folder))
            start = time.process_time()
            wrong = broken_rule(made)
            seconds[made.subject] += time.process_time() - start  # type: ignore[assignment]
            found[made.subject] += 1
            done[made.subject] += made.converted is not None and made.converted[1].exists()
        if wrong:
            print(number, made.subject, wrong[:400], flush=True)
    for subject, n in found.most_common():
        print(f"{subject:12} {n:6} cases, {1000 * seconds[subject] / n:.1f} ms each, {done[subject]} converted")


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    show(numbers[0]) if len(numbers) == 1 else run(*numbers)
