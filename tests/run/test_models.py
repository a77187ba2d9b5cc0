"""Models are asked through the answer store: nothing twice, nothing offline, nothing over budget."""

from math import isnan
from pathlib import Path
from typing import Any

import pytest

from assay.backends.language.opening import open_model
from assay.backends.language.protocol import Drawn, Reading, ToSample, ToScore
from assay.errors import AssayError
from assay.io.answers import AnswerStore
from assay.run.models import Budget, sample_texts, score_texts, service_of
from assay.run.requests import Requests
from tests.backends.language.fake_endpoint import FakeServer, http_reply
from tests.tiny_models import tiny_language_model

PLAIN = Reading(end="none")
WANTED = [ToScore("abc", text, PLAIN) for text in ("d", "cab", "bad", "cab")]


def asking(folder: Path, **settings: Any) -> Requests:
    return Requests(store=AnswerStore(folder), **settings)


def test_a_second_run_sends_nothing_and_gives_the_same(tmp_path: Path) -> None:
    server = FakeServer("echo")
    first = score_texts(server.endpoint(), WANTED, asking(tmp_path))
    n_calls = len(server.calls)
    assert score_texts(server.endpoint(), WANTED, asking(tmp_path, offline=True)) == first
    assert len(server.calls) == n_calls
    assert first[1] == first[3] and sum(body.get("prompt") == "abccab" for _, body, _ in server.calls) == 1


def test_offline_texts_without_an_answer_are_gaps(tmp_path: Path) -> None:
    server = FakeServer("echo")
    scored = score_texts(server.endpoint(), WANTED, asking(tmp_path, offline=True))
    assert all(isnan(one.logprob) and one.reason.startswith("not asked: offline") for one in scored)
    assert not server.calls


def test_a_local_model_goes_on_after_a_kill_with_the_same_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = open_model(str(tiny_language_model()))
    monkeypatch.setattr(type(model), "batch", 4)
    wanted = [ToSample("ab" * (n % 3 + 1), str(n), 8) for n in range(10)]
    whole = sample_texts(model, wanted, asking(tmp_path / "whole"))
    calls = []
    draw = type(model).sample

    def killed(self: Any, part: Any) -> Any:
        calls.append(len(part))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return draw(self, part)

    with monkeypatch.context() as patch:
        patch.setattr(type(model), "sample", killed)
        with pytest.raises(KeyboardInterrupt):
            sample_texts(model, wanted, asking(tmp_path / "killed"))
    calls.clear()
    monkeypatch.setattr(type(model), "sample", lambda self, part: calls.append(len(part)) or draw(self, part))
    assert sample_texts(model, wanted, asking(tmp_path / "killed")) == whole
    assert calls == [4, 2]  # the four drawn before the kill are not drawn again


def test_a_budget_is_not_exceeded_and_the_next_run_goes_on(tmp_path: Path) -> None:
    server = FakeServer("generated")
    wanted = [ToSample("abc", str(n), 3) for n in range(6)]
    budget = Budget(tokens=10)
    drawn = sample_texts(server.endpoint(), wanted, asking(tmp_path, at_once=1), budget=budget)
    reasons = [one for one in drawn if isinstance(one, str)]
    assert reasons and set(reasons) == {"not asked: the budget of 10 tokens is spent"}
    assert 10 <= budget.n_tokens < 16
    dear = Budget(money=10.0, prices=(1e5, 1e5))
    rest = sample_texts(server.endpoint(), wanted, asking(tmp_path, at_once=1), budget=dear)
    assert all(isinstance(one, Drawn) for one in rest)
    assert dear.spent == pytest.approx(dear.n_tokens / 10)
    with pytest.raises(AssayError, match="needs prices"):
        Budget(money=1)


def test_a_busy_endpoint_is_asked_again_and_the_key_is_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_API_KEY", "sk-very-secret")
    monkeypatch.setattr("assay.run.requests.FIRST_WAIT", 0.01)
    busy = iter([429, 500])

    def at_first(path: str, body: dict[str, Any]) -> Any:
        if body.get("prompt") == "abcd" and (status := next(busy, None)):
            return http_reply(status, headers={"Retry-After": "0.02"}, text="sk-very-secret")
        return None

    scored = score_texts(FakeServer("echo", before=at_first).endpoint(), WANTED[:1], asking(tmp_path))
    assert scored[0].logprob < 0
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert written and b"sk-very-secret" not in written


def test_what_other_code_computed_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    model, endpoint = open_model(str(tiny_language_model())), FakeServer("echo").endpoint()
    before = service_of(model)
    assert before.startswith(model.name) and service_of(endpoint) == endpoint.name
    monkeypatch.setattr("assay.run.models.part_fingerprint", lambda *folders: "other")
    assert service_of(model) != before
