"""Options and small things that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from assay.cli.several import several
from assay.cli.terminal import bare_stderr, is_terminal
from assay.limits import MOST_COUNT, MOST_WORKERS

if TYPE_CHECKING:
    from assay.evaluator import Evaluator
    from assay.records import Dataset
    from assay.run.requests import Sender

F = TypeVar("F", bound=Callable[..., Any])


def count(least: int = 0) -> click.IntRange:
    """The type of every option that counts something: a whole number within reason."""
    return click.IntRange(least, MOST_COUNT)


data_argument = click.argument("data", metavar="DATA")
evaluator_option = click.option(
    "-e",
    "--evaluator",
    "evaluators",
    multiple=True,
    required=True,
    metavar="NAME",
    help='An evaluator by name or call, such as bleu or "bleu(max_order=2)"; give -e once for each.',
)
candidate_option = click.option(
    "-e",
    "--evaluator",
    "evaluators",
    multiple=True,
    metavar="NAME",
    help="An evaluator by name or call, or a column of a table of scores; by default all columns of the table.",
)
lower_option = click.option(
    "--lower-is-better",
    multiple=True,
    metavar="COLUMN",
    help="A column of a table of scores in which low is good; give it once for each.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
seed_option = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of everything random."
)
unit_option = click.option(
    "--unit",
    type=click.Choice(["output", "pair", "matchup", "set", "system"]),
    help="What one score is about; by default the coarsest unit that is needed. A pair is two outputs of one set, a "
    "matchup two outputs of two systems for one item.",
)
workers_option = click.option(
    "--workers",
    type=click.IntRange(1, MOST_WORKERS),
    default=1,
    show_default=True,
    help="Threads; results do not depend on it.",
)
executor_option = click.option(
    "--executor",
    metavar="NAME",
    help="Where chunks are scored: serial, threads:N (short: --workers N), processes:N, or module:name of your own; "
    "results do not depend on it.",
)
no_cache_option = click.option("--no-cache", is_flag=True, help="Neither read nor keep scores of earlier runs.")


LEARNING_OPTIONS = (
    click.option(
        "--train", metavar="DATA", help="What fitted evaluators learn from; without it they are cross-fitted."
    ),
    click.option("--folds", type=count(2), help="Folds of cross-fitting; 5, or one for each system or value."),
    click.option(
        "--leave-out",
        metavar="KIND",
        help="What a model may not have met of what it scores: item (default), system, annotator, column:NAME.",
    ),
)
REQUEST_OPTIONS = (
    click.option(
        "--requests",
        type=click.IntRange(1, MOST_WORKERS),
        default=8,
        show_default=True,
        help="Requests under way together, of evaluators that ask a service; results do not depend on it.",
    ),
    click.option("--max-requests", type=count(), help="The most requests to send, retries included."),
    click.option("--offline", is_flag=True, help="Send no request: only answers that are kept count."),
)


@dataclass(frozen=True)
class Scoring:
    """What the command line says of how evaluators learn, and of how they ask services."""

    train: str | None = None
    folds: int | None = None
    leave_out: str | None = None
    requests: int = 8
    max_requests: int | None = None
    offline: bool = False

    @property
    def of_learning(self) -> str:
        """The options of fitted evaluators that were given, as words; empty where none was."""
        named = {"--train": self.train, "--folds": self.folds, "--leave-out": self.leave_out}
        return " and ".join(name for name, value in named.items() if value is not None)

    @cached_property
    def training_data(self) -> Dataset | None:
        """What fitted evaluators learn from, read once."""
        from assay.io import load

        return load(self.train) if self.train else None

    @cached_property
    def sender(self) -> Sender:
        """Sends the requests of the whole command: however often it scores, it sends no more than --max-requests."""
        from assay.run.requests import Requests, Sender

        return Sender(Requests(self.requests, most=self.max_requests, offline=self.offline))

    def arguments(self, datasets: Dataset | Iterable[Dataset], evaluators: Iterable[str | Evaluator]) -> dict[str, Any]:
        """The arguments of `assay.score`; options that no evaluator heeds are an error."""
        from assay.errors import AssayError
        from assay.records import Dataset
        from assay.registry import parse
        from assay.run.folds import Folds

        given = self.of_learning
        if given:
            parsed = [parse(one) if isinstance(one, str) else one for one in evaluators]
            scored = [datasets] if isinstance(datasets, Dataset) else list(datasets)
            if not any(evaluator.learns(dataset) for evaluator in parsed for dataset in scored):
                raise AssayError(f"{given}: none of the evaluators learns, so nothing would change. Leave it out.")
        folds = Folds(self.leave_out or "item", self.folds) if self.folds or self.leave_out else None
        return {"train": self.training_data, "folds": folds, "requests": self.sender}

    def fitted_as(self, fits: Sequence[str]) -> Scoring:
        """The same with models fitted as the signature of a result says; it names training data by its hash."""
        from assay.errors import AssayError
        from assay.grammar import parse_call

        if len(fits) > 1:
            raise AssayError(
                f"the columns of this result were fitted in {len(fits)} ways: {', '.join(fits)}. Give the table of "
                "scores that it was made from."
            )
        if not fits:
            return self
        fit = parse_call(fits[0])
        if fit.name == "train":
            content, given = fit.args[0], self.training_data and self.training_data.fingerprint[:16]
            if given is None:
                raise AssayError(f"the evaluators learnt from data with the hash {content}. Name it with --train.")
            if given != content:
                raise AssayError(
                    f"{self.train} has the hash {given}, and the evaluators learnt from data with the hash "
                    f"{content}. Name that with --train."
                )
        elif self.train:
            raise AssayError("the evaluators were cross-fitted, without a training set. Leave --train out.")
        how: dict[str, Any] = {"folds": fit.kwargs.get("n"), "leave_out": fit.kwargs["leave_out"]}
        return replace(self, **how)


def scoring_options(command: F) -> F:
    """Give a command that scores the options of fitted evaluators and of requests, as one argument `scoring`."""
    return _with_scoring(command, (*LEARNING_OPTIONS, *REQUEST_OPTIONS))


def scoring_again_options(command: F) -> F:
    """The same where a signature says how evaluators were fitted: of that only --train is asked for."""
    return _with_scoring(command, (LEARNING_OPTIONS[0], *REQUEST_OPTIONS))


def _with_scoring(command: F, options: Sequence[Callable[[Any], Any]]) -> F:
    @wraps(command)
    def with_scoring(**given: Any) -> Any:
        own = {field.name: given.pop(field.name) for field in fields(Scoring) if field.name in given}
        return command(scoring=Scoring(**own), **given)

    for option in reversed(options):
        with_scoring = option(with_scoring)
    return with_scoring  # type: ignore[return-value]


def output_option(endings: str) -> Callable[[F], F]:
    """Give a command that writes one file its option -o."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path),
        help=f"Write to this file ({endings}); it appears whole or not at all.",
    )


