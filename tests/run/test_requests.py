"""Evaluators that ask a service: nothing is asked twice, whatever fails, and nothing that failed is kept."""

import json
import time
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay import AnswerStore, Requests, ScoreCache, score
from assay.errors import EvaluatorError
from assay.evaluator import NotAsked, Shape, Use, batched, evaluator, per_request
from tests.run.service import Busy, Service, ask, data, read, request

pytestmark = pytest.mark.usefixtures("no_waiting")


def test_each_question_is_asked_once_and_one_new_output_asks_one(tmp_path: Path) -> None:
    service = Service()
    column = ask(service, data("a", "bb", "a", "ccc"), tmp_path)
    assert column.values.tolist() == [1, 2, 1, 3]
    assert column.texts is not None and column.texts[1] == "bb is that long"
    assert service.asked == {"a": 1, "bb": 1, "ccc": 1}
    again = ask(service, data("dddd", "ccc", "bb", "a", "a"), tmp_path)
    assert again.values.tolist() == [4, 3, 2, 1, 1]
    assert service.asked == {"a": 1, "bb": 1, "ccc": 1, "dddd": 1}


def test_requests_are_under_way_together_and_results_stay_in_order(tmp_path: Path) -> None:
    texts = [f"{'x' * (k % 7)} {k}" for k in range(60)]
    service = Service()
    service.seconds = 0.02
    column = ask(service, data(*texts), tmp_path, at_once=16)
    assert column.values.tolist() == [len(text) for text in texts]
    assert 4 <= service.most_under_way <= 16


def test_a_service_that_takes_one_at_a_time_is_asked_one_at_a_time(tmp_path: Path) -> None:
    service = Service()
    service.seconds = 0.002

    @evaluator(scale="characters")
    def careful() -> Shape:
        """Asks one at a time."""
        return per_request("fake", request=request, send=service.send, read=read, at_once=1)

    score(data(*map(str, range(20))), [careful()], requests=Requests(store=AnswerStore(tmp_path)))
    assert service.most_under_way == 1


def test_what_may_pass_is_tried_again_and_what_was_answered_is_not(tmp_path: Path) -> None:
    service = Service(lambda text, attempt: Busy("try later") if text == "b" and attempt < 4 else None)
    assert ask(service, data("a", "b"), tmp_path).values.tolist() == [1, 1]
    assert service.asked == {"a": 1, "b": 4}


def test_what_never_passes_is_a_gap_for_now_and_asked_again_by_the_next_run(tmp_path: Path) -> None:
    service = Service(lambda text, attempt: Busy("429") if text == "b" and attempt <= 3 else None)
    column = ask(service, data("a", "b", "c"), tmp_path, retries=2)
    assert column.gaps.counts() == {"failed for now: Busy: 429": 1}
    with pytest.raises(EvaluatorError, match=r"failed on 1 of 2 outputs .*Busy: no"):
        never = Service(lambda text, attempt: Busy("no") if text == "z" else None)
        requests = Requests(retries=0, store=AnswerStore(tmp_path))
        score(data("a", "z"), [never.evaluator], failures="error", requests=requests)
    assert ask(service, data("a", "b", "c"), tmp_path).values.tolist() == [1, 1, 1]
    assert service.asked == {"a": 1, "b": 4, "c": 1}


def test_what_lies_in_the_request_is_a_gap_at_once_and_never_kept(tmp_path: Path) -> None:
    service = Service(lambda text, attempt: ValueError("400 too long") if text == "b" else None)
    for attempts in (1, 2):
        column = ask(service, data("a", "b", "unspeakable"), tmp_path)
        assert column.gaps.counts() == {
            "failed: ValueError: 400 too long": 1,
            "failed: ValueError: there is nothing to ask": 1,
        }
        assert service.asked == {"a": 1, "b": attempts}


def test_a_reply_that_cannot_be_read_is_the_text_of_its_gap_and_not_asked_again(tmp_path: Path) -> None:
    service = Service()
    for _ in range(2):
        column = ask(service, data("odd", "even"), tmp_path)
        assert (
            isnan(column.values[0]) and column.gaps[0] == "failed: ValueError: could not convert string to float: '?'"
        )
        assert column.texts is not None and json.loads(column.texts[0]) == {"verdict": "?"}
    assert service.asked == {"odd": 1, "even": 1}


def test_offline_only_the_store_answers(tmp_path: Path) -> None:
    service = Service()
    ask(service, data("a", "b"), tmp_path)
    requests = Requests(offline=True, store=AnswerStore(tmp_path))
    table = score(data("b", "c"), [service.evaluator], requests=requests, failures="error", cache=ScoreCache(tmp_path))
    column = table["length_judge()"]
    assert column.values[0] == 1 and column.gaps[1] == "not asked: offline, and no answer is stored"
    assert table.notes == ("length_judge(): 1 of 2 outputs were not asked about (offline, and no answer is stored: 1)",)
    assert service.asked == {"a": 1, "b": 1}
    assert ask(service, data("b", "c"), tmp_path).values.tolist() == [1, 1]


