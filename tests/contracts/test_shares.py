"""Error rates and confidences lie between 0 and 1; every command refuses anything else before it computes."""

import pytest
from click.testing import CliRunner

from assay.cli import COMMANDS, cli
from assay.sample import PATH

DATA = str(PATH)
HUMAN = "human(criterion='typicality')"
CALLS = {
    "adversaries": (DATA,),
    "agree": (DATA,),
    "communicate": (DATA,),
    "compare": (DATA, "-e", "length"),
    "correct": (DATA, "--criterion", "typicality", "--judge", "length"),
    "detect": (DATA,),
    "gate": (DATA, "--better-than", "collapsed", "--by", "length"),
    "giveaways": (DATA,),
    "hds": (DATA, "--criterion", "typicality"),
    "meta": (DATA, "-e", "length", "--target", HUMAN),
    "neighbors": (DATA, "--criterion", "typicality"),
    "originality": (DATA,),
    "power": ("--pilot", DATA, "--systems", "ngram-t0.7", "ngram-t1.3", "-e", "length"),
    "prefer": (DATA, "-e", "bleu"),
    "probe": (DATA, "--judge", "length"),
    "replace": (DATA, "--criterion", "typicality", "--judge", "length"),
}
SHARES = ("--alpha", "--confidence", "--power", "--q")


def share_options() -> list[tuple[str, str]]:
    context = cli.make_context("assay", ["score", "--help"], resilient_parsing=True)
    commands = {name: cli.get_command(context, name) for name in COMMANDS}
    options = {name: {one for param in command.params for one in param.opts} for name, command in commands.items()}
    return [(name, option) for name in sorted(options) for option in SHARES if option in options[name]]


def test_every_command_with_such_an_option_is_called() -> None:
    assert {command for command, _ in share_options()} == set(CALLS)


@pytest.mark.parametrize(("command", "option"), share_options())
@pytest.mark.parametrize("value", ["5", "0", "nan"])
def test_an_impossible_value_is_refused(command: str, option: str, value: str) -> None:
    done = CliRunner().invoke(cli, (command, *CALLS[command], option, value))
    assert done.exit_code == 1
    assert not done.stdout
    assert f"{option.removeprefix('--')} must lie between 0 and " in str(done.exception)
    assert str(done.exception).endswith(f", not {value}.")