def resampling_options(command: F) -> F:
    """Give a command the options of an interval from resamples."""
    for option in (
        seed_option,
        click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals."),
        click.option(
            "--interval",
            type=click.Choice(["auto", "t", "percentile", "bca"]),
            default="auto",
            show_default=True,
            help="How intervals are made; auto is what the command's page says.",
        ),
        several(
            "--resample",
            "factors",
            metavar="FACTOR",
            help="What is drawn: units, items, contexts, systems, annotators; by default what the command says.",
        ),
        click.option("--resamples", type=count(), default=1000, show_default=True, help="Number of resamples."),
    ):
        command = option(command)
    return command


def testing_options(tests: Sequence[str]) -> Callable[[F], F]:
    """Give a command the options of a test with many pairs."""

    def decorate(command: F) -> F:
        for option in (
            click.option("--alpha", type=float, default=0.05, show_default=True, help="Level that cuts clusters."),
            click.option(
                "--correction",
                type=click.Choice(["holm", "bh", "none"]),
                default="holm",
                show_default=True,
                help="How p-values are adjusted for the number of pairs.",
            ),
            click.option(
                "--test", type=click.Choice(tests), default=tests[0], show_default=True, help="Where p comes from."
            ),
        ):
            command = option(command)
        return command

    return decorate


def print_json(value: Any) -> None:
    """Print JSON on stdout."""
    from assay.io.results import json_text

    click.echo(json_text(value), nl=False)


def say(text: str) -> None:
    """Talk to the user on stderr; stdout is for data."""
    click.echo(text, err=True)


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on a terminal and nothing in a pipe."""
    if not is_terminal():
        yield lambda done, total: None
        return
    bar: Any
    with click.progressbar(length=1, label=label, file=bare_stderr()) as bar:

        def report(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        yield report
