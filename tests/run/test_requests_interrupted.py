"""Requests under interrupts, kills and other processes: no reply is lost, nothing is asked twice."""

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import wait
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import AnswerStore, Requests, score
from assay.errors import AssayError, EvaluatorError
from assay.evaluator import Shape, evaluator, per_request
from tests.run.service import Busy, Service, ask, data

pytestmark = pytest.mark.usefixtures("no_waiting")


def test_an_interrupt_keeps_what_was_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service()
    service.seconds = 0.01
    calls = iter(range(100))

    def interrupted(futures: Any, **how: Any) -> Any:
        if next(calls) == 5:
            raise KeyboardInterrupt
        return wait(futures, **how)

    monkeypatch.setattr("assay.run.requests.wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ask(service, data(*map(str, range(40))), tmp_path, at_once=4)
    n_sent = sum(service.asked.values())
    assert n_sent < 40
    column = ask(service, data(*map(str, range(40))), tmp_path, offline=True)
    assert column.n == n_sent


@pytest.mark.parametrize("field", ["api_key", "Authorization", "x-api-key", "access_token", "password"])
def test_credentials_in_a_request_are_refused(field: str, tmp_path: Path) -> None:
    @evaluator(scale="any")
    def careless() -> Shape:
        """Puts a key where it does not belong."""
        return per_request(
            "fake", request=lambda output: {"headers": [{field: "s3cret"}]}, send=lambda asked: 1, read=lambda r, o: r
        )

    with pytest.raises(EvaluatorError, match="may not hold credentials"):
        score(data("a"), [careless()], requests=Requests(store=AnswerStore(tmp_path)))
    assert not any(b"s3cret" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_an_error_for_the_user_stops_the_run_and_keeps_what_was_answered(tmp_path: Path) -> None:
    service = Service(lambda text, attempt: AssayError("no key. Set FAKE_KEY.") if text == "9" else None)
    with pytest.raises(AssayError, match="Set FAKE_KEY"):
        ask(service, data(*map(str, range(10))), tmp_path, at_once=2)
    service.fail = lambda text, attempt: None
    ask(service, data(*map(str, range(10))), tmp_path)
    assert all(n == 1 for text, n in service.asked.items() if text != "9")


def test_what_is_no_json_is_no_request_and_no_reply(tmp_path: Path) -> None:
    @evaluator(scale="any")
    def odd(reply: bool) -> Shape:
        """Sends or returns a set."""
        return per_request(
            "fake", request=lambda o: 1 if reply else {1}, send=lambda asked: {2} if reply else 2, read=lambda r, o: 1.0
        )

    for what in (True, False):
        column = next(
            iter(score(data("a"), [odd(what)], requests=Requests(store=AnswerStore(tmp_path))).columns.values())
        )
        assert column.gaps[0].startswith("failed: TypeError: Object of type set is not JSON serializable")


@given(
    texts=st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=12),
    bad=st.sets(st.text("ab", min_size=1, max_size=3)),
    at_once=st.integers(1, 5),
    runs=st.integers(1, 3),
    seed=st.integers(0, 99),
)
@settings(max_examples=25, deadline=None)
def test_scores_depend_on_the_data_alone(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], bad: set[str], at_once: int, runs: int, seed: int
) -> None:
    """Whatever fails for a while, however many requests are under way, however often the run is cut short."""
    rng = random.Random(seed)
    folder = tmp_path_factory.mktemp("store")
    service = Service(
        lambda text, attempt: ValueError("bad") if text in bad else Busy("later") if rng.random() < 0.3 else None
    )
    for run in range(runs):
        ask(service, data(*texts), folder, at_once=at_once, retries=0, most=run)
    column = ask(service, data(*texts), folder, at_once=at_once, retries=50)
    for row, text in enumerate(texts):
        assert column.gaps[row] == ("failed: ValueError: bad" if text in bad else "")
        assert text in bad or column.values[row] == len(text)
    n_sent = sum(service.asked.values())
    offline = ask(service, data(*[text for text in texts if text not in bad] or ["a"]), folder, offline=True)
    assert offline.n == len(offline) or not set(texts) - bad
    assert sum(service.asked.values()) == n_sent


KILLED = """
import os, signal, sys, time
from pathlib import Path
from assay import AnswerStore, Dataset, Requests, score
from assay.evaluator import evaluator, per_request
folder, at_once, kill_at = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
def send(request):
    if request["n"] == kill_at:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.001)
    with open(folder / "sent.txt", "a") as log:
        log.write(f"{request['n']}\\n")
    return request["n"]
@evaluator(scale="any")
def counting():
    'Counts.'
    return per_request("fake", request=lambda o: {"n": int(o.text)}, send=send, read=lambda reply, o: reply)
data = Dataset.from_records([{"text": str(n)} for n in range(60)])
column = score(data, [counting()], requests=Requests(at_once, store=AnswerStore(folder)))["counting()"]
assert column.values.tolist() == list(range(60))
"""


@pytest.mark.parametrize(("at_once", "kill_at"), [(1, 31), (8, 40)])
def test_a_killed_run_asks_nothing_twice(at_once: int, kill_at: int, tmp_path: Path) -> None:
    run = [sys.executable, "-c", KILLED, str(tmp_path), str(at_once)]
    assert subprocess.run([*run, str(kill_at)]).returncode == -signal.SIGKILL
    assert subprocess.run([*run, "-1"]).returncode == 0
    sent = Counter((tmp_path / "sent.txt").read_text().split())
    assert set(sent) == {str(n) for n in range(60)}
    # What was under way when the process died was never answered, or its answer was never seen.
    assert sum(n - 1 for n in sent.values()) <= at_once - 1


@pytest.mark.slow
def test_two_processes_at_once_share_a_store(tmp_path: Path) -> None:
    run = [sys.executable, "-c", KILLED, str(tmp_path), "4", "-1"]
    both = [subprocess.Popen(run, env=os.environ) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    assert subprocess.run(run).returncode == 0
    assert len((tmp_path / "sent.txt").read_text().split()) <= 120


def test_the_first_reply_to_a_question_stays(tmp_path: Path) -> None:
    """A model may answer the same question differently; everybody who shares a store sees one answer."""
    store = AnswerStore(tmp_path)

    class Racing(AnswerStore):
        """Another process answers between the question and the reply."""

        def put(self, replies: Any) -> dict[bytes, Any]:
            store.put({question: b'{"verdict":7}' for question in replies})
            return super().put(replies)

    service = Service()
    column = score(data("a"), [service.evaluator], requests=Requests(store=Racing(tmp_path)))["length_judge()"]
    assert column.values.tolist() == [7]


def test_as_many_requests_as_allowed_are_under_way_all_the_time(tmp_path: Path) -> None:
    service, at_once = Service(), 32
    together = Barrier(at_once, timeout=120)

    def send(request: dict[str, Any]) -> Any:
        together.wait()  # no request is answered before all others that may be under way are
        return {"verdict": 1}

    service.send = send  # type: ignore[method-assign]
    column = ask(service, data(*map(str, range(10 * at_once))), tmp_path, at_once=at_once)
    assert column.n == 10 * at_once and not together.broken
