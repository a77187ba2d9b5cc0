"""Endpoints: equal values in every dialect that has them, and a refusal with a remedy in every other."""

from math import isnan
from pathlib import Path
from typing import Any

import pytest

from assay.backends.language.encoding import ACROSS_BORDER, NO_START
from assay.backends.language.endpoint import Endpoint
from assay.backends.language.opening import open_model
from assay.backends.language.protocol import Drawn, LanguageModel, Reading, Sampling, ToSample, ToScore
from assay.backends.language.wire import Rejected, Unavailable, Wire
from assay.errors import AssayError, GeneratorError
from tests.backends.language.fake_endpoint import FakeServer, http_reply

PLAIN = Reading(end="none")
CHAT = ({"role": "system", "content": "abc"}, {"role": "user", "content": "dab"})


@pytest.mark.parametrize("dialect", ["echo", "prompt_logprobs"])
def test_a_text_has_the_same_value_in_every_dialect_that_scores(dialect: str) -> None:
    server = FakeServer(dialect)
    endpoint = server.endpoint()
    wanted = [ToScore("abc", text, PLAIN, per_token=True) for text in ("d", "cab", "bad cab")]
    exact = server.model.score([ToScore("abc", one.text, Reading(end="none", bos="never"), True) for one in wanted])
    for ours, theirs in zip(endpoint.score(wanted), exact, strict=True):
        assert ours.logprob == pytest.approx(theirs.logprob, abs=1e-5)
        assert ours.n_tokens == theirs.n_tokens and ours.tokens == theirs.tokens
    assert endpoint.profile.scoring == dialect
    assert endpoint.score([ToScore("", "cab", PLAIN)])[0].reason == NO_START
    assert endpoint.score([ToScore("abc", "", PLAIN)])[0].reason.startswith("empty text")


@pytest.mark.parametrize(
    ("dialect", "says"),
    [
        ("none", "gives no log-probabilities"),
        ("generated", "of the tokens it generates only"),
        ("zeros", "every log-probability is 0"),
    ],
)
def test_what_cannot_score_is_refused_with_a_remedy(dialect: str, says: str) -> None:
    endpoint = FakeServer(dialect).endpoint()
    with pytest.raises(GeneratorError, match=says) as refusal:
        endpoint.score([ToScore("abc", "d", PLAIN)])
    assert "or use a model folder" in str(refusal.value)


def test_a_token_across_the_border_is_a_gap() -> None:
    def joined(path: str, body: dict[str, Any]) -> Any:
        if not body.get("echo") or not body["prompt"].startswith("abc"):
            return None
        logprobs = {"tokens": ["ab", "cd", "!"], "token_logprobs": [None, -1.0, -1.0], "text_offset": [0, 2, 4]}
        return http_reply(200, json={"choices": [{"text": "abcd!", "logprobs": logprobs}]})

    scored = FakeServer("echo", before=joined).endpoint().score([ToScore("abc", "d", PLAIN)])[0]
    assert scored.reason == ACROSS_BORDER and isnan(scored.logprob)


@pytest.mark.parametrize(
    "reading",
    [
        Reading(Sampling(0.7), end="none"),
        Reading(),
        Reading(end="none", border="separate"),
        Reading(end="none", bos="always"),
        Reading(end="none", max_tokens=3),
    ],
)
def test_no_endpoint_is_trusted_with_what_it_does_not_compute(reading: Reading) -> None:
    server = FakeServer("echo")
    with pytest.raises(GeneratorError, match="model folder"):
        server.endpoint().score([ToScore("abc", "d", reading)])
    assert not server.calls  # nothing was sent, so nothing was paid


