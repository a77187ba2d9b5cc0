"""A function of the user's own is an evaluator wherever one is named."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay import AssayError, Dataset, compare, replay, score
from assay.registry import parse, travels

MODULE = """
from assay import Output
from assay.evaluator import evaluator, per_unit

def vowels(text): return sum(letter in "aeiou" for letter in text)
def anything(words): return len(words)
def shares(text, references): return len(set(text.split()) & set(references[0].split()))
def whole(output): return len(output.item.context)
def distinct(texts): return len(set(texts))
def wrong(text, weather): return 1
def nothing(): return 1
value = 3

@evaluator()
def decorated(): return per_unit(lambda output: float(len(output.text)))
"""


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A module in the current folder, which is not on the path."""
    (tmp_path / "own_metrics.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    yield
    sys.modules.pop("own_metrics", None)


@pytest.fixture
def data() -> Dataset:
    return Dataset.from_records(
        {
            "item": f"i{n}",
            "context": "who",
            "system": system,
            "text": text,
            "references": ["one two"],
            "set": f"{n}{system}",
        }
        for n in range(5)
        for system, text in (("a", "one two three"), ("b", "xyz"))
    )


@pytest.mark.parametrize(
    ("name", "first"), [("vowels", 5), ("anything", 13), ("shares", 2), ("whole", 3), ("decorated", 13)]
)
def test_a_function_scores_outputs_by_the_names_of_its_parameters(data: Dataset, name: str, first: float) -> None:
    table = score(data, [f"own_metrics:{name}"])
    assert table.kind == "output" and next(iter(table.columns.values())).values[0] == first


def test_a_function_of_texts_scores_sets(data: Dataset) -> None:
    assert score(data, ["own_metrics:distinct"]).kind == "set"


def test_its_signature_parses_back_and_results_replay(data: Dataset) -> None:
    column = score(data, ["own_metrics:vowels"])["own_metrics:vowels"]
    assert column.signature == "function(path='own_metrics:vowels')|function"
    assert parse(column.signature) == parse("own_metrics:vowels") and travels(parse("own_metrics:vowels"))
    (difference,) = [n for n in compare(data, ["own_metrics:shares"]).numbers if n.name == "difference"]
    assert replay(difference.signature, data).numbers[0].value == difference.value == 2


@pytest.mark.parametrize(
    ("path", "complaint"),
    [
        ("own_metrics:nope", "no attribute 'nope'"),
        ("nowhere:nope", "No module named 'nowhere'"),
        ("own_metrics:wrong", "takes text, weather"),
        ("own_metrics:nothing", "takes nothing"),
        ("own_metrics:value", "is int, not a function"),
        ("function(3)", "takes a path"),
    ],
)
def test_what_is_no_such_function_is_said_plainly(path: str, complaint: str) -> None:
    with pytest.raises(AssayError, match=complaint):
        parse(path)
