"""The options of requests, wherever evaluators are scored: one sender does it all, as the command line says."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from assay.cli import COMMANDS, cli
from assay.evaluator import Shape, evaluator, per_request
from assay.registry import BUILTIN
from assay.run.requests import Requests, Sender
from tests.contracts.worlds import records

CALLS = {
    "score": ("score", "outputs.jsonl", "-e", "toy_judge"),
    "meta": ("meta", "outputs.jsonl", "-e", "toy_judge", "--target", "human('typicality')", "--resamples", "0"),
    "compare": ("compare", "outputs.jsonl", "-e", "toy_judge", "--systems", "a", "b"),
    "huse": ("huse", "outputs.jsonl", "--quality", "toy_judge", "-k", "3", "--no-intervals"),
    "contest": ("contest", "outputs.jsonl", "-e", "toy_judge", "--resamples", "0"),
    "dectest": ("dectest", "outputs.jsonl", "-e", "toy_judge", "--subset", "9", "--repeats", "3"),
    "nuggets": ("nuggets", "outputs.jsonl", "-e", "toy_judge"),
    "certify": ("certify", "distinct", "--dectest", "outputs.jsonl", "--beside", "toy_judge", "--resamples", "0"),
    "prefer": ("prefer", "outputs.jsonl", "-e", "toy_judge"),
    "power": (
        "power",
        "--pilot",
        "outputs.jsonl",
        "--systems",
        "a",
        "b",
        "-e",
        "toy_judge",
        "--effect",
        "1",
        "--studies",
        "50",
    ),
    "replay": ("replay", "SIGNATURE", "outputs.jsonl"),
    "gate": ("gate", "outputs.jsonl", "--better-than", "a", "--by", "toy_judge"),
    "correct": ("correct", "outputs.jsonl", "--criterion", "typicality", "--judge", "toy_judge", "--draws", "0"),
    "probe": ("probe", "outputs.jsonl", "--judge", "toy_judge", "--perturbation", "truncate"),
    "replace": ("replace", "outputs.jsonl", "--judge", "toy_judge", "--criterion", "typicality", "--score", "neg_rmse"),
    "communicate": ("communicate", "outputs.jsonl", "--fluency", "toy_judge"),
}
ASK_A_MODEL = {"generate", "judge", "logprob"}  # not evaluators; their own tests call an endpoint
OF_DISCRIMINATORS = {"adversaries", "giveaways"}  # none of assay's own calls a service
OPTIONS = ("--requests", "2", "--max-requests", "7000")


@evaluator(scale="any")
def toy_judge() -> Shape:
    """The length of a text, asked of a service."""
    return per_request(
        "toy", request=lambda unit: {"text": unit.text}, send=lambda request: len(request["text"]), read=lambda n, _: n
    )


@pytest.fixture
def senders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Sender]:
    """What every call of `score` sends its requests by, where a command says so."""
    rows = records()
    (tmp_path / "outputs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(BUILTIN, "toy_judge", f"{__name__}:toy_judge")
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    seen: list[Sender] = []
    make = Sender.of

    def of(how: Requests | Sender | None) -> Sender:
        sender = make(how)
        if how is not None:
            seen.append(sender)
        return sender

    monkeypatch.setattr(Sender, "of", of)
    return seen


def run(*args: str) -> Any:
    done = CliRunner().invoke(cli, args, catch_exceptions=False)
    assert done.exit_code == (args[0] == "gate"), done.output  # no system here is better than the baseline
    return done


def test_every_command_that_scores_has_the_options() -> None:
    context = cli.make_context("assay", ["score", "--help"], resilient_parsing=True)
    commands = {name: cli.get_command(context, name) for name in COMMANDS}
    options = {name: {option for one in command.params for option in one.opts} for name, command in commands.items()}
    assert {name for name in options if {"--requests", "--max-requests", "--offline"} <= options[name]} == {
        *CALLS,
        *ASK_A_MODEL,
        *OF_DISCRIMINATORS,
    }


@pytest.mark.parametrize("command", CALLS)
def test_one_sender_sends_all(senders: list[Sender], command: str) -> None:
    call = CALLS[command]
    if command == "replay":
        signature = json.loads(run(*CALLS["meta"], "--json").stdout)["numbers"][0]["signature"]
        call = ("replay", signature, "outputs.jsonl")
        senders.clear()
    run(*call, *OPTIONS)
    assert senders and all(sender is senders[0] for sender in senders)
    how = senders[0].how
    assert (how.at_once, how.most) == (2, 7000)


@pytest.mark.parametrize("option", [("--requests", "2"), ("--max-requests", "7"), ("--offline",)])
def test_an_option_that_concerns_no_evaluator_is_refused(senders: list[Sender], option: tuple[str, ...]) -> None:
    done = CliRunner().invoke(cli, ["score", "outputs.jsonl", "-e", "length", *option])
    assert done.exit_code == 1
    assert f"{option[0]}: none of the evaluators calls a service. Leave it out." in str(done.exception)
    assert not senders


def test_offline_sends_nothing(senders: list[Sender]) -> None:
    run("score", "outputs.jsonl", "-e", "toy_judge", "--offline")
    assert senders[0].how.offline and senders[0].n_sent == 0


def test_a_study_takes_the_same_as_keys(senders: list[Sender], tmp_path: Path) -> None:
    keys = "requests = 2\nmax_requests = 7\noffline = true\nresamples = 0"
    steps = '[scores]\nevaluators = ["length"]\n[meta]\nevaluators = ["length"]\ntargets = ["human(\'typicality\')"]'
    (tmp_path / "study.toml").write_text(f'data = "outputs.jsonl"\n{keys}\n{steps}\n')
    run("run", "study.toml", "-o", "out")
    assert len(senders) > 1 and all(sender is senders[0] for sender in senders)
    how = senders[0].how
    assert (how.at_once, how.most, how.offline) == (2, 7, True)
