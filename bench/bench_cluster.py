"""Data in parts on a cluster: wall, CPU and peak memory per process, beside one process and a user's own Dask script.

`python -m bench.bench_cluster 10000000 local:2` measures other sizes and clusters.
"""

import json
import subprocess
import sys
import tempfile
from math import nan
from pathlib import Path
from typing import NamedTuple

from bench.table import Row
from bench.texts import bank

N_OUTPUTS = 1_000_000
PART = 50_000
N_REFERENCES = 5
SYSTEMS = ("a", "b")
SET = 5
OWN_OUTPUTS = 20_000

# In a process of its own: its children are all that was run, and the peak is that of the largest of them.
MEASURED = """
import json, resource, subprocess, sys, time
start = time.monotonic()
done = subprocess.run({command!r}, capture_output=True, text=True)
assert done.returncode == 0, done.stderr
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([time.monotonic() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
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
    """What a command took."""

    wall: float
    cpu: float
    peak: float


def rows() -> list[Row]:
    return measured_rows(N_OUTPUTS, ("local:1", "local:2", "local:4"), own_script=True)


def measured_rows(n: int, clusters: tuple[str, ...], *, own_script: bool) -> list[Row]:
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_parts(folder / "parts", n)
        asked = ["bleu", "chrf", "rouge", "distinct", saved_nb(folder)]
        warm_up(folder, asked)
        what = f"BLEU, chrF, ROUGE-L, distinct and saved NB of {n:,} outputs, {N_REFERENCES} references"
        if own_script:
            used = score(folder, asked, "one.parquet")
            found.append(_row(f"{what}: one process, all data in memory", n, used))
        for cluster in (None, *clusters):
            used = score(folder, asked, f"scores-{cluster}".replace(":", ""), cluster)
            found.append(_row(f"{what}: parts of {PART:,}, {cluster or 'one process'}", n, used))
        if own_script:
            ours = score(folder, ["bleu", "rouge"], "both", "local:1")
            script = folder / "own.py"
            script.write_text(OWN_SCRIPT, encoding="utf-8")
            part = next((folder / "parts").glob("*.parquet"))
            start, theirs = (measured([sys.executable, str(script), str(part), str(size)]) for size in (0, OWN_OUTPUTS))
            per_million = start.cpu + (theirs.cpu - start.cpu) / OWN_OUTPUTS * 1e6
            note = f"CPU, start of the cluster included; local:1 both; theirs {OWN_OUTPUTS:,} outputs, the rest scaled"
            peer = "a script on Dask over sacrebleu and rouge-score"
            found.append(Row("BLEU and ROUGE-L of 1,000,000 outputs", peer, per_million, ours.cpu / n * 1e6, note))
    return found


def _row(what: str, n: int, used: Used) -> Row:
    note = f"{used.cpu / n * 1e6:,.0f} CPU s per million; wall {used.wall:,.0f} s; largest process {used.peak:,.0f} MB"
    print(f"{what}: {note}", file=sys.stderr, flush=True)
    return Row(what, "", nan, used.cpu, note)


def score(folder: Path, asked: list[str], output: str, cluster: str | None = None) -> Used:
    evaluators = [word for name in asked for word in ("-e", name)]
    where = ["--cluster", cluster] if cluster else []
    words = ["score", str(folder / "parts"), *evaluators, *where, "--no-cache", "-o", str(folder / output)]
    return measured([sys.executable, "-m", "assay", *words])


def measured(command: list[str]) -> Used:
    code = MEASURED.format(command=command)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return Used(*json.loads(done.stdout))


def warm_up(folder: Path, asked: list[str]) -> None:
    """Compile the kernels."""
    write_parts(folder / "few" / "parts", 100)
    score(folder / "few", asked, "scores")


def saved_nb(folder: Path) -> str:
    from assay import fit, load
    from assay.sample import copy_to

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


if __name__ == "__main__":
    measured_rows(int(sys.argv[1]), tuple(sys.argv[2:]), own_script=False)
