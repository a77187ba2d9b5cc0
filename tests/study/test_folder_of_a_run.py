"""The folder a run writes into: what is kept by what, what is removed, and where nothing can be written."""

import json
import os
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from assay.cli import cli
from assay.errors import AssayError, DataError
from assay.io import load, save
from assay.io.code import code_fingerprint
from assay.io.sealed import write_sealed
from assay.part import Part, Picture, Table
from assay.plot import Figure
from assay.study.file import Study, read_study
from assay.study.outcome import write_outcome
from assay.study.runner import Finished, StudyRun

QUIET = lambda *_: None  # noqa: E731


@pytest.fixture
def study(tmp_path: Path) -> Study:
    (tmp_path / "outputs.jsonl").write_text('{"text": "a", "system": "x"}\n{"text": "b", "system": "y"}\n')
    (tmp_path / "study.toml").write_text('data = "outputs.jsonl"\n[health]\n')
    return read_study(tmp_path / "study.toml")


def run(study: Study, folder: Path) -> list[str]:
    """Run a study and return the steps that were computed."""
    found = StudyRun(study, folder)
    pending = found.pending
    write_outcome(study, found.finish(QUIET), folder)
    return pending


def asked(study: Study, folder: Path) -> Result:
    return CliRunner().invoke(cli, ["run", str(study.path), "-o", str(folder)])


@pytest.mark.parametrize("inside", ["", "inside"])
def test_a_file_in_the_way_of_the_folder_is_named(study: Study, tmp_path: Path, inside: str) -> None:
    (tmp_path / "file").touch()
    error = asked(study, tmp_path / "file" / inside).exception
    assert isinstance(error, DataError)
    assert "a file is in its way. Choose another folder." in str(error)


def test_a_folder_that_cannot_be_made_is_told_before_anything_is_computed(study: Study) -> None:
    said: list[str] = []
    with pytest.raises(DataError, match=r"cannot make the folder /proc/x: .*\. Choose another folder\."):
        StudyRun(study, Path("/proc/x")).finish(lambda *told: said.append(told[3]))
    assert said == []


def test_a_folder_name_that_is_too_long_is_told(study: Study, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="File name too long"):
        StudyRun(study, tmp_path / ("x" * 300)).finish(QUIET)


def test_data_in_the_folder_of_the_results_is_kept_too(study: Study, tmp_path: Path) -> None:
    folder = tmp_path / "tables_of_data"
    save(load(study.sources), folder)
    (folder / "study.toml").write_text('data = "."\n[health]\n')
    inside = read_study(folder / "study.toml")
    assert run(inside, folder / "out") == ["health"]
    assert run(inside, folder / "out") == []
    (folder / "outputs.parquet").unlink()
    (folder / "outputs.jsonl").write_text('{"text": "other", "system": "x"}\n')
    assert run(inside, folder / "out") == ["health"]


def test_data_that_is_not_there_says_from_where_it_is_looked_for(study: Study, tmp_path: Path) -> None:
    (tmp_path / "outputs.jsonl").unlink()
    with pytest.raises(DataError) as caught:
        StudyRun(study, tmp_path / "out")
    assert str(caught.value) == (
        "study.toml: data: no file 'outputs.jsonl'. Paths are relative to the folder of the study file, "
        f"{tmp_path.resolve()}. Correct the key data."
    )


def test_data_with_a_name_that_no_file_can_have_is_not_there(study: Study, tmp_path: Path) -> None:
    study.path.write_text('data = "a\\u0000b"\n[health]\n')
    with pytest.raises(DataError, match=r"data: no file 'a\\x00b'\."):
        StudyRun(read_study(study.path), tmp_path / "out")


