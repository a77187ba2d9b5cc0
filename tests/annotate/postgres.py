"""A throw-away PostgreSQL server for the tests, from the binaries of the system."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


def _binary(name: str) -> str | None:
    return next((str(folder / name) for folder in FOLDERS if (folder / name).exists()), shutil.which(name))


class Cluster:
    """A running server; every study gets a schema of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = count(1)

    def fresh(self) -> str:
        """The address of an empty schema."""
        import psycopg

        schema = f"study{next(self._numbers)}"
        base = f"postgresql:///postgres?host={self._folder}&user=postgres"
        with psycopg.connect(base) as connection:
            connection.execute(f"CREATE SCHEMA {schema}")
        return f"{base}&options=-csearch_path%3D{schema}"


@contextmanager
def running(*, durable: bool = False) -> Iterator[Cluster]:
    """Start a server and stop it; with `durable`, every commit is synced."""
    control, initdb = _binary("pg_ctl"), _binary("initdb")
    if control is None or initdb is None:
        if os.environ.get("ASSAY_POSTGRES") == "required":
            pytest.fail("PostgreSQL is required here, and its binaries are absent")
        pytest.skip("needs the binaries of PostgreSQL: apt-get install postgresql")
    # PostgreSQL does not run as root, and the path of its socket must be short.
    user = "postgres" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="assay-pg-"))
    try:
        if user:
            shutil.chown(folder, user)
        run = lambda *command: subprocess.run(command, check=True, capture_output=True, user=user, cwd="/")  # noqa: E731
        data = folder / "data"
        run(initdb, "-D", str(data), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        settings = f"-c listen_addresses= -c unix_socket_directories={folder} -c max_connections=60"
        if not durable:
            settings += " -c fsync=off -c full_page_writes=off -c synchronous_commit=off"
        run(control, "-D", str(data), "-o", settings, "-l", str(folder / "log"), "-w", "-t", "120", "start")
        try:
            yield Cluster(folder)
        finally:
            run(control, "-D", str(data), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
