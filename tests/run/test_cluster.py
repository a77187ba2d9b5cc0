"""A Dask cluster: the same bits as one process, whatever dies, and plain words where it cannot be used."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Timer

import numpy as np
import pytest
from click.testing import CliRunner

import assay
from assay.backends import cluster as backend
from assay.backends.cluster import Cluster, connect
from assay.cli import cli
from assay.errors import AssayError, EvaluatorError, MissingExtra
from assay.run.executor import executor
from assay.run.parts import score_parts
from tests.contracts.worlds import WORLDS
from tests.io.test_score_tables import assert_same
from tests.run.certificates import write_certificates
from tests.run.parts import assert_equal, rows, write_parts

# One of each shape: additive, batched, of pairs, whole, of the judgments.
ASKED = ["bleu", "rouge", "distinct", "reduce(chrf)", "cider", "human('typicality')"]


@pytest.fixture(scope="module")
def local() -> Iterator[Cluster]:
    with connect("local:2") as found:
        yield found


@pytest.fixture(scope="module")
def whole() -> assay.Dataset:
    return assay.Dataset.from_records(rows())


class TestTheSameBits:
    def test_of_a_dataset(self, local: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("assay.run.one_pass.CHUNK", 7)
        data = WORLDS["ordinary"]()
        assert_same(assay.score(data, ASKED), assay.score(data, ASKED, executor=local))

    @pytest.mark.parametrize("size", [6, 10_000])
    def test_of_parts(self, local: Cluster, whole: assay.Dataset, size: int, tmp_path: Path) -> None:
        parts = write_parts(tmp_path / "parts", rows(), size)
        scored = score_parts(parts, ASKED, tmp_path / "scores", executor=local)
        assert_equal(assay.score(whole, ASKED), scored)
        assert scored.n_scored == -(-36 // size)

    def test_large_functions_are_sent_once(self, local: Cluster) -> None:
        big = _Adds(np.arange(100_000))
        assert list(local.map(big, range(20))) == [big(n) for n in range(20)]
        assert set(local.client.run(_n_functions).values()) <= {0, 1}


class _Adds:
    def __init__(self, numbers: np.ndarray) -> None:
        self.numbers = numbers

    def __call__(self, more: int) -> int:
        return int(self.numbers.sum()) + more


def _n_functions() -> int:
    return len(backend._FUNCTIONS)


class _KillsOnce:
    """Ends its own process the first time it meets each of some tasks."""

    def __init__(self, folder: Path, deadly: set[int]) -> None:
        self.folder, self.deadly = folder, deadly

    def __call__(self, task: int) -> int:
        mark = self.folder / str(task)
        if task in self.deadly and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return task * task


@pytest.mark.slow
class TestDeath:
    def test_killed_workers_change_nothing(self, local: Cluster, tmp_path: Path) -> None:
        work = _KillsOnce(tmp_path, {0, 5})
        assert list(local.map(work, range(12))) == [n * n for n in range(12)]
        assert len(list(tmp_path.iterdir())) == 2

    def test_ten_killed_workers_leave_no_trace_in_the_scores(
        self, local: Cluster, whole: assay.Dataset, tmp_path: Path
    ) -> None:
        """Kill a worker whenever another part is finished, ten times."""
        many = [{**row, "id": f"{n}-{row['id']}", "item": f"{n}-{row['item']}", "set": f"{n}-{row['set']}"}
                for n in range(6) for row in rows()]  # fmt: skip
        parts = write_parts(tmp_path / "parts", many, 6)
        rng, killed = np.random.default_rng(0), []

        def kill_one(done: int, total: int) -> None:
            if len(killed) < 10 and done % 2 == 0:
                pids = [nanny.pid for nanny in local._cluster.workers.values()]
                pids = [pid for pid in pids if pid is not None and pid not in killed]
                if pids:
                    killed.append(int(rng.choice(pids)))
                    os.kill(killed[-1], signal.SIGKILL)

        asked = ["bleu", "distinct"]
        scored = score_parts(parts, asked, tmp_path / "scores", executor=local, progress=kill_one)
        assert len(killed) == 10
        assert_equal(assay.score(assay.load(parts), asked), scored)

    def test_a_full_disk_of_workers_is_told_and_the_run_resumed(
        self, local: Cluster, whole: assay.Dataset, tmp_path: Path
    ) -> None:
        """On a small file system of its own."""
        parts, scores = write_parts(tmp_path / "parts", rows(), 1), tmp_path / "scores"
        scores.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(scores)]
        if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
            pytest.skip("mounting a file system needs the rights of root")
        try:
            scored = score_parts(parts, ["bleu"], scores, executor=local)
            assert 0 < scored.n_scored < 36 and len(scored.failures) == 36 - scored.n_scored
            assert all("No space left on device" in why for why in scored.failures.values())
            expected = {"manifest.json"} | {f"part-{n:03d}.parquet" for n in range(36)}
            expected -= {name.replace(".jsonl", ".parquet") for name in scored.failures}
            assert {file.name for file in scores.iterdir()} == expected
            subprocess.run(["mount", "-o", "remount,size=8m", str(scores)], check=True)
            again = score_parts(parts, ["bleu"], scores, executor=local)
            assert (again.n_kept, again.n_scored) == (scored.n_scored, len(scored.failures))
            assert_equal(assay.score(whole, ["bleu"]), again)
        finally:
            subprocess.run(["umount", str(scores)], check=True)

    def test_a_killed_driver_is_resumed(self, local: Cluster, whole: assay.Dataset, tmp_path: Path) -> None:
        parts = write_parts(tmp_path / "parts", rows(), 6)
        gate = tmp_path / "gate"
        code = DRIVER.format(parts=str(parts), scores=str(tmp_path / "scores"), gate=str(gate))
        address = local.client.scheduler_info()["address"]
        driver = subprocess.Popen([sys.executable, "-c", code, address])
        while not gate.exists():
            assert driver.poll() is None
            time.sleep(0.05)
        driver.send_signal(signal.SIGKILL)
        driver.wait()
        scored = score_parts(parts, ["bleu"], tmp_path / "scores", executor=local)
        assert scored.n_kept >= 2 and scored.n_kept + scored.n_scored == 6
        assert_equal(assay.score(whole, ["bleu"]), scored)

    def test_workers_may_come_later(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Large functions, too, wait for the first one."""
        monkeypatch.setattr(backend, "CONNECT_SECONDS", 1)
        file, dask = tmp_path / "scheduler.json", [sys.executable, "-m", "dask"]
        listening = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(file)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        started = [subprocess.Popen([*dask, "scheduler", "--port", "0", *listening], **quiet)]
        try:
            while not (file.exists() and file.read_text().strip()):
                assert started[0].poll() is None
                time.sleep(0.05)
            with connect(str(file)) as remote:
                worker = [*dask, "worker", "--nthreads", "1", "--no-nanny", *listening]
                later = Timer(2, lambda: started.append(subprocess.Popen(worker, **quiet)))
                later.start()
                big = _Adds(np.arange(100_000))
                assert list(remote.map(big, [1, 2])) == [big(1), big(2)]
        finally:
            for process in started:
                process.kill()
                process.wait()

    def test_a_lost_scheduler_is_told_and_the_run_resumed(self, whole: assay.Dataset, tmp_path: Path) -> None:
        parts, file = write_parts(tmp_path / "parts", rows(), 6), tmp_path / "scheduler.json"
        dask = [sys.executable, "-m", "dask"]
        listening = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(file)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        scheduler = subprocess.Popen([*dask, "scheduler", "--port", "0", *listening], **quiet)
        worker = None
        try:
            while not (file.exists() and file.read_text().strip()):
                assert scheduler.poll() is None
                time.sleep(0.05)
            worker = subprocess.Popen([*dask, "worker", "--nthreads", "1", "--no-nanny", *listening], **quiet)

            def kill(done: int, total: int) -> None:
                if done == 2:
                    scheduler.kill()
                    scheduler.wait()

            with connect(str(file)) as remote:
                remote.client.wait_for_workers(1, timeout=120)
                with pytest.raises(AssayError, match=r"connection to the scheduler .* was lost"):
                    score_parts(parts, ["bleu"], tmp_path / "scores", executor=remote, progress=kill)
        finally:
            for process in (scheduler, worker):
                if process is not None:
                    process.kill()
                    process.wait()
        scored = score_parts(parts, ["bleu"], tmp_path / "scores")
        assert scored.n_kept >= 2 and scored.n_kept + scored.n_scored == 6
        assert_equal(assay.score(whole, ["bleu"]), scored)


