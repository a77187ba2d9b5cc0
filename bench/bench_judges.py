"""1,000 calls to an endpoint that answers after 50 ms, 32 at once: wall and CPU seconds of the client."""

import subprocess
import sys
import time
from math import nan
from tempfile import TemporaryDirectory

from assay.backends.language.opening import open_model
from assay.backends.language.protocol import ToSample
from assay.io.answers import AnswerStore
from assay.run.models import sample_texts
from assay.run.requests import Requests
from bench.table import Row

CALLS, LATENCY, AT_ONCE = 1000, 0.05, 32


def rows() -> list[Row]:
    server = subprocess.Popen([sys.executable, "-m", "tests.loopback", str(LATENCY)], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        model = open_model(f"url(fake@{server.stdout.readline().strip()})")
        with TemporaryDirectory() as folder:
            how = Requests(at_once=AT_ONCE, store=AnswerStore(folder))
            sample_texts(model, _forms("warm", AT_ONCE), how)
            started, cpu = time.perf_counter(), time.process_time()
            sample_texts(model, _forms("call", CALLS), how)
            wall, cpu = time.perf_counter() - started, time.process_time() - cpu
    finally:
        server.kill()
        server.wait()
        if server.stdout is not None:
            server.stdout.close()
    least = CALLS * LATENCY / AT_ONCE
    note = f"{wall / least:.2f} times the waiting of {least:.2f} s; {cpu:.2f} CPU s"
    return [Row(f"{CALLS:,} calls, {AT_ONCE} at once", "none", nan, wall, note)]


def _forms(what: str, n: int) -> list[ToSample]:
    return [ToSample(({"role": "user", "content": f"{what} {i} " + "word " * 50},), str(i), 128) for i in range(n)]
