"""A million outputs: time and peak memory to load them from Parquet, and to score them with BLEU."""

import json
import subprocess
import sys
import tempfile
from math import nan
from pathlib import Path

from bench.table import Row
from bench.texts import bank

N_OUTPUTS = 1_000_000
N_SYSTEMS = 5
N_REFERENCES = 2
CHUNK = 100_000

LOAD = "from assay.io import load; data = load({path!r})"
SCORE = LOAD + "; from assay.run import score; score(data, ['bleu'], unit='system')"
# A separate process, so that its peak memory is that of the work; imports count, as they do for a user.
MEASURED = """
import json, resource, time
{work}
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({{"seconds": time.process_time(), "megabytes": used.ru_maxrss / 1024}}))
"""


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "outputs.parquet"
        write_outputs(path)
        size = path.stat().st_size / 2**20
        measured_rows = []
        for work, code in (("load", LOAD), ("load and score BLEU of", SCORE)):
            seconds, megabytes = measured(code.format(path=str(path)))
            note = f"peak {megabytes:,.0f} MB; file {size:,.0f} MB, {N_REFERENCES} references each"
            measured_rows.append(Row(f"{work} {N_OUTPUTS:,} outputs from Parquet", "", nan, seconds, note))
    return measured_rows


def write_outputs(path: Path) -> None:
    """Write outputs of several systems, each with its context and references, as a user would."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    texts = bank(100_003)
    schema = pa.schema(
        [(name, pa.string()) for name in ("id", "item", "context", "system", "text")]
        + [("references", pa.list_(pa.string()))]
    )
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, N_OUTPUTS, CHUNK):
            numbers = range(start, start + CHUNK)
            items = [number // N_SYSTEMS for number in numbers]
            columns = {
                "id": [f"o{number}" for number in numbers],
                "item": [f"i{item}" for item in items],
                "context": [f"The question number {item}." for item in items],
                "system": [f"s{number % N_SYSTEMS}" for number in numbers],
                "text": [texts[number % len(texts)] for number in numbers],
                "references": [[texts[(item * 7 + k) % len(texts)] for k in range(N_REFERENCES)] for item in items],
            }
            writer.write_table(pa.table(columns, schema=schema))


def measured(work: str) -> tuple[float, float]:
    """CPU seconds and peak MB of a fresh process: the second of two, so that kernels are compiled."""
    for _ in range(2):
        code = MEASURED.format(work=work)
        completed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    usage = json.loads(completed.stdout)
    return usage["seconds"], usage["megabytes"]
