from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import BytesIO
from threading import Thread
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from click.testing import CliRunner

from assay import DataError, load
from assay.cli import cli
from assay.io import catalogue
from assay.io.catalogue import Entry, entries, entry
from assay.io.download import fetch

CONTENT = b"sample_id,context,resp_0,resp_1\ns,C,a,b\n"


@pytest.fixture
def server():
    pages = {"/sets.csv": CONTENT}
    with BytesIO() as archive:
        with ZipFile(archive, "w") as opened:
            opened.writestr("data/with_metrics/sets.csv", CONTENT)
        pages["/data.zip"] = archive.getvalue()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = pages.get(self.path)
            self.send_response(200 if body else 404)
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *args):
            pass

    running = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=running.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}"
    running.shutdown()
    thread.join()
    running.server_close()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def entry_at(url: str, **other) -> Entry:
    about = {"about": "a", "cite": "c", "path": "x/sets.csv", "page": "p", "terms": "t", "format": "diversity"}
    return Entry(**{"name": "x/sets", "columns": ("sample_id", "resp_0"), "url": url} | about | other)


def test_get_fetches_and_verifies(server, folder):
    path = fetch(entry_at(f"{server}/sets.csv", sha256=sha256(CONTENT).hexdigest()))
    assert path == folder / "x" / "sets.csv"
    assert path.read_bytes() == CONTENT


def test_get_fetches_a_second_file_first(server, folder):
    path = fetch(entry_at(f"{server}/sets.csv", path="x/first.csv", beside=f"{server}/sets.csv"))
    assert path.read_bytes() == (folder / "x" / "sets.csv").read_bytes() == CONTENT
    with pytest.raises(DataError, match="cannot be downloaded"):
        fetch(entry_at(f"{server}/sets.csv", path="y/first.csv", beside=f"{server}/none.csv"))
    assert not (folder / "y" / "first.csv").exists()


def test_get_takes_a_file_out_of_an_archive(server, folder):
    assert fetch(entry_at(f"{server}/data.zip", member="with_metrics/sets.csv")).read_bytes() == CONTENT
    with pytest.raises(DataError, match="the archive has 0 files"):
        fetch(entry_at(f"{server}/data.zip", member="other.csv", path="y.csv"))
    with pytest.raises(DataError, match="cannot be downloaded"):
        fetch(entry_at(f"{server}/sets.csv", member="sets.csv", path="y.csv"))
    assert [path.name for path in folder.iterdir()] == ["x"]


@pytest.mark.parametrize(
    ("page", "about", "message"),
    [
        ("/sets.csv", {"sha256": "0" * 64}, "not the file in the catalogue"),
        ("/none.csv", {}, r"cannot be downloaded \(HTTP Error 404"),
    ],
)
def test_a_wrong_file_is_not_stored(server, folder, page, about, message):
    with pytest.raises(DataError, match=message):
        fetch(entry_at(server + page, **about))
    assert list((folder / "x").iterdir()) == []


@pytest.mark.parametrize("about", [{}, {"member": "with_metrics/sets.csv"}], ids=["file", "member of an archive"])
def test_oversized_downloads_are_aborted(server, folder, monkeypatch, about):
    monkeypatch.setattr("assay.io.download.MOST_BYTES", len(CONTENT) - 1)
    if about:  # the archive is larger than the file in it: allow the archive but not the file
        monkeypatch.setattr("assay.io.download.MOST_BYTES", 1000)
        pages = BytesIO()
        with ZipFile(pages, "w", ZIP_DEFLATED) as opened:
            opened.writestr("data/with_metrics/sets.csv", b"0" * 1001)
        assert len(pages.getvalue()) < 1000
        monkeypatch.setattr("assay.io.download.urlopen", lambda *_, **__: BytesIO(pages.getvalue()))
    with pytest.raises(DataError, match=r"more than 0 MB, and no dataset .* Nothing was kept"):
        fetch(entry_at(f"{server}/sets.csv", **about))
    assert list((folder / "x").iterdir()) == []


def test_a_damaged_download_is_not_read(server, folder, monkeypatch):
    known = entry_at(f"{server}/sets.csv")
    monkeypatch.setattr(catalogue, "entries", lambda: {known.name: known})
    fetch(known)
    assert known.hash_file.read_text() == f"{sha256(CONTENT).hexdigest()}  sets.csv\n"
    known.file.write_bytes(CONTENT.replace(b"a,b", b"a,c"))
    for ask in (lambda: load("data:x/sets"), known.existing_file):
        with pytest.raises(
            DataError, match=r"does not match its checksum.*Delete it and download it again, or delete sets"
        ):
            ask()
    known.hash_file.unlink()
    assert len(load("data:x/sets")) == 2


def test_the_commands(server, folder, monkeypatch):
    known = entry_at(f"{server}/sets.csv", outputs=2)
    monkeypatch.setattr(catalogue, "entries", lambda: {known.name: known})
    run = CliRunner(catch_exceptions=False).invoke
    assert "data:x/sets  no" in run(cli, ["data", "list"]).output
    with pytest.raises(DataError, match=r"does not exist. Get it with `assay data get x/sets`, or set ASSAY_DATA"):
        load("data:x/sets")
    assert "absent data:x/sets" in run(cli, ["data", "check"]).output
    result = run(cli, ["data", "get", "x/sets"])
    assert result.stdout == f"{known.file}\n" and "Terms: t." in result.stderr
    assert "exists; delete it" in run(cli, ["data", "get", "data:x/sets"]).stderr
    assert run(cli, ["data", "path", "x/sets"]).stdout == f"{known.file}\n"
    assert run(cli, ["data", "check"]).stdout == "ok     data:x/sets\n"
    assert len(load("data:x/sets")) == 2


def test_a_wrong_file_is_detected(server, folder, monkeypatch):
    known = entry_at(f"{server}/sets.csv", outputs=3, columns=("sample_id",))
    monkeypatch.setattr(catalogue, "entries", lambda: {known.name: known})
    fetch(known)
    result = CliRunner().invoke(cli, ["data", "check"])
    assert "wrong  data:x/sets\n       2 outputs, but the catalogue says 3" in result.stdout
    assert isinstance(result.exception, DataError)
    known.file.write_text("a,b\n")
    assert "no column sample_id" in CliRunner().invoke(cli, ["data", "check", "x/sets"]).stdout


def test_a_misspelled_name_gets_a_suggestion():
    with pytest.raises(DataError, match="Did you mean 'huse/summarization'"):
        load("data:huse/sumarization")


def test_the_catalogue_names_every_task():
    tests = ("contest", "dectest200", "dectest1000", "mcdiv", "nuggets", "nuggets200")
    names = {f"diversity/{test}-{task}" for test in tests for task in ("story", "resp", "prompt")}
    names |= {f"colors/{part}" for part in ("utterances", "train", "dev", "test")}
    names |= {f"replace/{part}" for part in ("wax", "summeval", "10k_prompts", "cebab_stars")}
    assert set(entries()) == names | {"huse/summarization", "judges/reviews"}
    assert all(known.url.startswith("https://") and known.terms and known.cite for known in entries().values())


def test_the_default_is_the_users_data_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("ASSAY_DATA", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert entry("colors/dev").file == tmp_path / "assay" / "colors" / "dev_corpus_monroe.csv"


@pytest.mark.parametrize("name", ["huse/summarization", "diversity/contest-story", "colors/utterances", "replace/wax"])
def test_local_files_match_the_catalogue(data, name):
    result = CliRunner().invoke(cli, ["data", "check", name, "--json"], catch_exceptions=False)
    assert '"status": "ok"' in result.stdout
