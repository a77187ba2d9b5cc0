"""`assay annotate serve` in a process of its own, as annotators meet it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from assay.annotate.simulated.browser import Browser, HtmlForm


class Server:
    """A running server; it can be killed, and started again at the same address."""

    def __init__(self, protocol: Path, *options: str) -> None:
        self._command = [sys.executable, "-m", "assay", "annotate", "serve", str(protocol), *options]
        self._port = "0"
        self.start()

    def start(self) -> None:
        command = [*self._command, "--port", self._port]
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
        )
        assert self._process.stdout is not None
        said = []
        for line in self._process.stdout:
            said.append(line)
            if line.startswith("annotators: "):
                self.url = line.split()[1].rstrip("/")
                self._port = self.url.rpartition(":")[2]
                self._wait()
                return
        raise AssertionError("the server did not start: " + "".join(said))

    def _wait(self) -> None:
        """Until it answers."""
        with Browser(self.url) as browser:
            while self._process.poll() is None:
                try:
                    browser.get("/")
                    return
                except OSError:
                    time.sleep(0.01)

    def kill(self) -> None:
        """kill -9"""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ctrl-C"""
        self._end(signal.SIGINT)

    def _end(self, how: signal.Signals) -> None:
        if self._process.poll() is None:
            self._process.send_signal(how)
        self._process.wait(60)
        assert self._process.stdout is not None
        self._process.stdout.close()


@contextmanager
def serving(protocol: Path, *options: str) -> Iterator[Server]:
    server = Server(protocol, *options)
    try:
        yield server
    finally:
        server.stop()


def protocol_file(folder: Path, data: str, form: str, **pages: object) -> Path:
    """A protocol as `assay annotate init` proposes it, with other numbers in [pages]."""
    import assay.annotate

    path = folder / "protocol.toml"
    text = assay.annotate.init(data, form)
    for name, value in pages.items():
        kept, found = [], False
        for line in text.splitlines():
            if line.lstrip("# ").startswith(f"{name} = ") and not found:
                line, found = f"{name} = {value!r}".replace("'", '"'), True
            kept.append(line)
        assert found, name
        text = "\n".join(kept)
    path.write_text(text + "\n", "utf-8")
    return path


def first_choices(nonce: str, form: HtmlForm) -> Mapping[str, str]:
    """An answer that depends on the page alone, so that it is the same whenever it is sent."""
    return {name: values[len(nonce) % len(values)] for name, values in form.choices.items()}
