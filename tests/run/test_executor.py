"""Executors: the same bits wherever chunks run, and plain words where they cannot."""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np
import pytest

from assay import Dataset, ScoreTable, score
from assay.errors import AssayError, DataError, EvaluatorError, MissingExtra
from assay.evaluator import Shape, evaluator, per_unit
from assay.records import Output
from assay.registry import factory, parse, travels
from assay.run.executor import GROUP, ForPython, Processes, Serial, Threads, executor
from tests.contracts.worlds import records


@evaluator(scale="any")
def of_the_session() -> Shape:
    """Words of a text, by a function that no other process has."""

    def words(output: Output) -> float:
        return float(len(output.text.split()))

    return per_unit(words)


def process_number(output: Output) -> float:
    return float(os.getpid())


class Backwards:
    """An engine of one's own: does the last task first."""

    in_process = True

    def __init__(self, argument: str) -> None:
        self.argument = argument

    def map(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[Any]:
        return reversed([function(task) for task in reversed(tasks)])


def no_engine(argument: str) -> object:
    return argument


def fails(task: int) -> int:
    raise MissingExtra("this", "that", "extra")


def ends(task: int) -> int:
    import os

    os._exit(1)


def twice(task: int) -> int:
    return 2 * task


def table(**how: Any) -> ScoreTable:
    asked = [
        parse("bleu"),
        parse("cider"),
        parse("reduce(chrf)"),
        parse("length"),
        parse("bleu(references=others())"),
        of_the_session(),
    ]
    return score(Dataset.from_records(records()), asked, unit="set", **how)


@pytest.mark.slow
def test_chunks_give_the_same_bits_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.run.one_pass.CHUNK", 7)
    expected = table()
    for engine in ("serial", "threads:3", "processes:2", f"{__name__}:Backwards"):
        found = table(executor=engine)
        for name, column in expected.columns.items():
            assert np.array_equal(found[name].values, column.values, equal_nan=True), (engine, name)
            assert [found[name].gaps[row] for row in range(len(found))] == [
                column.gaps[row] for row in range(len(found))
            ]
            assert found[name].signature == column.signature


class TestFindingOne:
    def test_by_name(self) -> None:
        assert executor("serial") == Serial()
        assert executor("threads:4") == Threads(4)
        assert executor("processes:2") == Processes(2)
        assert executor(Threads(2)) == Threads(2)

    def test_of_another_module(self) -> None:
        found = executor(f"{__name__}:Backwards:tcp://host:8786")
        assert isinstance(found, Backwards)
        assert found.argument == "tcp://host:8786"

    def test_of_another_package(self, monkeypatch: pytest.MonkeyPatch) -> None:
        points = [EntryPoint("mine", f"{__name__}:Backwards", GROUP), EntryPoint("broken", "nowhere.at.all:x", GROUP)]
        monkeypatch.setattr("assay.run.executor.entry_points", lambda group: points if group == GROUP else [])
        found = executor("mine:tcp://host:8786")
        assert isinstance(found, Backwards)
        assert found.argument == "tcp://host:8786"
        with pytest.raises(EvaluatorError, match="'broken' of another package cannot be loaded"):
            executor("broken")

    @pytest.mark.parametrize(
        "name", ["threads", "threads:0", "threads:-1", "processes:x", "processes:9999", "serial:2"]
    )
    def test_a_wrong_number(self, name: str) -> None:
        with pytest.raises(EvaluatorError, match=r"number from 1 to 1024|takes no argument"):
            executor(name)

    @pytest.mark.parametrize("name", ["os:getcwd", "os:sep", "math:sqrt:x"])
    def test_what_does_not_make_one(self, name: str) -> None:
        with pytest.raises(EvaluatorError, match="cannot be made"):
            executor(name)

    @pytest.mark.parametrize("name", ["thread:2", "nowhere.at.all:engine", "", ":", "os:nothing"])
    def test_an_unknown_one(self, name: str) -> None:
        with pytest.raises(EvaluatorError, match="no executor"):
            executor(name)

    def test_what_is_no_executor(self) -> None:
        with pytest.raises(EvaluatorError, match="no Executor"):
            executor(f"{__name__}:no_engine")
        with pytest.raises(EvaluatorError, match="no Executor"):
            table(executor=4)

    def test_workers_are_short_for_threads(self) -> None:
        with pytest.raises(EvaluatorError, match="one of the two"):
            table(workers=2, executor="processes:2")


class TestTravel:
    def test_an_evaluator_travels_as_its_signature(self) -> None:
        asked = parse("reduce(bleu(references=others()), max_pairs=9)")
        assert pickle.loads(pickle.dumps(asked)) == asked
        assert len(pickle.dumps(asked)) < 1000

    def test_one_of_the_session_says_that_it_cannot(self) -> None:
        for asked in (of_the_session(), factory("huse")(quality=of_the_session(), beside=(of_the_session(),))):
            assert not travels(asked)
            with pytest.raises(pickle.PicklingError, match="functions of this session"):
                pickle.dumps(asked)

    def test_errors_travel(self) -> None:
        for error in (MissingExtra("x", "y", "z"), DataError(["a", "b"]), EvaluatorError("c")):
            again = pickle.loads(pickle.dumps(error))
            assert type(again) is type(error)
            assert str(again) == str(error)
        assert pickle.loads(pickle.dumps(DataError(["a", "b"]))).problems == ["a", "b"]


class NotThere:
    """Cannot be unpickled in another process."""

    def __call__(self, task: int) -> int:
        return task

    def __reduce__(self) -> Any:
        return not_there, ()


def not_there() -> None:
    raise DataError("the model is not on this computer.")


class TestProcesses:
    def test_what_cannot_be_made_again_there_says_why(self) -> None:
        with pytest.raises(DataError, match="not on this computer"):
            list(Processes(2).map(NotThere(), range(2)))

    def test_results_come_in_order(self) -> None:
        assert list(Processes(2).map(twice, range(20))) == list(range(0, 40, 2))

    def test_a_plain_error_arrives_as_it_is(self) -> None:
        with pytest.raises(MissingExtra, match="pip install"):
            list(Processes(2).map(fails, range(2)))

    def test_a_process_that_dies_is_told(self) -> None:
        with pytest.raises(AssayError, match="worker process died"):
            list(Processes(2).map(ends, range(2)))


@pytest.mark.slow
def test_workers_search_the_path_of_this_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "of_a_script.py").write_text("def shout(text):\n    return text.upper()\n")
    monkeypatch.setattr(sys, "path", [*sys.path, Path("none"), str(tmp_path)])
    from of_a_script import shout  # type: ignore[import-not-found]

    assert list(Processes(2).map(shout, ["a", "b", "c"])) == ["A", "B", "C"]


