"""Whatever counts something has a limit: a slip of the keyboard does not run until memory ends."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from assay.cli import COMMANDS, cli
from assay.errors import AssayError, DataError
from assay.metaeval.questions.question import Resampling
from assay.study.file import read_study
from assay.study.keys import Positive, WholeNumber
from assay.study.step import STEPS, steps

HUGE = str(10**20)


def options() -> Iterator[tuple[str, click.Option]]:
    """Every option of every command, and of the commands of groups."""

    def inside(name: str, command: click.Command) -> Iterator[tuple[str, click.Option]]:
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                yield name, parameter
        for part, child in command.commands.items() if isinstance(command, click.Group) else ():
            yield from inside(f"{name} {part}", child)

    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        yield from inside(name, command)


COUNTS = [
    (name, option.opts[-1])
    for name, option in options()
    if isinstance(option.type, click.types.IntParamType) and option.name != "seed"
]


def test_every_whole_number_has_limits() -> None:
    for name, option in options():
        if isinstance(option.type, click.types.IntParamType):
            assert isinstance(option.type, click.IntRange) and option.type.min is not None, (name, option.opts)
            assert option.name == "seed" or option.type.max is not None, (name, option.opts)


@pytest.mark.parametrize(("command", "option"), COUNTS, ids=[" ".join(pair) for pair in COUNTS])
def test_more_than_the_limit_is_refused_at_once(command: str, option: str) -> None:
    done = CliRunner().invoke(cli, [*command.split(), option, HUGE])
    assert done.exit_code == 2
    assert f"{HUGE} is not in the range" in done.stderr


def test_most_options_that_count_are_met() -> None:
    assert {"compare --resamples", "dectest --repeats", "power --studies", "huse --examples"} <= set(
        map(" ".join, COUNTS)
    )


STUDY_KEYS = [
    (step, key)
    for step in STEPS
    for key, wanted in steps()[step].keys().items()
    if wanted.kind in (WholeNumber, Positive) or wanted.kind is int
]


@pytest.mark.parametrize(("step", "key"), [("", "resamples"), *STUDY_KEYS])
def test_so_is_a_key_of_a_study(tmp_path: Path, step: str, key: str) -> None:
    table = f"[{step}]\n" if step else ""
    path = tmp_path / "study.toml"
    path.write_text(f'data = "x"\n{table}{key} = {HUGE}\n')
    with pytest.raises(DataError, match=rf"{key}: {HUGE} does not fit\. Give a whole number .* at most 1,000,000\."):
        read_study(path)


def test_the_keys_that_count_are_met() -> None:
    assert {("dectest", "repeats"), ("dectest", "subset"), ("huse", "k")} <= set(STUDY_KEYS)


def test_so_are_resamples_in_python() -> None:
    with pytest.raises(AssayError, match=r"more than 1,000,000\. Use fewer"):
        Resampling(10**20)
