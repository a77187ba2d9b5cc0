"""A Dask cluster: the same bits as one process, whatever dies, and plain words where it cannot be used."""

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

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


class TestDeath:
    def test_killed_workers_change_nothing(self, local: Cluster, tmp_path: Path) -> None:
        work = _KillsOnce(tmp_path, {0, 5})
        assert list(local.map(work, range(12))) == [n * n for n in range(12)]
        assert len(list(tmp_path.iterdir())) == 2


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
