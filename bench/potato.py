"""The same load on potato, a tool for annotation: its server in a process of its own, and people who use its pages.

It is looked for as a command `potato`, or as the one that ASSAY_POTATO names: `pip install potato-annotation` into an
environment of its own. Its license is the GPL, so assay neither needs nor ships it.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from threading import Event, Lock, Thread
from urllib.parse import urlencode, urlsplit

import numpy as np

from assay.annotate.serving import listening
from assay.annotate.simulated.crowd import Habits, Load

CONFIG = {
    "annotation_task_name": "bench",
    "task_dir": ".",
    "output_annotation_dir": "annotation_output/",
    "output_annotation_format": "jsonl",
    "data_files": ["outputs.jsonl"],
    "item_properties": {"id_key": "id", "text_key": "text"},
    "user_config": {"allow_all_users": True, "users": []},
    "require_password": False,
    "authentication": {"method": "in_memory"},
    "assignment_strategy": "random",
    "max_annotations_per_user": -1,
    "max_annotations_per_item": 20,
    "annotation_schemes": [
        {"annotation_type": "radio", "name": "rating", "description": "How good?", "labels": list("12345")}
    ],
    "html_layout": "default",
    "base_html_template": "default",
    "header_file": "default",
    "site_dir": "default",
}
INSTANCE = re.compile(r'id="instance_id"[^>]*value="([^"]*)"')


def command() -> str | None:
    """The command, None where potato is not installed."""
    return os.environ.get("ASSAY_POTATO") or shutil.which("potato")


@contextmanager
def running(program: str, folder: Path) -> Iterator[str]:
    """A server over the outputs in a folder; its address."""
    with listening("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
    (folder / "config.yaml").write_text(json.dumps(CONFIG | {"port": port}))  # JSON is YAML
    arguments = [program, "start", "config.yaml", "-p", str(port)]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(arguments, cwd=folder, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                Person(f"http://127.0.0.1:{port}", "first").request("GET", "/")
                break
            except OSError:
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.send_signal(signal.SIGKILL)
        server.wait(30)


class Person:
    """An annotator: signs in, saves an answer, asks for the next text."""

    def __init__(self, url: str, name: str) -> None:
        self._url, self._name, self._cookie = urlsplit(url), name, ""

    def request(self, method: str, path: str, body: str | None = None, kind: str = "application/json") -> str:
        """Send a request; return the page, and remember the session."""
        connection = HTTPConnection(self._url.hostname or "", self._url.port, timeout=120)
        try:
            headers = {"Cookie": self._cookie} | ({} if body is None else {"Content-Type": kind})
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            text = response.read().decode()
        finally:
            connection.close()
        cookie = response.headers.get("Set-Cookie")
        if cookie:
            self._cookie = cookie.partition(";")[0]
        if response.status >= 400:
            raise HTTPException(f"status {response.status}")
        return text

    def begin(self) -> str:
        """Sign in; return the first page."""
        form = urlencode({"email": self._name, "pass": "x", "action": "login"})
        self.request("POST", "/auth", form, "application/x-www-form-urlencoded")
        return self.request("GET", "/annotate")

    def save(self, instance: str) -> None:
        """Answer about a text."""
        self.request("POST", "/updateinstance", json.dumps({"instance_id": instance, "annotations": {"rating:3": "3"}}))

    def next(self, instance: str) -> str:
        """The page after a text."""
        return self.request("POST", "/annotate", json.dumps({"action": "next_instance", "instance_id": instance}))


def crowd(url: str, annotators: int, habits: Habits, stop: Event) -> Load:
    """Let annotators work until `stop` is set; a save is acknowledged when it is answered."""
    load, lock = Load(), Lock()

    def live(number: int) -> None:
        rng, person = np.random.default_rng([0, number]), Person(url, f"bot{number}")
        try:
            stop.wait(rng.uniform(0, habits.arriving))
            html = person.begin()
            while not stop.is_set():
                instance = INSTANCE.search(html)
                if instance is None or (habits.thinking and stop.wait(rng.exponential(habits.thinking))):
                    return
                start = time.perf_counter()
                person.save(instance[1])
                with lock:
                    load.acknowledged.append(f"{number} {instance[1]}")
                    load.sent.append(start)
                    load.seconds.append(time.perf_counter() - start)
                html = person.next(instance[1])
        except (OSError, HTTPException) as error:
            with lock:
                load.problems.append(f"{type(error).__name__}: {error}")

    threads = [Thread(target=live, args=(number,), daemon=True) for number in range(annotators)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(150)
    return load
