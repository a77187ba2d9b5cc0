"""The command `assay`: one file per command, imported only when it is called."""

from __future__ import annotations

import errno
import os
import sys
from importlib import import_module
from typing import Any, NoReturn

import click

from assay import __version__
from assay.cli.terminal import is_terminal, visible_output
from assay.errors import AssayError, did_you_mean, interrupted

# One line per command: what it does. The command itself is `command` in `assay/cli/<name>_command.py`.
COMMANDS = {
    "agree": "How far annotators agree, and how good each of them is.",
    "answers": "What services replied to evaluators: list it, or forget it.",
    "certify": "Print a card for a diversity metric: what it measures, form or content.",
    "compare": "Compare systems by evaluators, paired on the items they share.",
    "contest": "Test whether diversity metrics tell high from low diversity.",
    "convert": "Read data in one format and write it in another.",
    "data": "Public data sets: list them, fetch one, find its file, check it.",
    "dectest": "Test whether diversity metrics follow a decoding parameter.",
    "demo": "Score and study the embedded sample; ends with a report.",
    "fit": "Fit an evaluator that learns and save it to a folder, to apply it later.",
    "hds": "Summarise how diverse people say sets are, and what that costs.",
    "huse": "Compare systems with people: quality and diversity in one number.",
    "init": "Look at data and propose a study of it.",
    "list": "Show the evaluators, what each needs and how its parameters are set.",
    "meta": "Evaluate the evaluators: agreement with a target, and which of them differ.",
    "mtme": "Turn tables of scores into the files of mt-metrics-eval, and back.",
    "neighbors": "Estimate quality from the judged outputs most like each, or abstain.",
    "nuggets": "Choose labeled sets among which a metric of form knows nothing.",
    "power": "How many units a study needs, and what it costs.",
    "prefer": "Rank systems by pairwise preferences.",
    "replay": "Make a result again from its signature.",
    "reproduce": "Measure published numbers again and print them beside the papers'.",
    "run": "Run a study file: results, tables, figures and a report.",
    "score": "Score outputs with evaluators.",
}

# The exit code of a command that Ctrl-C ended, as shells have it.
INTERRUPTED = 130
# A disk that is full, over its quota, failing or not to be written to.
UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}


class LazyGroup(click.Group):
    """A group whose commands are listed without being imported, so that --help is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name all commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"assay.cli.{cmd_name}_command").command
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. One that is interrupted ends with a word."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, SystemError) as error:
            if not interrupted(error):
                raise
            stop("stopped")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest the nearest command for one that does not exist."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            raise click.UsageError(f"no command {args[0]!r}.{did_you_mean(args[0], COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the table above."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, message="assay %(version)s")
def cli() -> None:
    """Judge text generators, and judge the judges.

    \b
    assay score outputs.jsonl -e bleu -e "human(criterion='typicality')" -o scores.csv

    Shell completion: eval "$(_ASSAY_COMPLETE=bash_source assay)" (or zsh_source, fish_source).
    """


def stop(said: str) -> NoReturn:
    """End a command that the user interrupted; on a terminal ^C stands in the line already."""
    click.echo(f"\n{said}" if is_terminal() else said, err=True)
    raise click.exceptions.Exit(INTERRUPTED)


def main() -> None:
    """Run the command line. A user's error is one plain message and exit code 1, never a traceback."""
    with visible_output():
        try:
            _check_words(sys.argv)
            sys.exit(cli(prog_name="assay", standalone_mode=False))
        except click.exceptions.Exit as stop:
            sys.exit(stop.exit_code)
        except click.Abort:
            sys.exit(INTERRUPTED)
        except click.ClickException as error:
            error.show()
            sys.exit(error.exit_code)
        except AssayError as error:
            _fail(str(error))
        except MemoryError:
            _fail("not enough memory for this. Give less data at once, or fewer evaluators or resamples.")
        except BrokenPipeError:
            # The reader of our output went away, as in `assay list | head`: nothing is left to say.
            sys.stderr.close()
            sys.exit(1)
        except OSError as error:
            if error.filename or error.errno not in UNWRITABLE:
                named = f"{error.filename}: " if error.filename else ""
                _fail(f"{named}{error.strerror or error}. Check the place and its permissions.")
            # What could not be printed is tried once more when Python ends: it goes nowhere then.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
            _fail(f"cannot write: {os.strerror(error.errno)}. Make room, or write to another place.")


def _check_words(words: list[str]) -> None:
    """Refuse what no shell can say but another program may: NUL and halves of characters."""
    for word in words:
        try:
            fits = "\0" not in word and bool(os.fsencode(word) or True)
        except UnicodeEncodeError:
            fits = False
        if not fits:
            raise AssayError(f"the word {word[:40]!r} holds what no name can hold: NUL or half of a character.")


def _fail(said: str) -> NoReturn:
    click.echo(f"assay: {said}", err=True)
    sys.exit(1)
