"""`assay logprob`: values in the data, checks that refuse, gaps with reasons."""

import json
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import assay
from assay import Dataset
from assay.backends.language.checks import check_model
from assay.backends.language.local import LocalModel
from assay.backends.language.opening import open_model
from assay.backends.language.protocol import Reading, ToScore
from assay.cli import cli
from assay.errors import AssayError, DataError, GeneratorError
from assay.io.answers import AnswerStore
from assay.run.requests import Requests
from tests.backends.language.fake_endpoint import FakeServer, http_reply
from tests.tiny_models import tiny_language_model

ROWS = [
    {"id": "h", "item": "1", "context": "abc", "text": "dab", "system": "people", "human": True},
    {"id": "m", "item": "1", "context": "abc", "text": "cc", "system": "tiny"},
    {"id": "e", "item": "2", "context": "", "text": "bad", "system": "tiny"},
]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


def run(*words: str) -> Any:
    return CliRunner().invoke(cli, ["logprob", *words], catch_exceptions=False)


def test_every_output_gets_its_log_probability_under_the_system(tmp_path: Path) -> None:
    folder = str(tiny_language_model())
    result = assay.logprob(Dataset.from_records(ROWS), folder, "tiny", template="{context}{text}")
    model = open_model(folder)
    expected = [one.logprob for one in model.score([ToScore(row["context"], row["text"]) for row in ROWS])]
    table = result.dataset.logprobs
    np.testing.assert_allclose(table.value, expected, atol=1e-5)
    assert table.n_tokens.tolist() == [3, 2, 3]
    assert result.dataset.systems.id.to_list() == ["people", "tiny"]
    assert all(row[1] == "passed" for row in result.part.table("checks").rows)
    signature = result.part.methods[0]
    assert "end=('</s>',)" in signature and "dtype='float32', window=64" not in signature
    assert "window=64" in signature and "dtype='float32'" in signature and model.name in signature
    assay.save(result.dataset, tmp_path / "with.jsonl")
    assert assay.load(tmp_path / "with.jsonl") == result.dataset


def test_the_command_writes_the_data_and_the_tokens_and_a_second_run_computes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    words = [
        *(
            str(tmp_path / "in.jsonl"),
            "--model",
            str(tiny_language_model()),
            "--as",
            "top",
            "--template",
            "{context}{text}",
        ),
        *("--top-k", "1", "--json", "-o", str(tmp_path / "out.jsonl"), "--tokens", str(tmp_path / "tokens.csv")),
        *("--rows", str(tmp_path / "rows.csv")),
    ]
    first = run(*words)
    assert first.exit_code == 0, first.output
    part = json.loads(first.stdout)
    assert part["n_human_impossible"] == 1 and part["n_impossible"] == 3
    assert any("truncation alone makes 1 of 1 human texts impossible" in note for note in part["notes"])
    data = assay.load(tmp_path / "out.jsonl")
    assert data.logprobs.value.tolist() == [-inf, -inf, -inf]
    assert data.systems.id.to_list() == ["people", "tiny", "top"]
    rows = (tmp_path / "rows.csv").read_text().splitlines()
    assert rows[0] == "output,logprob,n_tokens,impossible_at,reason" and rows[1].startswith("h,-inf,3,")
    assert len((tmp_path / "tokens.csv").read_text().splitlines()) == 1 + 4 + 3 + 4
    written = (tmp_path / "out.jsonl").read_bytes()
    monkeypatch.setattr(LocalModel, "score", lambda self, wanted: pytest.fail("computed again"))
    monkeypatch.setattr("assay.analyses.models.logprob.check_model", lambda *arguments: [])
    assert run(*words).exit_code == 0
    assert (tmp_path / "out.jsonl").read_bytes() == written


