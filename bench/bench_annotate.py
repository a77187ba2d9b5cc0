"""Saving pages of annotators over HTTP: 200 at once, as many as possible, and while the server is killed.

Times are waiting times of bots in this process, over the loopback, with the server in a process of its own. They
depend on the disk and on whatever else runs: fsync and the load of the machine stand beside them.
"""

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from math import nan
from pathlib import Path
from threading import Event, Thread, Timer

import numpy as np

from assay.annotate.service import Service
from assay.annotate.simulated.crowd import Habits, Load, crowd
from bench import potato
from bench.table import Row
from tests.annotate.postgres import running
from tests.annotate.serve_process import Server, first_choices, protocol_file

ANNOTATORS, THINKING, AT_ONCE, KILLS = 200, 5.0, 24, 20
# Annotators come one after another; what they save counts from the moment when all are there.
ARRIVING, SECONDS = 5.0, 20.0
WORK = {
    f"save, {ANNOTATORS} annotators": (ANNOTATORS, Habits(arriving=ARRIVING, thinking=THINKING)),
    "save, saturated": (AT_ONCE, Habits(arriving=ARRIVING)),
}


def rows() -> list[Row]:
    result, ours = [], {}
    for kind in ("SQLite", "PostgreSQL"):
        with running(durable=True) if kind == "PostgreSQL" else nullcontext() as cluster:
            fresh = cluster.fresh if cluster else lambda: None
            for work, (annotators, habits) in WORK.items():
                load, _ = loaded(fresh(), 1, annotators, habits)
                ours.setdefault(work, p95(load))
                result.append(Row(f"{work}, {kind}", "", nan, p95(load), about(load)))
            annotators, habits = next(iter(WORK.values()))
            load, restarts = loaded(fresh(), 2 if cluster else 1, annotators, habits, kills=KILLS)
            note = f"slowest of {KILLS} starts; {len(load.acknowledged)} saved, 0 lost, 0 twice, 0 above cap"
            result.append(Row(f"killed, {kind}", "", nan, max(restarts), note))
    return result + list(peer(ours))


def peer(ours: Mapping[str, float]) -> Iterator[Row]:
    """The same load on potato, where it is installed, beside our SQLite."""
    program = potato.command()
    if program is None:
        yield Row("save, potato", "potato", nan, nan, "not installed: set ASSAY_POTATO to its command")
        return
    for work, (annotators, habits) in WORK.items():
        with tempfile.TemporaryDirectory() as folder:
            outputs(Path(folder))
            with potato.running(program, Path(folder)) as url:
                stop, start = Event(), time.perf_counter()
                Timer(ARRIVING + SECONDS, stop.set).start()
                load = settled(potato.crowd(url, annotators, habits, stop), start)
        yield Row(f"{work}, SQLite", "potato", p95(load), ours[work], f"potato's {about(load)}")


def outputs(folder: Path) -> Path:
    """Two thousand short texts."""
    path = folder / "outputs.jsonl"
    lines = ({"id": str(n), "item": str(n), "system": "a", "text": f"text {n}"} for n in range(2000))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def loaded(
    store: str | None, servers: int, annotators: int, habits: Habits, kills: int = 0
) -> tuple[Load, list[float]]:
    """Run a crowd, kill a server again and again in the middle, and check every acknowledged page."""
    with tempfile.TemporaryDirectory() as folder:
        path = protocol_file(Path(folder), str(outputs(Path(folder))), "rating", units=1, judgments=20)
        options = ("--store", store) if store else ()
        started = [Server(path, *options) for _ in range(servers)]
        stop, result = Event(), [Load()]

        def work() -> None:
            result[0] = crowd([one.url for one in started], first_choices, annotators, habits, stop=stop)

        crowd_thread, start = Thread(target=work), time.perf_counter()
        crowd_thread.start()
        time.sleep(ARRIVING if kills else ARRIVING + SECONDS)
        restarts = [restarted(started[place % servers]) for place in range(kills)]
        stop.set()
        crowd_thread.join()
        for server in started:
            server.stop()
        check(result[0], store or str(path.with_suffix(".sqlite")))
        return settled(result[0], start), restarts


def settled(load: Load, start: float) -> Load:
    """What a crowd did once all were there."""
    since = start + ARRIVING
    kept = [place for place, at in enumerate(load.sent) if at >= since]
    return Load([load.acknowledged[place] for place in kept], seconds=[load.seconds[place] for place in kept])


def check(load: Load, store: str) -> None:
    """Nothing acknowledged is lost, every page is answered once, and no unit is above its cap."""
    with Service.open(store) as service:
        assert service.verify() == []  # answers against judgments and events, counters, caps
        stored = [page.nonce for page in service.pages() if page.answered is not None]
        judged = [(one.annotator, one.unit, one.criterion) for one in service.judgments()]
    assert not load.problems, load.problems[:3]
    assert set(load.acknowledged) <= set(stored)
    assert len(set(stored)) == len(stored) == len(judged) == len(set(judged))


def restarted(server: Server) -> float:
    """Kill a server after some work, and time its start until it answers."""
    time.sleep(1.0)
    server.kill()
    start = time.monotonic()
    server.start()
    return time.monotonic() - start


def p95(load: Load) -> float:
    return float(np.quantile(load.seconds, 0.95)) if load.seconds else nan


def about(load: Load) -> str:
    rate = len(load.acknowledged) / SECONDS
    median = np.median(load.seconds) * 1000
    return f"p95; median {median:.0f} ms, {rate:.0f} judgments/s, fsync {fsync():.1f} ms, load {os.getloadavg()[0]:.1f}"


def fsync() -> float:
    """The median milliseconds of writing 4 KB durably."""
    with tempfile.TemporaryFile() as file:
        return float(
            np.median(
                [timed(lambda: (file.write(b"x" * 4096), file.flush(), os.fsync(file.fileno()))) for _ in range(50)]
            )
        )


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)
