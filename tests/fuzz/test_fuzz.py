"""Twenty thousand machine-made inputs: no traceback, no hang, exit codes 0, 1 and 2, and nothing altered in silence."""

from pathlib import Path

import pytest

from tests.fuzz.cases import SUBJECTS, case
from tests.fuzz.check import altered, broken_rule

SAMPLE = range(400)
ALL = range(400, 21_000)
PART = 1_000


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path_factory.mktemp("cache")))


def wrong(numbers: range, folder: Path) -> list[str]:
    """What the cases of these numbers do wrong. `python -m tests.fuzz NUMBER` shows one of them."""
    found = []
    for number in numbers:
        own = folder / str(number)
        own.mkdir()
        made = case(number, own)
        rule = broken_rule(made)
        if rule:
            found.append(f"case {number} ({made.subject}): {rule}")
    return found


def test_a_sample(tmp_path: Path) -> None:
    assert wrong(SAMPLE, tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(ALL.start, ALL.stop, PART))
def test_all(first: int, tmp_path: Path) -> None:
    assert wrong(range(first, min(first + PART, ALL.stop)), tmp_path) == []


def test_every_subject_is_drawn_and_the_same_number_gives_the_same_case(tmp_path: Path) -> None:
    made = {}
    for number in range(200):
        for copy in "ab":
            (tmp_path / f"{number}{copy}").mkdir()
        first, second = (case(number, tmp_path / f"{number}{copy}") for copy in "ab")
        assert [word.replace(f"{number}a", f"{number}b") for word in first.args] == second.args
        made[first.subject] = first
    assert set(made) == {*SUBJECTS, "records"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("text,x\na,1.10\n", "id,item,system,set,text,x\n1,1,in,1|in,a,1.1\n"),
        ("text,x\na,NA\n", "id,item,system,set,text,x\n1,1,in,1|in,a,\n"),
        ("text\na\nb\n", "id,item,system,set,text\n2,2,in,2|in,a\n"),
        ("text\nnaïve\n", "id,item,system,set,text\n2,2,in,2|in,na?ve\n"),
    ],
)
def test_the_check_sees_what_was_altered(tmp_path: Path, before: str, after: str) -> None:
    (tmp_path / "in.csv").write_text(before)
    (tmp_path / "out.csv").write_text(after)
    assert altered(tmp_path / "in.csv", tmp_path / "out.csv", plain=True).startswith("altered")


@pytest.mark.parametrize(
    ("raised", "said"),
    [(ValueError("x"), "traceback: ValueError"), (SystemExit(3), "exit code 3"), (SystemExit(1), "without a message")],
)
def test_the_check_sees_a_broken_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raised: BaseException, said: str
) -> None:
    def fail() -> None:
        raise raised

    monkeypatch.setattr("tests.fuzz.check.main", fail)
    assert said in broken_rule(case(0, tmp_path))


def test_the_check_sees_a_hang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def wait() -> None:
        while True:
            pass

    monkeypatch.setattr("tests.fuzz.check.main", wait)
    monkeypatch.setattr("tests.fuzz.check.MOST_SECONDS", 0.2)
    assert broken_rule(case(0, tmp_path)).startswith("hangs")