def test_an_endpoint_gives_the_same_values_and_its_profile_is_in_the_signature(tmp_path: Path) -> None:
    server = FakeServer("echo")
    requests = Requests(store=AnswerStore(tmp_path))
    dataset = Dataset.from_records(ROWS[:2])
    result = assay.logprob(
        dataset, server.endpoint(), "tiny", template="{context}{text}", end="none", requests=requests
    )
    exact = server.model.score([ToScore(r["context"], r["text"], Reading(bos="never", end="none")) for r in ROWS[:2]])
    np.testing.assert_allclose(result.dataset.logprobs.value, [one.logprob for one in exact], atol=1e-5)
    assert "scoring=echo" in result.part.methods[0]
    n_calls = len(server.calls)
    offline = Requests(store=AnswerStore(tmp_path), offline=True)
    again = assay.logprob(dataset, server.endpoint(), "tiny", template="{context}{text}", end="none", requests=offline)
    assert again.part == result.part and len(server.calls) == n_calls


@pytest.mark.parametrize("dialect", ["none", "generated", "zeros"])
def test_an_endpoint_that_cannot_score_is_refused(dialect: str) -> None:
    with pytest.raises(GeneratorError, match="cannot score a given text"):
        assay.logprob(Dataset.from_records(ROWS[:2]), FakeServer(dialect).endpoint(), "x", end="none")


