"""What the cache of scores may give back: scores of this very code, and no failure that may have passed."""

import ast
import importlib
import linecache
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assay import Dataset, ScoreCache, score
from assay.errors import DataError, EvaluatorError, lies_in_data
from assay.evaluator import EvaluatorFactory
from assay.io.code import module_fingerprint
from assay.io.live_code import live_fingerprint
from tests.packages import install_package

SOURCE = Path(__file__).parents[2] / "src" / "assay"
DATA = Dataset.from_records([{"text": "one"}, {"text": "two words"}])

EVALUATOR = """
from assay.evaluator import evaluator, per_unit
WEIGHT = 1
def count(text):
    return len(text.split())
@evaluator(scale="any")
def words():
    '''Words.'''
    return per_unit(lambda output: WEIGHT * count(output.text))
"""


def written(code: str) -> EvaluatorFactory:
    """Write an evaluator as in a cell of a notebook."""
    scope: dict[str, Any] = {"__name__": "__main__"}
    exec(code, scope)
    found = scope["words"]
    assert isinstance(found, EvaluatorFactory)
    return found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("lambda output: WEIGHT * count", "lambda output: 2 * WEIGHT * count"),
        ("return len(text.split())", "return 2 * len(text.split())"),
        ("WEIGHT = 1", "WEIGHT = 2"),
    ],
    ids=["its own code", "a function it calls", "a value it reads"],
)
def test_an_evaluator_written_again_is_computed_again(tmp_path: Path, old: str, new: str) -> None:
    cache = ScoreCache(tmp_path)
    assert score(DATA, [written(EVALUATOR)()], cache=cache)["words()"].values.tolist() == [1, 2]
    assert score(DATA, [written(EVALUATOR.replace(old, new))()], cache=cache)["words()"].values.tolist() == [2, 4]
    kept = list(tmp_path.rglob("*.npz"))
    assert len(kept) == 2
    score(DATA, [written(EVALUATOR)()], cache=cache)
    assert list(tmp_path.rglob("*.npz")) == kept, "the same code again is found again"


