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

ANNOTATORS, THINKING, SECONDS, AT_ONCE, KILLS = 200, 5.0, 20.0, 24, 20


def rows() -> list[Row]:
    result, ours = [], {}
    for kind in ("SQLite", "PostgreSQL"):
        with running(durable=True) if kind == "PostgreSQL" else nullcontext() as cluster:
            fresh = cluster.fresh if cluster else lambda: None
            for work, annotators, habits, seconds in (
                (f"save, {ANNOTATORS} annotators", ANNOTATORS, Habits(THINKING), SECONDS),
                ("save, saturated", AT_ONCE, Habits(), SECONDS / 2),
            ):
                load, _ = loaded(fresh(), 1, annotators, habits, seconds)
                ours[work] = ours.get(work, p95(load))
                result.append(Row(f"{work}, {kind}", "", nan, p95(load), about(load, seconds)))
            load, restarts = loaded(fresh(), 2 if cluster else 1, ANNOTATORS, Habits(THINKING), None, kills=KILLS)
            note = f"slowest of {KILLS} starts; {len(load.acknowledged)} saved, 0 lost, 0 twice, 0 above cap"
            result.append(Row(f"killed, {kind}", "", nan, max(restarts), note))
    return result + list(peer(ours))


def peer(ours: Mapping[str, float]) -> Iterator[Row]:
    """The same load on potato, where it is installed, beside our SQLite."""
    program = potato.command()
    if program is None:
        yield Row("save, potato", "potato", nan, nan, "not installed: set ASSAY_POTATO to its command")
        return
    for (work, seconds_of_ours), annotators, thinking in zip(
        ours.items(), (ANNOTATORS, AT_ONCE), (THINKING, 0.0), strict=True
    ):
        with tempfile.TemporaryDirectory() as folder:
            outputs(Path(folder))
            with potato.running(program, Path(folder)) as url:
                stop = Event()
                Timer(SECONDS, stop.set).start()
                load = potato.crowd(url, annotators, thinking, stop)
        yield Row(f"{work}, SQLite", "potato", p95(load), seconds_of_ours, f"potato's {about(load, SECONDS)}")


def outputs(folder: Path) -> Path:
    """Two thousand short texts."""
    path = folder / "outputs.jsonl"
    lines = ({"id": str(n), "item": str(n), "system": "a", "text": f"text {n}"} for n in range(2000))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def loaded(
    store: str | None, servers: int, annotators: int, habits: Habits, seconds: float | None, kills: int = 0
) -> tuple[Load, list[float]]:
    """Run a crowd for some seconds, or until servers were killed so often, and check every acknowledged page."""
    with tempfile.TemporaryDirectory() as folder:
        path = protocol_file(Path(folder), str(outputs(Path(folder))), "rating", units=1, judgments=20)
        options = ("--store", store) if store else ()
        started = [Server(path, *options) for _ in range(servers)]
        stop, result = Event(), [Load()]

        def work() -> None:
            result[0] = crowd([one.url for one in started], first_choices, annotators, habits, stop=stop)

        crowd_thread = Thread(target=work)
        crowd_thread.start()
        if seconds is not None:
            Timer(seconds, stop.set).start()
            stop.wait()
        restarts = [restarted(started[0]) for _ in range(kills)]
        stop.set()
        crowd_thread.join()
        for server in started:
            server.stop()
        check(result[0], store or str(path.with_suffix(".sqlite")))
        return result[0], restarts


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


def about(load: Load, seconds: float) -> str:
    rate = len(load.acknowledged) / seconds
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