def test_a_server_that_is_busy_is_probed_again_and_given_up_plainly(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("assay.run.requests.FIRST_WAIT", 0.0)
    busy = [503, 429]
    server = FakeServer("echo", before=lambda path, body: http_reply(busy.pop()) if busy else None)
    dataset, requests = Dataset.from_records(ROWS[:2]), Requests(retries=2, store=AnswerStore(tmp_path))

    def values() -> list[float]:
        endpoint = server.endpoint()
        how = {"template": "{context}{text}", "end": "none", "requests": requests}
        return assay.logprob(dataset, endpoint, "tiny", **how).dataset.logprobs.value.tolist()

    assert np.isfinite(values()).all() and not busy
    busy = [503] * 100
    with pytest.raises(AssayError, match=r"^url\(tiny@http://fake/v1\): endpoint 503\.$"):
        values()
    assert len(busy) == 97


@pytest.mark.parametrize("odd", [{"content": [{}]}, {"content": [3]}, [1], "no", {"tokens": 3, "token_logprobs": 4}])
def test_log_probabilities_of_another_form_are_none(odd: Any, tmp_path: Path) -> None:
    reply = {"choices": [{"message": {"content": "a"}, "text": "a", "logprobs": odd}]}
    server = FakeServer("echo", before=lambda path, body: http_reply(200, json=reply))
    with pytest.raises(GeneratorError, match="cannot score a given text"):
        assay.logprob(
            Dataset.from_records(ROWS[:2]),
            server.endpoint(),
            "x",
            end="none",
            requests=Requests(store=AnswerStore(tmp_path)),
        )


def test_a_tokenizer_that_changes_the_texts_is_refused() -> None:
    with pytest.raises(DataError, match="tokens decode back' failed: 1"):
        assay.logprob(Dataset.from_records([{"text": "XYZ", "context": "ab"}]), str(tiny_language_model()), "x")


@pytest.mark.slow
def test_every_check_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    model = open_model(str(tiny_language_model()))
    assert isinstance(model, LocalModel)
    wanted = [ToScore("abc", "dab"), ToScore("a", "cc"), ToScore("", "abcdabcd")]
    assert all(check.passed for check in check_model(model, wanted))

    def failed() -> set[str]:
        return {check.name for check in check_model(model, wanted) if not check.passed}

    logits = type(model.forward).logits
    with monkeypatch.context() as patch:
        # Padding that is not masked changes what a text is worth in a batch.
        patch.setattr(type(model.forward), "logits", lambda self, rows, *how: logits(self, rows, *how) * len(rows))
        assert "the same in any batch" in failed()
    with monkeypatch.context() as patch:
        patch.setattr(
            "assay.backends.language.checks.log_distribution", lambda logits, sampling: logits.double() - logits.mean()
        )
        assert failed() >= {"the vocabulary sums to 1", "drawn texts score the same"}
    with monkeypatch.context() as patch:
        # A sampler that draws from another distribution than it says.
        import assay.backends.language.drawing as drawing

        near = drawing.near_support
        patch.setattr(drawing, "near_support", lambda logits, sampling: near(logits * -3, sampling))
        full = {c.name for c in check_model(model, wanted, "full") if not c.passed}
        assert "drawn texts score minus their entropy" in full
    with monkeypatch.context() as patch:
        prompt = type(model.encoder).prompt
        patch.setattr(type(model.encoder), "prompt", lambda self, p, bos: (0, 0, *prompt(self, p, "never")))
        assert "one beginning of text" in failed()
    with monkeypatch.context() as patch:
        tokens = type(model.encoder).tokens
        # A tokenizer that has the last letter of a prompt and the first of a text in one token.
        patch.setattr(
            type(model.encoder), "tokens", lambda self, text: tokens(self, text)[: -1 if len(text) > 3 else None]
        )
        patch.setattr(type(model.encoder), "decode", lambda self, tokens: "x")
        assert failed() >= {"tokens decode back"}


def test_texts_that_cannot_be_scored_are_gaps_with_reasons() -> None:
    rows = [*ROWS, {"id": "long", "item": "1", "context": "abc", "text": "abcd" * 20, "system": "tiny"}]
    rows.append({"id": "empty", "item": "1", "context": "abc", "text": "", "system": "tiny"})
    rows.append({"id": "after", "item": "3", "context": "ab" * 50, "text": "cab", "system": "tiny"})
    result = assay.logprob(
        Dataset.from_records(rows), str(tiny_language_model()), "tiny", template="{context}{text}", end="none"
    )
    assert len(result.dataset.logprobs) == 3
    assert any(
        "1 text without a log-probability: longer than the window (82 > 64 tokens)" in n for n in result.part.notes
    )
    assert any("longer than the window (102 > 64 tokens)" in note for note in result.part.notes)
    assert any("empty text" in note for note in result.part.notes)


def test_bad_input_is_one_plain_message(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(json.dumps(ROWS[0]))
    data, model = str(tmp_path / "in.jsonl"), str(tiny_language_model())
    from assay.errors import AssayError

    for words, says in (
        (["--model", str(tmp_path)], "not a model folder"),
        (["--model", model, "--template", "{context}"], "does not end in {text}"),
        (["--model", model, "--temperature", "-1"], "temperature is -1.0"),
        (["--model", model, "--stride", "99", "--window", "9"], "stride is 99"),
        (["--model", model, "--chat"], "no chat template"),
        (["--model", model, "--end", "<nope>"], "is not one token"),
        (["--model", model, "-o", str(tmp_path / "x.doc")], "written by their ending"),
        (["--model", "url(a@http://127.0.0.1:9/v1)", "--temperature", ".7"], "log-probabilities of its own only"),
        (["--model", "url(a@http://127.0.0.1:9/v1)", "--end", "none", "--offline"], "not known"),
        (["--model", model, "--budget", "3"], "needs prices"),
    ):
        with pytest.raises(AssayError) as refusal:
            run(data, "--as", "x", *words)
        assert says in str(refusal.value), words


def test_truncation_that_makes_human_texts_impossible_is_said_beside_huse() -> None:
    rng = np.random.default_rng(0)
    rows = []
    for n in range(40):
        human = n % 2 == 0
        rows.append(
            {
                "item": str(n // 2),
                "text": f"text {n}",
                "system": "people" if human else "m",
                "human": human,
                "logprobs": {"m": "-inf" if human and n % 4 == 0 else float(-rng.gamma(4))},
                "n_tokens": 2,
                "judgments": [{"annotator": "a", "criterion": "typicality", "value": int(rng.integers(6))}],
            }
        )
    part = assay.huse(Dataset.from_records(rows), intervals=False, figures=False)
    assert any("10 of 20 human texts are impossible under it" in note for note in part.notes)
