"""Data from several files, patterns, standard input, compressed files and aligned texts."""

import gzip
import io
import json
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest
from click.testing import CliRunner

import assay
from assay.cli import cli
from assay.io import places

RECORDS = [{"item": "1", "text": "a b", "references": ["a"]}, {"item": "2", "text": "c"}]
LINES = "".join(json.dumps(record) + "\n" for record in RECORDS)


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    path = tmp_path / "gpt.jsonl"
    path.write_text(LINES)
    return path


def test_compressed_files_are_read_as_they_are(plain: Path) -> None:
    packed = plain.with_name("gpt.jsonl.gz")
    packed.write_bytes(gzip.compress(LINES.encode()))
    zst = plain.with_name("gpt.jsonl.zst")
    with pa.CompressedOutputStream(str(zst), "zstd") as stream:
        stream.write(LINES.encode())
    assert assay.load(packed) == assay.load(zst) == assay.load(plain)
    assert assay.load(packed).systems.id.to_list() == ["gpt"]


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_a_damaged_packed_file_is_an_error(plain: Path, ending: str) -> None:
    packed = plain.with_name(f"gpt.jsonl.{ending}")
    packed.write_bytes(gzip.compress(LINES.encode())[:-9] if ending == "gz" else b"(\xb5/\xfd oh no")
    with pytest.raises(assay.DataError, match="not a whole"):
        assay.load(packed)


def test_the_separators_of_other_programs(tmp_path: Path) -> None:
    for separator in (";", "\t"):
        path = tmp_path / "gpt.csv"
        path.write_text(f'item{separator}text\n1{separator}"a, b"\n2{separator}c\n')
        assert assay.load(path).outputs.text.to_list() == ["a, b", "c"]


def test_a_json_array_has_records(tmp_path: Path) -> None:
    path = tmp_path / "gpt.json"
    path.write_text(json.dumps(RECORDS, indent=1))
    (tmp_path / "gpt.jsonl").write_text(LINES)
    assert assay.load(path, mapping="id=item") == assay.load(tmp_path / "gpt.jsonl", mapping="id=item")
    path.write_text('[\n{"text": "a"},\n{"text": 1},\n{"context": "b"}]')
    with pytest.raises(assay.DataError) as error:
        assay.load(path)
    assert "gpt.json record 2: text is 1" in str(error.value) and "gpt.json record 3: no text" in str(error.value)


@pytest.mark.parametrize("bad", ["[", "[1]", '[{"text": "a"}', '[{"text": "a"}] x', "[{},]", '{"a": 1}', "[]", ""])
def test_a_bad_json_array_is_one_message(tmp_path: Path, bad: str) -> None:
    (tmp_path / "x.json").write_text(bad)
    with pytest.raises(assay.DataError, match=r"x\.json"):
        assay.load(tmp_path / "x.json")


@pytest.mark.parametrize(
    "content",
    [LINES.encode(), json.dumps(RECORDS).encode(), gzip.compress(LINES.encode(), mtime=0)],
    ids=["lines", "array", "packed"],
)
def test_standard_input(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    places._stdin.cache_clear()
    stream = io.BytesIO(content)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=stream))
    data = assay.load("-")
    assert data.systems.id.to_list() == ["stdin"] and data.outputs.text.to_list() == ["a b", "c"]
    places._stdin.cache_clear()


def test_stdin_of_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    places._stdin.cache_clear()
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"item\ttext\n1\ta, b\n")))
    assert assay.load("-").outputs.text.to_list() == ["a, b"]
    places._stdin.cache_clear()


def test_several_files_are_systems_and_share_items(plain: Path) -> None:
    other = plain.with_name("lstm.jsonl")
    other.write_text('{"item": "1", "text": "x"}\n{"item": "2", "text": "y"}\n')
    data = assay.load([plain, other])
    assert data == assay.load(str(plain.parent / "*.jsonl"))
    assert data.systems.id.to_list() == ["gpt", "lstm"] and len(data.items) == 2
    assert data.outputs.id.to_list() == ["1|gpt", "2|gpt", "1|lstm", "2|lstm"]
    assert data.items.references[0] == ["a"]


def test_files_that_contradict_each_other(plain: Path) -> None:
    other = plain.with_name("lstm.jsonl")
    other.write_text('{"item": "1", "text": "x", "references": ["b"]}\n')
    with pytest.raises(assay.DataError, match="lstm row 1: item '1' has another references than in gpt row 1"):
        assay.load([plain, other])


def test_lines_without_items_are_aligned(tmp_path: Path) -> None:
    for name, texts in {"a": "pq", "b": "rs", "c": "t"}.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(f'{{"text": "{text}"}}\n' for text in texts))
    assert len(assay.load([tmp_path / "a.jsonl", tmp_path / "b.jsonl"]).items) == 2
    with pytest.raises(assay.DataError, match="no line names its item"):
        assay.load([tmp_path / "a.jsonl", tmp_path / "c.jsonl"])


