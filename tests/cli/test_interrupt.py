"""Ctrl-C ends a command with a word, also where compiled code turns it into an error of its own."""

import pytest
from click.testing import CliRunner

import assay.io
from assay.cli import cli


def ctrl_c(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def ctrl_c_in_a_kernel(*_: object, **__: object) -> None:
    try:
        ctrl_c()
    except KeyboardInterrupt as error:
        raise SystemError("<kernel> returned a result with an exception set") from error


@pytest.mark.parametrize("how", [ctrl_c, ctrl_c_in_a_kernel])
def test_an_interrupted_command_ends_with_a_word(monkeypatch: pytest.MonkeyPatch, how: object) -> None:
    monkeypatch.setattr(assay.io, "load", how)
    done = CliRunner().invoke(cli, ["agree", "outputs.jsonl"])
    assert (done.exit_code, done.stdout, done.stderr) == (130, "", "stopped\n")


def test_another_error_of_compiled_code_is_not_taken_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise SystemError("something else")

    monkeypatch.setattr(assay.io, "load", broken)
    assert isinstance(CliRunner().invoke(cli, ["agree", "outputs.jsonl"]).exception, SystemError)