# Tells when two parts are finished, and waits to be killed.
DRIVER = """
import pathlib, sys, time
from assay.backends.cluster import connect
from assay.run.parts import score_parts

def tell(done, total):
    if done == 2:
        pathlib.Path({gate!r}).touch()
        time.sleep(600)

score_parts({parts!r}, ["bleu"], {scores!r}, executor=connect(sys.argv[1]), progress=tell)
"""


class TestRefusals:
    def test_another_version(self, local: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
        here = backend.versions()
        monkeypatch.setattr(backend, "versions", lambda: {**here, "assay": "9.9.9 (code x)"})
        with pytest.raises(AssayError, match=r"worker .* has assay 0\.1\.0 .*, and here is 9\.9\.9"):
            local.check_versions()
        with pytest.raises(AssayError, match=r"a worker has assay 0\.1\.0 .*, and here is 9\.9\.9"):
            list(local.map(abs, [1]))

    def test_nobody_answers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(backend, "CONNECT_SECONDS", 1)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
            with pytest.raises(AssayError, match="no scheduler answers at tcp://"):
                connect(address)

    @pytest.mark.parametrize("address", ["", "local", "local:0", "local:x", "host:8786", "http://host"])
    def test_no_such_cluster(self, address: str) -> None:
        with pytest.raises(EvaluatorError, match=r"no cluster|local needs a number"):
            executor(f"dask:{address}")

    def test_what_tls_needs(self, tmp_path: Path) -> None:
        with pytest.raises(EvaluatorError, match="wants TLS"):
            connect("tls://host:8786")
        with pytest.raises(AssayError, match="no such file"):
            connect("tcp://host:8786", tls=("no-ca.pem", "no-cert.pem", "no-key.pem"))
        done = CliRunner().invoke(cli, ["score", "x.jsonl", "-e", "length", "--tls", "a", "b", "c", "-o", "s"])
        assert "--tls is for a cluster" in done.output + str(done.exception)

    def test_without_the_package(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(__import__("sys").modules, "distributed", None)
        with pytest.raises(MissingExtra, match=r"pip install 'assay\[cluster\]'"):
            connect("local:3")


def test_nothing_listens_beyond_loopback(local: Cluster) -> None:
    info = local.client.scheduler_info(n_workers=-1)
    addresses = [info["address"], *info["workers"], *(one["nanny"] for one in info["workers"].values())]
    assert all(address.startswith("tcp://127.0.0.1:") for address in addresses)
    psutil = pytest.importorskip("psutil")
    own = psutil.Process()
    listening = [
        connection.laddr.ip
        for process in (own, *own.children(recursive=True))
        for connection in _connections(process)
        if connection.status == psutil.CONN_LISTEN
    ]
    assert listening and set(listening) == {"127.0.0.1"}


def _connections(process: object) -> list:
    psutil = pytest.importorskip("psutil")
    with suppress(psutil.NoSuchProcess):
        return process.net_connections("inet")
    return []


@pytest.mark.slow
def test_tls(tmp_path: Path) -> None:
    files = write_certificates(tmp_path / "pem")
    with connect("local:1", files) as secure:
        address = secure.client.scheduler_info()["address"]
        assert address.startswith("tls://127.0.0.1:")
        assert list(secure.map(abs, [-1, -2])) == [1, 2]
        # A certificate of another authority is no one's, and neither is none at all.
        strangers = write_certificates(tmp_path / "strangers")
        with pytest.raises(AssayError, match="no scheduler answers"):
            connect(address, strangers)
        with connect(address, files) as again:
            assert list(again.map(abs, [-3])) == [3]
