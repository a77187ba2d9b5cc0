"""`python -m bench.long.cluster FOLDER -n 10000000 parts local:2`: the tables of docs/scale.md.

FOLDER keeps the data, so that places can be measured one by one: memory (all data at once), parts (one process),
local:N, own (a script on Dask over sacrebleu and rouge-score, beside BLEU and ROUGE-L on local:1). Besides, what comes
of a run that is disturbed: `kills` ends ten workers of local:2 at random, `driver` ends the command itself and runs it
again. Both compare every file of scores with those of an undisturbed run on local:2, byte by byte.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from shutil import rmtree

import psutil

from bench.bench_cluster import N_OUTPUTS, SMALL_PROCESS, described, own_script, prepared, score, score_command

N_KILLS = 10
UNDISTURBED, DISTURBED = "scores-local2", "scores-disturbed"


def main() -> None:
    """Print a line as soon as it is known."""
    parser = argparse.ArgumentParser(prog="python -m bench.long.cluster", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("places", nargs="+")
    parser.add_argument("-n", type=int, default=N_OUTPUTS, help="outputs")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    asked = prepared(given.folder, given.n)
    for place in given.places:
        output = f"scores-{place}".replace(":", "")
        rmtree(given.folder / output, ignore_errors=True)
        if place == "own":
            ours, theirs = score(given.folder, ["bleu", "rouge"], output, "local:1"), own_script(given.folder)
            found = f"ours {described(ours, given.n)}; theirs {theirs:,.0f} CPU s per million"
        elif place in DISTURBANCES:
            rmtree(given.folder / DISTURBED, ignore_errors=True)
            found = DISTURBANCES[place](given.folder, score_command(given.folder, asked, DISTURBED, "local:2"))
        else:
            found = described(score(given.folder, asked, output, place), given.n)
        print(f"{given.n:,} outputs, {place}: {found}", flush=True)


def kills(folder: Path, command: list[str]) -> str:
    """End workers at random times until ten are gone."""
    n_parts = len(files_in(folder / UNDISTURBED))
    due, killed = sorted(random.uniform(0, 0.9 * n_parts) for _ in range(N_KILLS)), []
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as driver:
        while driver.poll() is None:
            n_done = len(files_in(folder / DISTURBED))
            if due and n_done >= due[0] and (workers := [pid for pid in workers_of(driver.pid) if pid not in killed]):
                killed.append(random.choice(workers))
                os.kill(killed[-1], signal.SIGKILL)
                del due[0]
                print(f"killed a worker after {n_done} of {n_parts} parts", file=sys.stderr, flush=True)
            time.sleep(random.uniform(0.01, 0.2))
        assert driver.stderr is not None
        said = driver.stderr.read().strip().splitlines()[-1]
    return f"killed {len(killed)} workers; exit code {driver.returncode}; {said}; {compared(folder)}"


def driver(folder: Path, command: list[str]) -> str:
    """End the command halfway, and run it again."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
        while len(files_in(folder / DISTURBED)) < len(files_in(folder / UNDISTURBED)) / 2:
            assert first.poll() is None
            time.sleep(0.1)
        first.kill()
    orphans = [process for process in psutil.process_iter(["cmdline"]) if str(folder / DISTURBED) in str(process.info)]
    assert not orphans, orphans
    time.sleep(20)  # workers end when they notice that their nanny is gone
    before = {file.name: file.stat().st_mtime_ns for file in files_in(folder / DISTURBED)}
    again = subprocess.run(command, capture_output=True, text=True)
    same = sum(file.stat().st_mtime_ns == before.get(file.name) for file in files_in(folder / DISTURBED))
    said = again.stderr.strip().splitlines()[-1]
    return f"{len(before)} files at the end of the first, {same} untouched by the second; {said}; {compared(folder)}"


DISTURBANCES = {"kills": kills, "driver": driver}


def workers_of(pid: int) -> list[int]:
    """The workers that a command has started."""
    try:
        found = psutil.Process(pid).children(recursive=True)
        return [one.pid for one in found if one.memory_info().rss > SMALL_PROCESS * 2**20]
    except psutil.NoSuchProcess:
        return []


def files_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.parquet"))


def compared(folder: Path) -> str:
    """How many files of scores are those of the undisturbed run."""
    expected, found = files_in(folder / UNDISTURBED), files_in(folder / DISTURBED)
    assert expected, f"first measure local:2, so that there is an undisturbed run in {folder / UNDISTURBED}"
    equal = sum(
        one.name == other.name and one.read_bytes() == other.read_bytes()
        for one, other in zip(expected, found, strict=False)
    )
    return f"{equal} of {len(expected)} files are equal, {len(found) - equal} are not"


if __name__ == "__main__":
    main()