def test_data_that_is_a_pipe_is_refused_and_not_waited_for(study: Study, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    study.path.write_text('data = "pipe.jsonl"\n[health]\n')
    with pytest.raises(DataError, match=r"pipe\.jsonl: a pipe, and data is read more than once"):
        StudyRun(read_study(study.path), tmp_path / "out")


def test_a_file_that_an_evaluator_reads_is_part_of_what_a_step_depends_on(study: Study, tmp_path: Path) -> None:
    documents = tmp_path / "documents.jsonl"
    call = f"cider(documents='{documents}')"
    study.path.write_text(f'data = "outputs.jsonl"\n[scores]\nevaluators = ["{call}"]\n[health]\n')
    found = []
    for reference in ("a b", "a b", "c d"):
        documents.write_text(json.dumps({"text": "a", "references": [reference]}) + "\n")
        found.append(StudyRun(read_study(study.path), tmp_path / "out")._paths)
    assert found[0] == found[1]
    assert found[1]["scores"] != found[2]["scores"]
    assert found[1]["health"] == found[2]["health"]


def test_other_versions_of_what_numbers_are_computed_with_are_other_code(monkeypatch: pytest.MonkeyPatch) -> None:
    before = code_fingerprint()
    monkeypatch.setattr("assay.io.code.version", lambda package: "99.0" if package == "numpy" else "1.0")
    code_fingerprint.cache_clear()
    changed = code_fingerprint()
    monkeypatch.undo()
    code_fingerprint.cache_clear()
    assert before == code_fingerprint() != changed


def test_only_what_killed_runs_left_is_removed(study: Study, tmp_path: Path) -> None:
    run(study, tmp_path)
    host = os.uname().nodename
    child = os.posix_spawn("/bin/true", ["true"], {})
    os.waitpid(child, 0)
    left = [tmp_path / f".assay-{host}-{child}-abcdefgh.part", tmp_path / f"tables/.assay-{host}-{child}-abcdefgh.part"]
    others = [
        tmp_path / ".film.mkv.part",
        tmp_path / f".assay-{host}-{os.getpid()}-abcdefgh.part",
        tmp_path / f".assay-elsewhere-{child}-abcdefgh.part",
        tmp_path / "mine" / f".assay-{host}-{child}-abcdefgh.part",
    ]
    for path in (*left, *others):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    run(study, tmp_path)
    assert [path.exists() for path in left] == [False, False]
    assert all(path.exists() for path in others)


def outcome(study: Study, folder: Path, *names: str) -> None:
    folder.mkdir(exist_ok=True)
    part = Part("A part", "", pictures=tuple(Picture.of(name, Figure("t"), "") for name in names))
    write_outcome(study, [Finished("health", part)], folder)


def test_a_name_with_dots_in_it_is_removed_like_any_other(study: Study, tmp_path: Path) -> None:
    outcome(study, tmp_path / "out", "huse-.._x", "huse-y")
    outcome(study, tmp_path / "out", "huse-y")
    assert os.listdir(tmp_path / "out/figures") == ["huse-y.svg"]


def test_a_list_of_files_that_is_not_ours_removes_nothing(study: Study, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    outcome(study, folder, "y")
    for listed in (
        [1, None],
        3,
        ["figures/../../study.toml", "../study.toml", "results.json", "figures", "figures/\0"],
    ):
        write_sealed(json.dumps(listed).encode(), folder / "steps/files.list", name="files.list")
        outcome(study, folder, "y")
    assert study.path.exists()
    assert (folder / "figures/y.svg").exists()


def test_a_run_killed_between_its_files_leaves_none_for_ever(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from assay.study import outcome as module

    def killed_after_the_first(text: str, path: Path) -> None:
        write(text, path)
        if path.suffix == ".svg":
            raise KeyboardInterrupt

    write = module.write_text
    outcome(study, tmp_path / "out", "old")
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(module, "write_text", killed_after_the_first)
        outcome(study, tmp_path / "out", "new")
    outcome(study, tmp_path / "out", "newer")
    assert os.listdir(tmp_path / "out/figures") == ["newer.svg"]


def test_killed_at_any_write_a_report_stands_beside_its_own_results(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from assay.study import outcome as module

    write, folder = module.write_text, tmp_path / "out"
    outcome(study, folder, "one")
    writes, reports = 0, 0
    for killed_at in range(8):

        def killed(text: str, path: Path, stop: int = killed_at) -> None:
            nonlocal writes
            if writes == stop:
                raise KeyboardInterrupt
            writes += 1
            write(text, path)

        writes, killed_once = 0, False
        with monkeypatch.context() as patch:
            patch.setattr(module, "write_text", killed)
            try:
                outcome(study, folder, "one", f"study-{killed_at}")
            except KeyboardInterrupt:
                killed_once = True
        if (folder / "report.html").exists():
            reports += 1
            results = (folder / "results.json").read_bytes()
            digest = b64encode(sha256(results).digest()).decode()
            assert f'<meta name="results" content="sha256-{digest}">' in (folder / "report.html").read_text()
        if not killed_once:
            break
    assert killed_at >= 3
    assert reports == 1, "only the run that was not killed leaves a report"


@pytest.mark.parametrize("link", ["steps", "scores", "tables", "figures"])
def test_a_link_to_a_folder_elsewhere_is_refused(study: Study, tmp_path: Path, link: str) -> None:
    run(study, tmp_path / "out")
    elsewhere = tmp_path / "elsewhere"
    (tmp_path / "out" / link).rename(elsewhere) if (tmp_path / "out" / link).exists() else elsewhere.mkdir()
    (elsewhere / "precious.csv").touch()
    before = sorted(os.listdir(elsewhere))
    (tmp_path / "out" / link).symlink_to(elsewhere)
    listed = [f"{link}/{name}" for name in before]
    write_sealed(json.dumps(listed).encode(), tmp_path / "out/steps/files.list", name="files.list")
    before = sorted(os.listdir(elsewhere))
    for act in (lambda: run(study, tmp_path / "out"), lambda: outcome(study, tmp_path / "out", "one")):
        with pytest.raises(DataError, match=rf"out/{link} is a link.*remove the link, or choose another folder\."):
            act()
    assert sorted(os.listdir(elsewhere)) == before


def test_the_folder_itself_may_be_a_link(study: Study, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "elsewhere")
    outcome(study, tmp_path / "out", "one")
    outcome(study, tmp_path / "out", "two")
    assert os.listdir(tmp_path / "elsewhere/figures") == ["two.svg"]


@pytest.mark.parametrize("name", ["../../x", "/tmp/x", "a/b", "a\\b", "..", ".hidden", "", "a\0"])
def test_a_kept_step_that_names_files_elsewhere_is_computed_again(
    study: Study, tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    run(study, tmp_path / "out")
    wanted = sorted(tmp_path.rglob("*"))
    (kept,) = (tmp_path / "out/steps").glob("*.step")
    for part in (
        Part("A part", "", tables=(Table(name, "", ("a",), ()),)),
        Part("A part", "", pictures=(Picture.of(name, Figure("t"), ""),)),
        Part("A part", "", scores={name: "a\n"}),
    ):
        write_sealed(json.dumps(part.to_json()).encode(), kept, name=kept.name)
        caplog.clear()
        assert run(study, tmp_path / "out") == ["health"]
        assert "not the result of a step. It is ignored" in caplog.text
    assert sorted(tmp_path.rglob("*")) == wanted


def test_a_list_of_files_that_is_damaged_removes_nothing(
    study: Study, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    outcome(study, tmp_path / "out", "one")
    listed = tmp_path / "out/steps/files.list"
    listed.write_bytes(listed.read_bytes().replace(b"one", b"own"))
    (tmp_path / "out/figures/own.svg").touch()
    outcome(study, tmp_path / "out", "two")
    assert sorted(os.listdir(tmp_path / "out/figures")) == ["one.svg", "own.svg", "two.svg"]
    assert "files.list: damaged" in caplog.text


def test_a_table_without_rows_has_its_header(study: Study, tmp_path: Path) -> None:
    part = Part("A part", "", tables=(Table("empty", "Nothing", ("system", "text"), ()),))
    tmp_path.joinpath("out").mkdir()
    write_outcome(study, [Finished("health", part)], tmp_path / "out")
    assert (tmp_path / "out/tables/empty.csv").read_text() == "system,text\n"


def test_two_files_of_one_name_are_refused(study: Study, tmp_path: Path) -> None:
    part = Part("A part", "", pictures=(Picture.of("plane", Figure("t"), ""),))
    with pytest.raises(AssayError, match=r"both \[huse\] and \[mine\] write figures/plane\.svg"):
        write_outcome(study, [Finished("huse", part), Finished("mine", part)], tmp_path)
