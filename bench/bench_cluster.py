"""Data in parts on a cluster: wall, CPU and peak memory per process, beside one process and a user's own Dask script.

`python -m bench.long.cluster` measures other sizes, and what is left of a run that is disturbed.
"""

import json
import subprocess
import sys
import tempfile
from math import nan
from pathlib import Path
from shutil import rmtree
from typing import NamedTuple

from bench.table import Row
from bench.texts import bank

N_OUTPUTS = 1_000_000
PART = 50_000
N_REFERENCES = 5
SYSTEMS = ("a", "b")
SET = 5
OWN_OUTPUTS = 20_000
PLACES = ("memory", "parts", "local:1", "local:2", "local:4")
# MB: what Python needs to watch over other processes.
SMALL_PROCESS = 100

# In a process of its own: its children are all that was run. The high-water mark of each process is read while it runs.
MEASURED = """
import json, re, resource, subprocess, sys, time
import psutil
start, peaks = time.monotonic(), {{}}
with psutil.Popen({command!r}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as command:
    while command.poll() is None:
        for process in (command, *command.children(recursive=True)):
            try:
                mark = re.search("VmHWM:\\s+(\\d+)", open(f"/proc/{{process.pid}}/status").read())
            except OSError:
                continue
            peaks[process.pid] = int(mark[1]) / 1024 if mark else peaks.get(process.pid, 0)
        time.sleep(0.2)
    assert command.returncode == 0, command.stderr.read()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
own = peaks.pop(command.pid)
print(json.dumps([time.monotonic() - start, used.ru_utime + used.ru_stime, own, sorted(peaks.values())]))
"""

OWN_SCRIPT = """
import sys
import pyarrow.parquet as pq
from distributed import Client, LocalCluster

def score(path, n):
    from rouge_score.rouge_scorer import RougeScorer
    from sacrebleu.metrics import BLEU
    rows = pq.read_table(path, columns=["text", "references"]).slice(0, n).to_pylist()
    bleu, rouge = BLEU(effective_order=True), RougeScorer(["rougeL"])
    return [
        (bleu.sentence_score(row["text"], row["references"]).score,
         rouge.score_multi(row["references"], row["text"])["rougeL"].fmeasure)
        for row in rows
    ]

if __name__ == "__main__":
    path, n = sys.argv[1], int(sys.argv[2])
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster, Client(cluster) as client:
        assert len(client.submit(score, path, n).result()) == n
"""  # noqa: E501


class Used(NamedTuple):
    """What a command took: wall and CPU seconds, and the most MB of its own process and of each of its children."""

    wall: float
    cpu: float
    peak: float
    peaks: list[float]


def rows() -> list[Row]:
    n, found = N_OUTPUTS, []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        asked = prepared(folder, n)
        for place in PLACES:
            used = score(folder, asked, f"scores-{place}".replace(":", ""), place)
            what = f"BLEU, chrF, ROUGE-L, distinct and saved NB of {n:,} outputs, {N_REFERENCES} references: {place}"
            found.append(Row(what, "", nan, used.cpu, described(used, n)))
            print(f"{place}: {found[-1].note}", file=sys.stderr, flush=True)
        ours, theirs = score(folder, ["bleu", "rouge"], "both", "local:1"), own_script(folder)
        note = f"CPU, start of the cluster included; local:1 both; theirs {OWN_OUTPUTS:,} outputs, the rest scaled"
        peer = "a script on Dask over sacrebleu and rouge-score"
        found.append(Row("BLEU and ROUGE-L of 1,000,000 outputs", peer, theirs, ours.cpu / n * 1e6, note))
    return found


def described(used: Used, n: int) -> str:
    """What a command took, in words."""
    workers = ", ".join(f"{peak:,.0f}" for peak in used.peaks if peak > SMALL_PROCESS)
    memory = f"{used.peak:,.0f} MB" + (f", workers {workers} MB" if workers else "")
    return f"{used.cpu:,.1f} CPU s, {used.cpu / n * 1e6:,.1f} per million; wall {used.wall:,.0f} s; memory {memory}"


def prepared(folder: Path, n: int) -> list[str]:
    """Write the data unless it is there, compile the kernels, and name the evaluators."""
    if len(list((folder / "parts").glob("*.parquet"))) != -(-n // PART):
        rmtree(folder / "parts", ignore_errors=True)
        write_parts(folder / "parts", n)
    asked = ["bleu", "chrf", "rouge", "distinct", saved_nb(folder)]
    if not (folder / "few").exists():
        write_parts(folder / "few" / "parts", 100)
        score(folder / "few", asked, "scores", "parts")
    return asked


def own_script(folder: Path) -> float:
    """CPU seconds of the script for a million outputs, scaled from some."""
    script = folder / "own.py"
    script.write_text(OWN_SCRIPT, encoding="utf-8")
    part = next((folder / "parts").glob("*.parquet"))
    start, some = (measured([sys.executable, str(script), str(part), str(size)]) for size in (0, OWN_OUTPUTS))
    return start.cpu + (some.cpu - start.cpu) / OWN_OUTPUTS * 1e6


def score(folder: Path, asked: list[str], output: str, place: str) -> Used:
    """Measure `assay score`: of all data in `memory`, of `parts` in one process, or on a cluster."""
    return measured(score_command(folder, asked, f"{output}.parquet" if place == "memory" else output, place))


def score_command(folder: Path, asked: list[str], output: str, place: str) -> list[str]:
    evaluators = [word for name in asked for word in ("-e", name)]
    where = [] if place in ("memory", "parts") else ["--cluster", place]
    words = ["score", str(folder / "parts"), *evaluators, *where, "--no-cache", "-o", str(folder / output)]
    return [sys.executable, "-m", "assay", *words]


def measured(command: list[str]) -> Used:
    code = MEASURED.format(command=command)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return Used(*json.loads(done.stdout))


def saved_nb(folder: Path) -> str:
    from assay import fit, load
    from assay.sample import copy_to

    if not (folder / "nb").exists():
        copy_to(folder)
        fit("nb", load(folder / "outputs.jsonl"), folder / "nb")
    return f"nb(model={str(folder / 'nb')!r})"


def write_parts(folder: Path, n: int) -> None:
    """Write outputs of two systems, five to a set, each with its references, from real texts."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True)
    texts = pa.array(bank(100_003))
    for number, start in enumerate(range(0, n, PART)):
        output = np.arange(start, min(start + PART, n))
        item = output // (SET * len(SYSTEMS))
        references = (item[:, None] * 7 + 1000 * np.arange(1, N_REFERENCES + 1)) % len(texts)
        offsets = pa.array(np.arange(len(output) + 1) * N_REFERENCES, pa.int32())
        table = pa.table(
            {
                "id": [f"o{one}" for one in output],
                "item": [f"i{one}" for one in item],
                "system": [SYSTEMS[one] for one in output // SET % len(SYSTEMS)],
                "text": texts.take(pa.array(output % len(texts))),
                "references": pa.ListArray.from_arrays(offsets, texts.take(pa.array(references.ravel()))),
            }
        )
        pq.write_table(table, folder / f"part-{number:05d}.parquet")