class TestFunctionsInPython:
    """`workers=N` is processes for functions of one unit, where that ends sooner, and threads for the rest."""

    def processes(self, monkeypatch: pytest.MonkeyPatch, long_work: float) -> list[int]:
        monkeypatch.setattr("assay.run.executor.LONG_WORK", long_work)
        monkeypatch.setattr("assay.run.executor.os.cpu_count", lambda: 2)
        data = Dataset.from_records({"text": "a", "system": "s", "id": str(n)} for n in range(200))
        table = score(data, [f"{__name__}:process_number"], unit="output", workers=8)
        return next(iter(table.columns.values())).values.astype(int).tolist()

    def test_little_work_stays_here(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("assay.run.executor.Worker", lambda pickled: pytest.fail("a process was started"))
        assert set(self.processes(monkeypatch, 5.0)) == {os.getpid()}

    @pytest.mark.slow
    def test_much_work_goes_to_processes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        numbers = self.processes(monkeypatch, 0.0)
        assert set(numbers[:72]) == {os.getpid()}
        assert 1 <= len(set(numbers[72:])) <= 2
        assert os.getpid() not in numbers[72:]

    def test_what_is_done_with_a_result_is_no_work_of_the_function(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("assay.run.executor.LONG_WORK", 0.5)
        monkeypatch.setattr("assay.run.executor.os.cpu_count", lambda: 2)
        monkeypatch.setattr("assay.run.executor.Processes", lambda n: pytest.fail("taken for long work"))
        for done in ForPython(2).map(str.upper, list("abcde")):
            sleep(0.3 if done < "C" else 0)

    def test_results_come_in_order(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("assay.run.executor.LONG_WORK", -1.0)
        tasks = ["a", "bc", "def", "", "ghij"]
        assert list(ForPython(2).map(str.upper, tasks)) == ["A", "BC", "DEF", "", "GHIJ"]
        assert list(ForPython(2).map(str.upper, [])) == []


@pytest.mark.slow
def test_a_script_without_a_guard_may_score_in_processes(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "print('once')\n"
        "import assay\n"
        "data = assay.Dataset.from_records({'text': 'a b', 'system': 's', 'id': str(n)} for n in range(30_000))\n"
        "print(assay.score(data, ['length'], executor='processes:2').columns.popitem()[1].values.sum())\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["once", "60000.0"]