def test_an_evaluator_inside_another_is_known_by_its_code_too(tmp_path: Path) -> None:
    outer = EVALUATOR + (
        "from assay.evaluator import Evaluator, batched\nimport numpy as np\ninner = words\n"
        "@evaluator(scale='any')\ndef words(*, metric: Evaluator):\n    '''Words.'''\n"
        "    return batched(lambda batch: metric.score(batch).values)\n"
    )
    cache = ScoreCache(tmp_path)
    found = []
    for code in (outer, outer.replace("WEIGHT = 1", "WEIGHT = 2")):
        scope: dict[str, Any] = {"__name__": "__main__"}
        exec(code, scope)
        made = scope["words"](metric=scope["inner"]())
        found.append(next(iter(score(DATA, [made], cache=cache).columns.values())).values.tolist())
    assert found == [[1, 2], [2, 4]]


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package with an evaluator, installed in a folder; the file of its code."""
    from assay import registry

    site = tmp_path / "site"
    file = install_package(site, "counting_words", EVALUATOR, "assay.evaluators", "words = counting_words:words")
    monkeypatch.syspath_prepend(site)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for cached in (registry._registered, registry.factory):
        cached.cache_clear()
    yield file
    sys.modules.pop("counting_words", None)
    monkeypatch.undo()
    for cached in (registry._registered, registry.factory):
        cached.cache_clear()


def test_other_code_of_a_package_with_the_same_version_is_computed_again(plugin: Path, tmp_path: Path) -> None:
    from assay import registry

    cache = ScoreCache(tmp_path / "cache")
    assert score(DATA, ["words"], cache=cache)["words"].values.tolist() == [1, 2]
    plugin.write_text(EVALUATOR.replace("WEIGHT = 1", "WEIGHT = 3"))
    linecache.clearcache()
    sys.modules.pop("counting_words")
    importlib.invalidate_caches()
    registry.factory.cache_clear()
    assert score(DATA, ["words"], cache=cache)["words"].values.tolist() == [3, 6]


class Client:
    """Something whose content nobody can know."""


class Name(str):
    """A text that can do more, nobody knows what."""


@dataclass(slots=True)
class Half:
    n: int


@dataclass
class Slotted(Half):
    m: int = 0


def reaching(value: Any, default: Any = None) -> Callable[..., Any]:
    def function(text: str, default: Any = default) -> Any:
        return value

    return function


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *((1, 2), ([1], [1, 2]), ({"a": 1}, {"a": 2}), ({1, 2}, {1, 3}), (b"a", b"b"), (1, True), (len, max)),
        *((Slotted(1), Slotted(2)), (Slotted(1, 1), Slotted(1, 2))),
        (defaultdict(int), defaultdict(float)),
    ],
)
def test_the_hash_of_a_function_follows_what_it_reaches(one: Any, other: Any) -> None:
    assert live_fingerprint(reaching(one)) == live_fingerprint(reaching(one)) is not None
    assert live_fingerprint(reaching(one)) != live_fingerprint(reaching(other))
    assert live_fingerprint(reaching(0, one)) != live_fingerprint(reaching(0, other))


def executed(code: str, **scope: Any) -> Any:
    exec(code, scope)
    return scope["f"]


@pytest.mark.parametrize("scope", [{}, {"__name__": "builtins"}, {"__name__": "json"}], ids=str)
@pytest.mark.parametrize("code", ["def f(): return {}", "class f:\n    def g(self): return {}"])
def test_code_that_no_module_holds_is_known_by_its_content(code: str, scope: dict[str, str]) -> None:
    one, again, other = (executed(code.format(n), **scope) for n in (1, 1, 2))
    assert live_fingerprint(reaching(one)) == live_fingerprint(reaching(again)) is not None
    assert live_fingerprint(reaching(one)) != live_fingerprint(reaching(other))


def test_a_decorator_counts_whatever_it_decorates() -> None:
    code = "import functools, json\n@functools.wraps(json.dumps)\ndef f(*args):\n    return {}"
    assert live_fingerprint(executed(code.format(1))) != live_fingerprint(executed(code.format(2)))


def test_a_file_named_as_a_module_of_python_is_not_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "this.py").write_text("def f(): return WEIGHT\nWEIGHT = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "this", raising=False)
    this = importlib.import_module("this")
    before = live_fingerprint(this.f)
    monkeypatch.setattr(this, "WEIGHT", 2)
    assert live_fingerprint(this.f) != before
    monkeypatch.delitem(sys.modules, "this")
    module_fingerprint.cache_clear()


@pytest.mark.parametrize("value", [Client(), sys.stdin, [Client()], iter("ab"), Name("a")])
def test_what_cannot_be_known_has_no_hash(value: Any) -> None:
    assert live_fingerprint(reaching(value)) is None


def test_a_function_that_calls_itself_has_a_hash() -> None:
    def down(n: int) -> int:
        return down(n - 1) if n else 0

    assert live_fingerprint(down) is not None


def test_an_evaluator_that_reaches_what_cannot_be_known_is_not_kept(tmp_path: Path) -> None:
    code = EVALUATOR.replace("WEIGHT = 1", "class Client: n = 1\nclient = Client()").replace("WEIGHT *", "client.n *")
    for _ in range(2):
        score(DATA, [written(code)()], cache=ScoreCache(tmp_path))
    assert not list(tmp_path.rglob("*.npz"))


class RateLimit(Exception):
    """What a client of a server raises."""


@pytest.mark.parametrize(
    "error", [MemoryError(), OSError(28, "No space left"), TimeoutError(), RateLimit("429"), RuntimeError("busy")]
)
def test_a_failure_that_may_pass_is_not_kept_and_is_an_error_of_commands(tmp_path: Path, error: Exception) -> None:
    def raising(text: str) -> float:
        if text == "two words" and not passed:
            raise error
        return 1.0

    passed: list[bool] = []
    made = of_function(raising)
    cache = ScoreCache(tmp_path)
    table = score(DATA, [made], cache=cache)
    assert table["words()"].gaps[1].startswith(f"failed for now: {type(error).__name__}")
    assert "words(): failed on 1 of 2 outputs for a reason outside the data" in table.notes[0]
    assert not list(tmp_path.rglob("*.npz"))
    with pytest.raises(EvaluatorError, match=r"failed on 1 of 2 outputs .* run again once the cause is gone"):
        score(DATA, [made], cache=cache, failures="error")
    passed.append(True)
    assert score(DATA, [made], cache=cache, failures="error")["words()"].values.tolist() == [1, 1]


def of_function(function: Callable[[str], float]) -> Any:
    from assay.evaluator import evaluator, per_unit

    def words() -> Any:
        """Words."""
        return per_unit(lambda output: function(output.text))

    return evaluator(scale="any")(words)()


@pytest.mark.parametrize("error", [ValueError("x"), ZeroDivisionError(), KeyError("x"), TypeError()])
def test_a_failure_that_lies_in_the_data_is_kept(tmp_path: Path, error: Exception) -> None:
    code = EVALUATOR.replace("len(text.split())", f"fail() if text == 'one' else 1\ndef fail():\n    raise {error!r}")
    for _ in range(2):
        column = score(DATA, [written(code)()], cache=ScoreCache(tmp_path), failures="error")["words()"]
        assert column.gaps[0].startswith(f"failed: {type(error).__name__}")
    assert len(list(tmp_path.rglob("*.npz"))) == 1


def raised(act: Callable[[], object]) -> BaseException:
    try:
        act()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def on_account_of(first: Exception, *, hidden: bool) -> None:
    try:
        raise first
    except Exception as error:
        if hidden:
            raise ValueError("no answer") from None
        raise ValueError("no answer") from error


def test_an_error_on_account_of_one_that_may_pass_may_pass() -> None:
    assert not lies_in_data(raised(lambda: on_account_of(TimeoutError(), hidden=False)))
    assert lies_in_data(raised(lambda: on_account_of(KeyError(), hidden=False)))
    assert lies_in_data(raised(lambda: on_account_of(TimeoutError(), hidden=True)))


def test_commands_analyses_and_studies_refuse_failures_that_may_pass() -> None:
    """Every call of `score` in one of them says so: a gap that may be gone is never a result there."""
    calls = 0
    for path in (p for part in ("cli", "analyses", "study") for p in SOURCE.glob(f"{part}/**/*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module == "assay.run"
            for alias in node.names
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
                given = {word.arg: word.value for word in node.keywords}
                assert isinstance(given.get("failures"), ast.Constant), f"{path.name} line {node.lineno}"
                calls += 1
    assert calls >= 7


def test_the_cache_takes_a_folder_as_a_text(tmp_path: Path) -> None:
    score(DATA, [written(EVALUATOR)()], cache=ScoreCache(str(tmp_path)))
    assert len(list(tmp_path.rglob("*.npz"))) == 1


def test_a_folder_that_is_not_made_a_cache_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot be kept in a str\. Give assay\.ScoreCache\(folder\)"):
        score(DATA, ["length"], cache=str(tmp_path))  # type: ignore[arg-type]


class DataFrame:
    """What a table of pandas or polars is called."""


@pytest.mark.parametrize(
    ("given", "remedy"),
    [
        (DataFrame(), r"not a DataFrame\. Make one with assay\.load\(\.\.\.\)"),
        ("outputs.jsonl", r"not a str\. Make one with assay\.load\(\.\.\.\)"),
        ([{"text": "a"}], r"not a list\. Make one with assay\.Dataset\.from_records"),
    ],
)
def test_what_is_no_data_set_is_refused_with_the_way_to_make_one(given: Any, remedy: str) -> None:
    with pytest.raises(DataError, match=remedy):
        score(given, ["length"])
    with pytest.raises(DataError, match=remedy):
        score(DATA, ["length"], train=given)
