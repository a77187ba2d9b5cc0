"""The shipped files of nginx and Caddy, with ports and certificates of a test, in front of a real server."""

import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPResponse, HTTPSConnection
from pathlib import Path

import pytest

from assay.annotate.service import Service
from tests.annotate.serve_process import protocol_file
from tests.annotate.served import Page
from tests.annotate.test_crowds import texts

pytestmark = pytest.mark.slow

DEPLOY = Path(__file__).parents[2] / "deploy"
NAME = "study.example.org"
SAME = {"Origin": f"https://{NAME}", "Sec-Fetch-Site": "same-origin"}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def nginx(folder: Path, https: int, http: int, backend: int) -> list[str]:
    """The command, with the shipped site included as from conf.d."""
    names = ["-subj", f"/CN={NAME}", "-keyout", str(folder / "key"), "-out", str(folder / "pem")]
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *names]
    subprocess.run(make, check=True, capture_output=True)
    site = (DEPLOY / "nginx.conf").read_text()
    for shipped, tried in (
        ("listen 80;", f"listen 127.0.0.1:{http};"),
        ("listen 443 ssl;", f"listen 127.0.0.1:{https} ssl;"),
        ("127.0.0.1:8000", f"127.0.0.1:{backend}"),
        (f"/etc/ssl/{NAME}.pem", str(folder / "pem")),
        (f"/etc/ssl/{NAME}.key", str(folder / "key")),
    ):
        assert site.count(shipped) == 1, shipped
        site = site.replace(shipped, tried)
    (folder / "site.conf").write_text(site)
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/pid; error_log stderr; user root;\nevents {{}}\n"
        f"http {{ access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;\n"
        f"fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;\n"
        f"include {folder}/site.conf; }}\n"
    )
    return ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "stderr"]


def caddy(folder: Path, https: int, http: int, backend: int) -> list[str]:
    """The command, with certificates of Caddy's own authority instead of a public one."""
    site = (DEPLOY / "Caddyfile").read_text()
    assert site.count("127.0.0.1:8000") == 1
    options = f"{{\n\thttps_port {https}\n\thttp_port {http}\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n"
    options += f"\tstorage file_system {folder}/store\n}}\n"
    (folder / "Caddyfile").write_text(options + site.replace("127.0.0.1:8000", f"127.0.0.1:{backend}"))
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


PROXIES = {"nginx": nginx, "caddy": caddy}


class Client:
    """A person at the public address."""

    def __init__(self, port: int) -> None:
        self._port, self.cookie = port, ""

    def request(self, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[HTTPResponse, str]:
        connection = HTTPSConnection(NAME, context=ssl._create_unverified_context(), timeout=30)
        connection._create_connection = lambda *_: socket.create_connection(("127.0.0.1", self._port))
        form = {"Content-Type": "application/x-www-form-urlencoded"} if body is not None else {}
        connection.request(method, path, body, {**form, "Cookie": self.cookie, **headers})
        response = connection.getresponse()
        text = response.read().decode()
        self.cookie = response.headers.get("Set-Cookie", self.cookie).partition(";")[0]
        connection.close()
        return response, text


@contextmanager
def running(*command: str) -> Iterator[None]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def when_ready(port: int) -> Client:
    """A client, once the proxy and the server behind it answer."""
    client, deadline = Client(port), time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            if client.request("GET", "/static/icon.svg")[0].status == 200:
                return client
        except OSError:
            pass
        time.sleep(0.2)
    raise AssertionError("no answer")


@pytest.mark.parametrize("program", PROXIES)
def test_a_page_is_answered_through_a_proxy(tmp_path: Path, program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"needs {program}: apt-get install {program}")
    path = protocol_file(tmp_path, texts(tmp_path, 4), "rating", units=1, judgments=1, most=1)
    https, http, backend = free_port(), free_port(), free_port()
    serve = ("-m", "assay", "annotate", "serve", str(path), "--port", str(backend), "--url", f"https://{NAME}")
    with running(sys.executable, *serve), running(*PROXIES[program](tmp_path, https, http, backend)):
        client = when_ready(https)
        response, text = client.request("GET", "/")
        assert response.status == 200 and "script-src 'self'" in response.headers["Content-Security-Policy"]
        assert client.request("POST", "/begin", b"", Origin="https://other.example")[0].status == 403
        assert client.request("POST", Page(text).action, b"", **SAME)[0].status == 303
        assert client.cookie.startswith("__Host-assay=")
        page = Page(client.request("GET", "/work")[1])
        assert client.request("POST", page.action, b"x=" + b"y" * 4_500_000, **SAME)[0].status == 413
        name, values = next((name, values) for name, values in page.fields.items() if name != "ms")
        sent = client.request("POST", page.action, f"{name}={values[0]}".encode(), **SAME)[0]
        assert sent.status == 303 and sent.headers["Location"].startswith("/work?saved=")
        statuses = {client.request("GET", "/work")[0].status for _ in range(80)}
        assert statuses == ({200, 503} if program == "nginx" else {200})  # nginx limits the rate
    with Service.open(path.with_suffix(".sqlite")) as service:
        assert len(list(service.judgments())) == 1 and service.verify() == []
