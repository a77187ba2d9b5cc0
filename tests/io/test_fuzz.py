"""Readers on broken files: a dataset or an AssayError, never another exception."""

import csv
import io
import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import AssayError, Dataset
from assay.io import load, save
from assay.records.flat import FIELDS
from assay.records.flat_judgments import JUDGMENT_FIELDS
from tests.io.special import test_colors, test_diversity, test_lm_eval, test_mturk
from tests.records.test_dataset import RICH

FORMATS = ["x.jsonl", "x.csv", "x.tsv", "x.parquet", "diversity.csv", "mturk.csv", "colors.csv", "lm-eval.jsonl"]
# Nasty bytes: syntax characters, numbers out of range, invalid UTF-8.
SPLINTERS = [
    *(b'"', b'""', b",", b"\n", b"\r", b"\t", b"{", b"}", b"[", b"]", b":", b"\\", b"\x00", b"\xff", b"\xef\xbb\xbf"),
    *(b"null", b"NaN", b"Infinity", b"-inf", b"1e999", b"1" * 400, b"-1", b"true", b"[[]]", b"[null]", b'{"a": 1}'),
]


@pytest.mark.parametrize("name", FORMATS)
@given(content=st.binary(max_size=200))
@settings(max_examples=10)
def test_random_bytes(name: str, content: bytes) -> None:
    read(name, content)


@pytest.mark.parametrize("name", FORMATS)
@given(
    cuts=st.lists(
        st.tuples(st.floats(0, 1), st.integers(0, 20), st.one_of(st.sampled_from(SPLINTERS), st.binary(max_size=3))),
        min_size=1,
        max_size=4,
    )
)
@settings(max_examples=25)
def test_files_with_some_bytes_changed(name: str, cuts: list[tuple[float, int, bytes]]) -> None:
    content = valid(name)
    for place, length, splinter in cuts:
        start = int(place * len(content))
        content = content[:start] + splinter + content[start + length :]
    read(name, content)


JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.just(10**400), st.floats(), st.text(max_size=3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.text(max_size=2), st.sampled_from(JUDGMENT_FIELDS)), inner, max_size=3),
    ),
    max_leaves=6,
)
RECORDS = st.dictionaries(st.sampled_from([*sorted(FIELDS), "", "x", "params.t"]), JSON, max_size=5)


@given(records=st.lists(RECORDS.map(lambda record: {"text": "t"} | record), min_size=1, max_size=3))
@settings(max_examples=80)
def test_records_of_anything(records: list[dict[str, Any]]) -> None:
    try:
        dataset = Dataset.from_records(records)
    except AssayError as error:
        assert str(error)
        return
    with tempfile.TemporaryDirectory() as folder:
        save(dataset, Path(folder) / "x.jsonl")
        assert load(Path(folder) / "x.jsonl") == dataset


@given(content=st.binary(max_size=60), place=st.floats(0, 1))
@settings(max_examples=25)
def test_broken_mappings(content: bytes, place: float) -> None:
    mapping = test_mturk.MAPPING.encode()
    start = int(place * len(mapping))
    read("mturk.csv", valid("mturk.csv"), mapping[:start] + content + mapping[start + len(content) :])


def read(name: str, content: bytes, mapping: bytes = test_mturk.MAPPING.encode()) -> None:
    """Load a file of a format; an error must be an AssayError with a message."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        (Path(folder) / "mapping.toml").write_bytes(mapping)
        try:
            load(
                path,
                format="flat" if path.stem == "x" else path.stem,
                mapping=Path(folder) / "mapping.toml" if path.stem == "mturk" else None,
            )
        except AssayError as error:
            assert str(error)


@cache
def valid(name: str) -> bytes:
    """A valid file."""
    if name == "diversity.csv":
        return (test_diversity.HEADER + "s,C,1.0,content_diversity,a,b,c,-0.5\nt,C,0.7,temp,d,e,f,\n").encode()
    if name == "mturk.csv":
        return (test_mturk.HEADER + "\n".join(test_mturk.ROWS)).encode()
    if name == "colors.csv":
        buffer = io.StringIO()
        csv.writer(buffer).writerows([test_colors.HEADER, *test_colors.ROWS])
        return buffer.getvalue().encode()
    if name == "lm-eval.jsonl":
        return "\n".join(json.dumps(sample) for sample in (test_lm_eval.GENERATED, test_lm_eval.CHOSEN)).encode()
    with tempfile.TemporaryDirectory() as folder:
        save(Dataset.from_records(RICH), Path(folder) / name)
        return (Path(folder) / name).read_bytes()
