"""A study of 100,000 outputs: CPU seconds to load the data and of each step proposed by `assay init`.

The data are copies of the embedded sample, with new ids and one word changed in each.
"""

import json
import subprocess
import sys
import tempfile
from math import nan
from pathlib import Path

from assay.sample import PATH
from bench.table import Row

N_COPIES = 96

# Warm up: each step runs on the sample first, with few resamples, so that kernels are compiled.
MEASURED = """
import json, resource, sys, time
from pathlib import Path
from assay.io import load
from assay.study.file import read_study
from assay.study.init import propose
from assay.study.task import Task

study_path, data_path, sample_path = map(Path, sys.argv[1:])
sample = load(sample_path)
study_path.write_text(propose(data_path.name, sample))
steps = read_study(study_path).steps
few = Task(sample, resamples=32)
for step in steps.values():
    step.run(few)
seconds, start = {}, time.process_time()
task = Task(load(data_path))
for name, step in [("load from JSON lines", None), *steps.items()]:
    if step is not None:
        step.run(task)
    seconds[name], start = time.process_time() - start, time.process_time()
print(json.dumps({"seconds": seconds, "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "outputs.jsonl"
        n_outputs = write_copies(data)
        command = [sys.executable, "-c", MEASURED, str(Path(folder) / "study.toml"), str(data), str(PATH)]
        completed = subprocess.run(command, capture_output=True, text=True, check=True)
        usage = json.loads(completed.stdout)
        note = f"peak of all {usage['megabytes']:,.0f} MB; file {data.stat().st_size / 2**20:,.0f} MB"
    return [
        Row(f"study of {n_outputs:,} outputs: {step}", "", nan, seconds, note)
        for step, seconds in usage["seconds"].items()
    ]


def write_copies(path: Path) -> int:
    """Write the copies and return the number of outputs."""
    records = [json.loads(line) for line in PATH.read_text(encoding="utf-8").splitlines()]
    with open(path, "w", encoding="utf-8") as file:
        for copy in range(N_COPIES):
            for record in records:
                changed = {key: f"{record[key]}#{copy}" for key in ("id", "item", "set")}
                changed["text"] = record["text"].replace(" the ", f" the{copy} ", 1)
                file.write(json.dumps(record | changed) + "\n")
    return N_COPIES * len(records)
