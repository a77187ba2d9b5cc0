"""Dask clusters: started here on loopback, or run by somebody else.

A worker executes whatever it is sent, so anybody who can reach a scheduler without TLS can run code on its workers.
"""

from __future__ import annotations

import atexit
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from threading import Lock
from typing import Any, NamedTuple, TypeVar

from assay import __version__
from assay.errors import AssayError, EvaluatorError, MissingExtra, WorkerDied
from assay.io.code import code_fingerprint
from assay.io.paths import existing_file
from assay.limits import MOST_WORKERS

Task = TypeVar("Task")
Done = TypeVar("Done")

LOOPBACK = "127.0.0.1"
CONNECT_SECONDS = 20
# Workers that may die over one task; after one more it counts as the task's fault.
MOST_DEATHS = 10
# Tasks in flight per worker: enough to hide the way to the scheduler, few enough to bound results that wait.
IN_FLIGHT = 4
# A pickled function up to this size travels with every task, and so survives the loss of any worker.
SMALL = 1 << 16
# What workers started here do besides work: without their profiler, with fewer ticks and polls, and with the
# allocator's usual thresholds. Dask's own give every large array back to the system, which costs a third of the CPU.
QUIET = {
    "distributed.scheduler.allowed-failures": MOST_DEATHS,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.monitor-interval": "500ms",
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 1 << 30,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 1 << 25,
}


class Tls(NamedTuple):
    """Files in PEM: the certificate authority, and our certificate with its key."""

    ca: str
    cert: str
    key: str


class Cluster:
    """Runs tasks on the workers of a Dask cluster: an `assay.Executor`."""

    in_process = False

    def __init__(self, client: Any, cluster: Any = None) -> None:
        """Use a connected `distributed.Client`; close `cluster` with it."""
        self.client = client
        self._cluster = cluster
        try:
            self.check_versions()
        except AssayError:
            self.close()
            raise

    @property
    def n_workers(self) -> int:
        """The number of workers that are there now."""
        return len(self.client.scheduler_info(n_workers=-1)["workers"])

    def map(self, function: Callable[[Task], Done], tasks: Sequence[Task]) -> Iterator[Done]:
        """Apply a function to every task; results come in order, whatever workers die meanwhile."""
        sent = _Sent(self.client, function)
        running: dict[int, Any] = {}
        try:
            for place in range(len(tasks)):
                ahead = place + max(2, IN_FLIGHT * self.n_workers)
                for later in range(max(running, default=place - 1) + 1, min(ahead, len(tasks))):
                    running[later] = sent.submit(tasks[later])
                yield self._result(sent, running, tasks, place)
                del running[place]
        finally:
            self._forget(list(running.values()))

    def _result(self, sent: _Sent, running: dict[int, Any], tasks: Sequence[Any], place: int) -> Any:
        from concurrent.futures import CancelledError

        from distributed import KilledWorker
        from distributed.client import FutureCancelledError
        from distributed.comm.core import CommClosedError

        for _ in range(MOST_DEATHS):
            try:
                return running[place].result()
            except KilledWorker as error:
                raise WorkerDied(
                    f"{error.allowed_failures + 1} workers died over the same task; they may have run out of memory. "
                    "Give workers more memory, or cut the data into smaller parts.",
                    place,
                ) from None
            except (CancelledError, FutureCancelledError, CommClosedError):
                if self.client.status != "running":
                    break
                # The function was lost with the last worker that held it.
                sent.again()
                for later in running:
                    running[later] = sent.submit(tasks[later])
        raise AssayError(
            f"the connection to the scheduler at {self.client.scheduler.addr if self.client.scheduler else '?'} was "
            "lost. What is finished is kept; start the scheduler again and run the same command."
        )

    def _forget(self, futures: list[Any]) -> None:
        if futures and self.client.status == "running":
            self.client.cancel(futures, force=True)

    def check_versions(self) -> None:
        """Refuse workers with other code than ours, which could give other numbers."""
        try:
            found = self.client.run(_versions_there)
        except (ModuleNotFoundError, AttributeError) as error:
            raise AssayError(
                f"the workers lack what this process has ({error}). Install assay {__version__} on every worker."
            ) from None
        for worker, theirs in found.items():
            _compare(theirs, versions(), f"the worker {worker}")

    def close(self) -> None:
        """Disconnect; a cluster that was started here ends."""
        _OPEN.pop(next((key for key, cluster in _OPEN.items() if cluster is self), ("", None)), None)
        self.client.close()
        if self._cluster is not None:
            self._cluster.close()

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Sent:
    """A function on its way to the workers, once per worker however many tasks there are."""

    def __init__(self, client: Any, function: Callable[[Any], Any]) -> None:
        self._client = client
        self._pickled = pickle.dumps(function)
        self._digest = blake2b(self._pickled, digest_size=16).digest()
        self._versions = versions()
        self.again()

    def again(self) -> None:
        """Send it, or send it again after all workers that held it are gone."""
        if len(self._pickled) <= SMALL:
            self._where = self._pickled
            return
        # A cluster may have no workers yet, or start them for tasks only; without any, Dask takes no data.
        self._client.submit(_nothing, pure=False).result()
        self._where = self._client.scatter(self._pickled, broadcast=True, hash=False)

    def submit(self, task: Any) -> Any:
        return self._client.submit(_apply, self._where, self._digest, self._versions, task, pure=False)