def test_a_budget_stops_cleanly_and_the_next_run_goes_on(tmp_path: Path) -> None:
    service = Service()
    texts = [str(k) for k in range(10)]
    column = ask(service, data(*texts), tmp_path, most=4, at_once=3)
    assert sum(service.asked.values()) == 4
    assert column.n == 4 and column.gaps.counts() == {"not asked: all 4 requests of this run are sent": 6}
    assert ask(service, data(*texts), tmp_path).n == 10
    assert set(service.asked.values()) == {1}


def test_a_client_may_have_a_budget_of_its_own(tmp_path: Path) -> None:
    spent = Service(lambda text, attempt: NotAsked("5.00 USD are spent") if text >= "c" else None)
    column = ask(spent, data(*"abcd"), tmp_path)
    assert column.n == 2 and column.gaps.counts() == {"not asked: 5.00 USD are spent": 2}
    assert set(spent.asked.values()) == {1}


def test_an_evaluator_may_use_one_that_asks(tmp_path: Path) -> None:
    """It is asked once for all that use it; what was not asked is a gap of theirs too, and is not kept."""
    service = Service()

    @evaluator(scale="characters")
    def doubled(inner: Any) -> Shape:
        """Twice the length."""
        return batched(lambda batch: 2 * batch.used[0].values, uses=[Use(inner)])

    twice, cache, store = doubled(service.evaluator), ScoreCache(tmp_path), AnswerStore(tmp_path)
    for most, n in ((1, 1), (None, 3)):
        requests = Requests(at_once=1, most=most, store=store)
        table = score(data("a", "bb", "ccc"), [twice, service.evaluator], cache=cache, requests=requests)
        column = table[repr(twice)]
        assert column.values[:n].tolist() == [2, 4, 6][:n] and column.n == n
        assert all(column.gaps[row].startswith("not asked: ") for row in range(n, 3))
    assert service.asked == {"a": 1, "bb": 1, "ccc": 1}


def test_the_evaluators_of_a_run_share_its_budget(tmp_path: Path) -> None:
    one, two = Service(), Service()

    @evaluator(scale="characters")
    def other() -> Shape:
        """Asks another service."""
        return per_request("other", request=request, send=two.send, read=read)

    score(data("a", "b"), [one.evaluator, other()], requests=Requests(most=3, store=AnswerStore(tmp_path)))
    assert sum(one.asked.values()) + sum(two.asked.values()) == 3


def test_a_service_that_is_down_is_given_up(tmp_path: Path) -> None:
    service = Service(lambda text, attempt: Busy("down"))
    column = ask(service, data(*map(str, range(200))), tmp_path, retries=1, at_once=4)
    assert sum(service.asked.values()) < 40
    assert set(column.gaps.for_now) == {
        "failed for now: Busy: down", "failed for now: not sent after 10 failures in a row",
    }  # fmt: skip


def test_a_wait_that_the_service_asks_for_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = Busy("429")
    error.retry_after = 0.3  # type: ignore[attr-defined]
    service = Service(lambda text, attempt: error if attempt == 1 else None)
    started = time.monotonic()
    ask(service, data("a"), tmp_path)
    assert time.monotonic() - started >= 0.3


def test_several_requests_about_a_unit_come_back_as_a_list(tmp_path: Path) -> None:
    service = Service()

    @evaluator(scale="characters")
    def sampled(n: int) -> Shape:
        """Asks several times."""
        return per_request(
            "fake",
            request=lambda output: [{"text": output.text, "sample": k} for k in range(n)],
            send=service.send,
            read=lambda replies, output: sum(reply["verdict"] for reply in replies) / len(replies),
        )

    requests = Requests(store=AnswerStore(tmp_path))
    for n, times in ((1, 1), (3, 3)):
        assert next(iter(score(data("aa"), [sampled(n)], requests=requests).columns.values())).values.tolist() == [2]
        assert service.asked == {"aa": times}


@pytest.mark.parametrize("batch", [1, 4])
def test_requests_in_batches_give_the_same_scores(batch: int, tmp_path: Path) -> None:
    """A batch that cannot be answered as a whole is sent one by one, and a budget is one of requests."""
    sizes: list[int] = []

    def send(requests: Any) -> Any:
        several = requests if batch > 1 else [requests]
        sizes.append(len(several))
        if any(one["text"] == "bad" for one in several):
            raise ValueError("bad")
        replies = [{"verdict": len(one["text"])} for one in several]
        return replies if batch > 1 else replies[0]

    @evaluator(scale="characters")
    def together() -> Shape:
        """Asks in batches."""
        return per_request("fake", request=request, send=send, read=read, at_once=1, batch=batch)

    texts = ["a", "bb", "ccc", "dddd", "bad", "f" * 6, "g" * 7, "h" * 8, "i" * 9]
    requests = Requests(most=None, store=AnswerStore(tmp_path))
    column = score(data(*texts), [together()], requests=requests)["together()"]
    assert column.gaps.counts() == {"failed: ValueError: bad": 1}
    assert np.delete(column.values, 4).tolist() == [1, 2, 3, 4, 6, 7, 8, 9]
    assert sizes == ([1] * 9 if batch == 1 else [4, 4, 1, 1, 1, 1, 1])
    few = Requests(most=6, store=AnswerStore(tmp_path / "few"))
    column = score(data(*"abcdefgh"), [together()], requests=few)["together()"]
    assert column.values.tolist()[:6] == [1] * 6 and column.n == 6