def test_judgments_and_columns_survive_a_join(plain: Path) -> None:
    sample = [
        {"id": f"{s}{i}", "item": str(i), "system": s, "text": f"{s} {i}", "x": i, "set": f"s{i}",
         "judgments": [{"annotator": "q", "criterion": "c", "value": i}], "logprobs": {s: -1.5}}
        for s in "ab" for i in (1, 2)
    ]  # fmt: skip
    for s in "ab":
        records = [record | {"set": f"{record['set']}{s}"} for record in sample if record["system"] == s]
        (plain.parent / f"{s}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    whole = assay.Dataset.from_records([record | {"set": f"{record['set']}{record['system']}"} for record in sample])
    assert assay.load([plain.parent / "a.jsonl", plain.parent / "b.jsonl"]) == whole


def test_sets_of_two_files_stay_apart(plain: Path) -> None:
    for name in ("p", "q"):
        (plain.parent / f"{name}.jsonl").write_text(f'{{"item": "1", "text": "{name}", "set": "s"}}\n')
    data = assay.load([plain.parent / "p.jsonl", plain.parent / "q.jsonl"])
    assert data.sets.id.to_list() == ["s|p", "s|q"]


def test_no_file_matches(tmp_path: Path) -> None:
    with pytest.raises(assay.DataError, match="no file matches"):
        assay.load(str(tmp_path / "*.jsonl"))
    with pytest.raises(assay.DataError, match="given twice"):
        assay.load([tmp_path / "a.jsonl", tmp_path / "a.jsonl"])


def test_aligned_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("one two\n\nthree")
    Path("b.txt").write_text("one\ntwo\nthree\n")
    Path("ref.txt").write_text("one\ntwo\nthree\n")
    run = CliRunner().invoke(cli, ["convert", "--hyp", "a.txt", "b.txt", "--ref", "ref.txt", "-o", "out.jsonl"])
    assert run.exit_code == 0, run.output
    data = assay.load("out.jsonl")
    assert data.systems.id.to_list() == ["a", "b"] and len(data.items) == 3
    assert data.outputs.text.to_list()[:3] == ["one two", "", "three"]
    Path("ref.txt").write_text("one\n")
    run = CliRunner().invoke(cli, ["score", "--hyp", "a.txt", "--ref", "ref.txt", "-e", "chrf"])
    assert "not aligned: a.txt has 3 lines, ref.txt has 1 lines" in str(run.exception)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["score", "-e", "length"], "no data"),
        (["score", "x.jsonl", "--hyp", "a.txt", "-e", "length"], "both DATA"),
        (["score", "x.jsonl", "--ref", "a.txt", "-e", "length"], "--ref is for"),
        (["score", "--hyp", "a.txt", "--map", "text=a", "-e", "length"], "without columns to map"),
    ],
)
def test_data_that_contradicts_itself_is_a_usage_error(args: list[str], message: str) -> None:
    run = CliRunner().invoke(cli, args)
    assert run.exit_code == 2 and message in run.stderr


def test_systems_are_selected_on_every_command(plain: Path) -> None:
    for name, text in (("b", "b b"), ("c", "c c c")):
        plain.with_name(f"{name}.jsonl").write_text(f'{{"item": "1", "text": "{text}"}}\n')
    files = [str(plain.with_name(f"{name}.jsonl")) for name in ("gpt", "b", "c")]
    for args, systems in ((["--systems", "b", "c"], "bc"), (["--exclude", "gpt"], "bc"), (["--exclude", "b"], "")):
        out = plain.parent / f"out{len(args)}{args[-1]}.jsonl"
        run = CliRunner().invoke(cli, ["convert", *files, *args, "-o", str(out)])
        assert run.exit_code == 0, run.output
        assert assay.load(out).systems.id.to_list() == (list(systems) or ["gpt", "c"])
    run = CliRunner().invoke(cli, ["convert", *files, "--systems", "gpd", "-o", "x.jsonl"])
    assert "Did you mean 'gpt'" in str(run.exception)


def test_two_logs_of_lm_eval_go_together(tmp_path: Path) -> None:
    sample = {
        "doc_id": 0, "doc": {"q": "?"}, "target": "4", "arguments": [["2+2=", {"until": ["\n"]}]],
        "filter": "none", "metrics": ["exact_match"], "exact_match": 1.0,
    }  # fmt: skip
    for model, answer in (("llama", "4"), ("gpt2", "5")):
        log = sample | {"resps": [[answer]], "filtered_resps": [answer]}
        (tmp_path / f"{model}.jsonl").write_text(json.dumps(log) + "\n")
        (tmp_path / model).mkdir()
        (tmp_path / model / "samples_sums_2024-01-01T00-00-00.000000.jsonl").write_text(json.dumps(log) + "\n")
    for paths in (tmp_path.glob("*.jsonl"), tmp_path.glob("*/*.jsonl")):
        data = assay.load(sorted(paths))
        assert sorted(data.systems.id) == ["gpt2", "llama"] and len(data.items) == 1 and len(data.sets) == 2