def connect(address: str, tls: Sequence[str] | None = None) -> Cluster:
    """Connect to a cluster, once per process: `local:4`, `tcp://host:8786`, `tls://host:8786` or a scheduler file.

    Args:
        address: `local:N` starts N worker processes on loopback; anything else is a cluster that is there already.
        tls: the PEM files of the certificate authority, our certificate and its key.
    """
    files = Tls(*tls) if tls else None
    if (address, files) not in _OPEN:
        _OPEN[address, files] = _connected(address, files)
    return _OPEN[address, files]


_OPEN: dict[tuple[str, Tls | None], Cluster] = {}


@atexit.register
def _close_all() -> None:
    for cluster in list(_OPEN.values()):
        cluster.close()


def _connected(address: str, tls: Tls | None) -> Cluster:
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtra("a cluster", "distributed", "cluster") from None
    head, _, rest = address.partition(":")
    if head == "local":
        return _started_here(rest, tls)
    if address.endswith(".json"):
        where: dict[str, Any] = {"scheduler_file": str(existing_file(address))}
    elif head in ("tcp", "tls", "ucx", "ws", "wss") and rest.startswith("//"):
        where = {"address": address}
    else:
        raise EvaluatorError(
            f"no cluster {address!r}. Write local:N for N processes here, tcp://host:8786 or tls://host:8786 for a "
            "scheduler, or name its scheduler file (.json)."
        )
    if head == "tls" and tls is None:
        raise EvaluatorError(f"{address} wants TLS. Give the files of its certificate authority and yours with --tls.")
    security = _security(tls)
    try:
        client = Client(**where, timeout=CONNECT_SECONDS, security=security, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        why = str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
        raise AssayError(
            f"no scheduler answers at {address} ({why}). Start one with `dask scheduler`, and check the address, the "
            "firewall and --tls."
        ) from None
    return Cluster(client)


def _started_here(count: str, tls: Tls | None) -> Cluster:
    import logging

    import dask
    from distributed import Client, LocalCluster

    if not (count.isdecimal() and 1 <= int(count) <= MOST_WORKERS):
        raise EvaluatorError(f"local needs a number from 1 to {MOST_WORKERS}, as in local:4. Got {count!r}.")
    security = _security(tls)
    with dask.config.set(QUIET):
        cluster = LocalCluster(
            n_workers=int(count),
            threads_per_worker=1,
            processes=True,
            host=LOOPBACK,
            protocol="tls://" if tls else "tcp://",
            dashboard_address=f"{LOOPBACK}:0",
            worker_dashboard_address=f"{LOOPBACK}:0",
            security=security,
            silence_logs=logging.CRITICAL,
        )
        return Cluster(Client(cluster, set_as_default=False, security=security), cluster)


def _security(tls: Tls | None) -> Any:
    from distributed.security import Security

    if tls is None:
        return None
    ca, cert, key = (str(existing_file(path)) for path in tls)
    roles = {
        f"tls_{role}_{what}": path
        for role in ("client", "scheduler", "worker")
        for what, path in (("cert", cert), ("key", key))
    }
    return Security(tls_ca_file=ca, require_encryption=True, **roles)


def versions() -> dict[str, str]:
    """What must be equal here and on workers for equal numbers."""
    python = ".".join(map(str, sys.version_info[:2]))
    return {"Python": python, "assay": f"{__version__} (code {code_fingerprint()})"}


def _nothing() -> None:
    """A task that waits for a worker."""


def _versions_there() -> dict[str, str]:
    return versions()


def _compare(theirs: dict[str, str], ours: dict[str, str], who: str) -> None:
    differ = [f"{what} {theirs.get(what)}, and here is {ours[what]}" for what in ours if theirs.get(what) != ours[what]]
    if differ:
        raise AssayError(f"{who} has {'; '.join(differ)}. Install the same version on both.")


_LOCK = Lock()
_FUNCTIONS: dict[bytes, Callable[[Any], Any]] = {}


def _apply(pickled: bytes, digest: bytes, expected: dict[str, str], task: Any) -> Any:
    """Apply a function on a worker, which keeps it with everything it has loaded until another one comes."""
    # Workers may have come after the others were asked for their versions.
    _compare(versions(), expected, "a worker")
    with _LOCK:
        if digest not in _FUNCTIONS:
            _FUNCTIONS.clear()
            _FUNCTIONS[digest] = pickle.loads(pickled)
        function = _FUNCTIONS[digest]
    return function(task)
