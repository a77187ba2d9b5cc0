"""The command `assay`: one file per command, imported only when it is called."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import nullcontext
from importlib import import_module
from typing import Any, NoReturn

import click

from assay import __version__
from assay.backends.watching import watching
from assay.cli.terminal import is_terminal, passing_line, visible_output
from assay.errors import AssayError, did_you_mean, interrupted

# One line per command: what it does. The command itself is `command` in `assay/cli/<name>_command.py`.
COMMANDS = {
    "adversaries": "Discriminators against generators they know, and against ones they never met.",
    "agree": "How far annotators agree, and how good each of them is.",
    "annotate": "Collect human judgments in a web application: protocol, server, export.",
    "answers": "List or delete cached replies of services.",
    "certify": "Profile a diversity metric: form or content, and what it reacts to.",
    "communicate": "Measure how often listeners recover what was meant.",
    "compare": "Compare systems by evaluators, paired on the items they share.",
    "contest": "Test whether diversity metrics separate high from low diversity.",
    "convert": "Convert data from one format to another.",
    "correct": "Estimate human means from few labels and a judge on everything.",
    "data": "Public datasets: list, download, locate and verify them.",
    "dectest": "Test whether diversity metrics follow a decoding parameter.",
    "demo": "Score and study the embedded sample; writes a report.",
    "detect": "How well people tell human-written texts from generated ones.",
    "fit": "Fit a trainable evaluator and save it for later use.",
    "gate": "Pass or fail systems against a baseline, with an exit code.",
    "generate": "Draw texts from a language model, with exact log-probabilities.",
    "giveaways": "What discriminators look at, and whether it is quality.",
    "hds": "Summarize human diversity scores of sets, and their cost.",
    "huse": "Compare systems with human texts: quality and diversity in one number.",
    "init": "Propose a study file for a dataset.",
    "judge": "Let a language model answer a form about outputs.",
    "list": "List the evaluators, with their requirements and parameters.",
    "logprob": "Add log-probabilities under a language model to outputs, with checks.",
    "meta": "Evaluate the evaluators: correlation with a target, and which of them differ.",
    "mtme": "Convert score tables to and from mt-metrics-eval files.",
    "neighbors": "Estimate quality from the most similar judged outputs, or abstain.",
    "nuggets": "Select labeled sets on which a form metric is uninformative.",
    "originality": "What generators copied from their training texts, and how much they repeat themselves.",
    "partition": "Cut data into parts that are scored one by one, on one machine or many.",
    "power": "Sample size and cost of a study.",
    "prefer": "Rank systems by pairwise preferences.",
    "probe": "Probe judges with damaged texts, and for biases.",
    "replace": "Test whether a judge may replace a human annotator.",
    "replay": "Recompute a result from its signature.",
    "reproduce": "Reproduce published numbers and print them beside the originals.",
    "rsa": "Work out a lexicon game by Rational Speech Acts.",
    "run": "Run a study file: results, tables, figures and a report.",
    "score": "Score outputs with evaluators.",
    "split": "Split texts among generators and judges: train, valid and test.",
    "testbed": "Train generators on human texts, sample and judge them, and judge the judges.",
    "track": "Scores of systems over several studies, as curves.",
}

# The conventional exit code after Ctrl-C.
INTERRUPTED = 130
# The disk is full, over quota, failing or read-only.
UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}


class LazyGroup(click.Group):
    """A group that lists its commands without importing them, so that --help is fast."""

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
        """Run a command, with the progress of long trainings on a terminal; report an interrupt in one word."""
        try:
            with watching(passing_line) if is_terminal() else nullcontext():
                return super().invoke(ctx)
        except (KeyboardInterrupt, SystemError) as error:
            if not interrupted(error):
                raise
            stop("stopped")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest the closest match for an unknown command."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            raise click.UsageError(f"no command {args[0]!r}.{did_you_mean(args[0], COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from `COMMANDS`."""
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


def stop(message: str) -> NoReturn:
    """Exit after an interrupt; a terminal has already echoed ^C on the current line."""
    click.echo(f"\n{message}" if is_terminal() else message, err=True)
    raise click.exceptions.Exit(INTERRUPTED)


def main() -> None:
    """Run the command line. A user error is one plain message and exit code 1, never a traceback."""
    with visible_output():
        try:
            _check_arguments(sys.argv)
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
            _fail("out of memory. Use less data at once, or fewer evaluators or resamples.")
        except BrokenPipeError:
            # The reader closed the pipe, as in `assay list | head`.
            sys.stderr.close()
            sys.exit(1)
        except OSError as error:
            if error.filename or error.errno not in UNWRITABLE:
                where = f"{error.filename}: " if error.filename else ""
                _fail(f"{where}{error.strerror or error}. Check the path and its permissions.")
            # Python flushes stdout again on exit: send that to /dev/null.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
            _fail(f"cannot write: {os.strerror(error.errno)}. Free some space, or write elsewhere.")


def _check_arguments(arguments: list[str]) -> None:
    """Refuse NUL and lone surrogates, which no shell passes but another program may."""
    for argument in arguments:
        try:
            valid = b"\0" not in os.fsencode(argument)
        except UnicodeEncodeError:
            valid = False
        if not valid:
            raise AssayError(f"the argument {argument[:40]!r} contains NUL or a lone surrogate. Remove it.")


def _fail(message: str) -> NoReturn:
    click.echo(f"assay: {message}", err=True)
    sys.exit(1)