@pytest.mark.parametrize("rejects", [(), ("max_tokens",), ("temperature",), ("system",), ("max_tokens", "temperature")])
def test_the_probe_finds_the_fields_a_server_takes(rejects: tuple[str, ...]) -> None:
    server = FakeServer("none", rejects=rejects, routes=("chat/completions",))
    endpoint = server.endpoint()
    drawn = endpoint.sample([ToSample(CHAT, max_tokens=4)])[0]
    assert isinstance(drawn, Drawn) and drawn.usage == (6 if "system" not in rejects else 8, drawn.n_tokens)
    profile = endpoint.profile
    assert profile.limit_field == ("max_completion_tokens" if "max_tokens" in rejects else "max_tokens")
    assert profile.temperature == ("temperature" not in rejects) and profile.system == ("system" not in rejects)
    if "temperature" in rejects:
        with pytest.raises(GeneratorError, match="no temperature"):
            endpoint.sample([ToSample(CHAT, sampling=Sampling(0.5))])


def test_drawn_texts_have_a_log_probability_only_where_the_endpoint_gives_all_of_it() -> None:
    server = FakeServer("generated")
    endpoint = server.endpoint()
    drawn = endpoint.sample([ToSample("abc", str(n), 3) for n in range(20)])
    cut = [one for one in drawn if one.finish == "length"]
    ended = [one for one in drawn if one.finish == "end"]
    assert cut and all(one.logprob < 0 for one in cut)
    assert all(isnan(one.logprob) and "end of a text" in one.reason for one in ended)
    tempered = endpoint.sample([ToSample("abc", "1", 3, Sampling(0.5))])[0]
    assert isnan(tempered.logprob) and "sampling distribution" in tempered.reason
    assert endpoint.sample([ToSample(CHAT, "1", 3, top=2)])[0].first == (("a", -0.5), ("b", -1.5))


@pytest.mark.parametrize(
    ("status", "error", "says"),
    [
        (401, AssayError, "ASSAY_API_KEY"),
        (403, AssayError, "key"),
        (307, AssayError, "moved"),
        (503, Unavailable, "503"),
    ],
)
def test_faults_of_a_server_have_their_own_errors(status: int, error: type[Exception], says: str) -> None:
    server = FakeServer("echo", before=lambda path, body: http_reply(status, headers={"Retry-After": "7"}))
    with pytest.raises(error, match=says) as fault:
        server.endpoint().wire.post("completions", {})
    assert getattr(fault.value, "retry_after", 7) == 7


def test_a_reply_that_is_no_json_may_be_asked_again_and_no_route_is_said_plainly() -> None:
    broken = FakeServer("echo", before=lambda path, body: http_reply(200, text="<html>"))
    with pytest.raises(Unavailable, match="no JSON"):
        broken.endpoint().wire.post("completions", {})
    with pytest.raises(AssayError, match="usually ends in /v1"):
        FakeServer("echo", routes=()).endpoint().score([ToScore("abc", "d", PLAIN)])
    with pytest.raises(Unavailable, match="cannot be reached"):
        Wire("http://127.0.0.1:9").post("completions", {})


def test_a_key_comes_from_the_environment_and_is_never_repeated(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def tell_tale(path: str, body: dict[str, Any]) -> Any:
        return http_reply(400, json={"error": {"message": "your key sk-very-secret is not welcome"}})

    (tmp_path / "key").write_text("sk-very-secret\n")
    monkeypatch.setenv("ASSAY_API_KEY_FILE", str(tmp_path / "key"))
    server = FakeServer("echo", before=tell_tale)
    with pytest.raises(Rejected) as refusal:
        server.endpoint().wire.post("completions", {"prompt": "a"})
    assert "sk-very" not in str(refusal.value) and "[key]" in str(refusal.value)
    assert server.calls[0][2]["authorization"] == "Bearer sk-very-secret"
    with pytest.raises(AssayError, match="no keys in an address"):
        open_model("url(x@http://me:sk-very-secret@host/v1)")


def test_an_endpoint_is_a_language_model_by_name() -> None:
    model = open_model("url('gpt-x@http://localhost:8000/v1/')")
    assert isinstance(model, Endpoint) and isinstance(model, LanguageModel)
    assert model.name == "url(gpt-x@http://localhost:8000/v1)"
    assert open_model(model.name).name == model.name
    with pytest.raises(AssayError, match=r"write url\(MODEL@BASE\)"):
        open_model("url(gpt-x)")
