"""Options and helpers shared by several commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from assay.cli import complete
from assay.cli.several import several
from assay.cli.terminal import bare_stderr, is_terminal
from assay.limits import MOST_COUNT, MOST_WORKERS

if TYPE_CHECKING:
    from assay.backends.cluster import Cluster
    from assay.evaluator import Evaluator
    from assay.io.files import Given
    from assay.records import Dataset
    from assay.run.requests import Sender

F = TypeVar("F", bound=Callable[..., Any])


def count(least: int = 0) -> click.IntRange:
    """The type of every option that is a count."""
    return click.IntRange(least, MOST_COUNT)


MAP_OPTION = click.option(
    "--map",
    "mapping",
    metavar="MAP",
    help="Which columns are what: text=response,item=prompt_id,judgments.overall=score, or a TOML file of the same.",
)
READING_OPTIONS = (
    MAP_OPTION,
    several("--hyp", "hypotheses", metavar="TXT", help="Instead of DATA: a text file per system, a line per item."),
    several("--ref", "references", metavar="TXT", help="Text files of references, aligned with --hyp."),
)
EXCLUDE_OPTION = several(
    "--exclude", "exclude", metavar="NAME", help="Leave out these systems.", shell_complete=complete.systems
)
DATA_OPTIONS = (
    *READING_OPTIONS,
    several("--systems", "systems", metavar="NAME", help="Only these systems.", shell_complete=complete.systems),
    EXCLUDE_OPTION,
)


def data_argument(command: F) -> F:
    """Add DATA, and how to read and select it, to a command; `load` takes the argument `data`."""
    return _with_data(command, DATA_OPTIONS)


def compared_data_argument(command: F) -> F:
    """The same for a command that takes --systems itself."""
    return _with_data(command, (*READING_OPTIONS, EXCLUDE_OPTION))


def optional_data_argument(command: F) -> F:
    """The same where data may be left out: `data` is then None."""
    return _with_data(command, DATA_OPTIONS, required=False)


def _with_data(command: F, options: Sequence[Callable[[Any], Any]], *, required: bool = True) -> F:
    @wraps(command)
    def with_data(**values: Any) -> Any:
        from assay.io.files import Given

        names = ("mapping", "hypotheses", "references", "exclude")
        chosen = {name: values.pop(name) for name in names}
        if options is DATA_OPTIONS:
            chosen["systems"] = values.pop("systems")
        given = Given(values.pop("data"), **chosen)
        if not required and not given.paths and not given.hypotheses:
            return command(data=None, **values)
        _check_given(given)
        return command(data=given, **values)

    metavar = "DATA..." if required else "[DATA]..."
    argument = click.argument("data", metavar=metavar, nargs=-1, shell_complete=complete.data)
    for option in reversed((argument, *options)):
        with_data = option(with_data)
    return with_data  # type: ignore[return-value]


def _check_given(given: Given) -> None:
    if not given.paths and not given.hypotheses:
        raise click.UsageError("no data. Name a file, a folder or data:NAME, or aligned texts with --hyp.")
    if given.paths and given.hypotheses:
        raise click.UsageError(f"both DATA ({given.paths[0]}) and --hyp. Give one of them; references go to --ref.")
    if given.references and not given.hypotheses:
        raise click.UsageError("--ref is for texts given with --hyp.")
    if given.mapping is not None and given.hypotheses:
        raise click.UsageError("--hyp takes plain texts, without columns to map. Leave --map out.")


evaluator_option = click.option(
    "-e",
    "--evaluator",
    "evaluators",
    multiple=True,
    required=True,
    metavar="NAME",
    help='An evaluator by name or call, such as bleu or "bleu(max_order=2)"; repeatable.',
    shell_complete=complete.evaluators,
)
candidate_option = click.option(
    "-e",
    "--evaluator",
    "evaluators",
    multiple=True,
    metavar="NAME",
    help="An evaluator by name or call, or a column of a score table; repeatable. Default: all columns.",
    shell_complete=complete.evaluators,
)
lower_option = click.option(
    "--lower-is-better",
    multiple=True,
    metavar="COLUMN",
    help="A score-table column in which lower is better; repeatable.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
seed_option = click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
unit_option = click.option(
    "--unit",
    type=click.Choice(["output", "pair", "matchup", "set", "system"]),
    help="The unit of a score. Default: the coarsest that the evaluators need. A pair is two outputs of one set, a "
    "matchup two outputs of two systems for one item.",
)
workers_option = click.option(
    "--workers",
    type=click.IntRange(1, MOST_WORKERS),
    default=1,
    show_default=True,
    help="Number of threads; does not affect results.",
)
executor_option = click.option(
    "--executor",
    metavar="NAME",
    help="Where chunks are scored: serial, threads:N (short: --workers N), processes:N, dask:ADDRESS (short: --cluster "
    "ADDRESS), or your own module:name; does not affect results.",
)
no_cache_option = click.option("--no-cache", is_flag=True, help="Do not read or write the score cache.")


LEARNING_OPTIONS = (
    click.option("--train", metavar="DATA", help="Training data of fitted evaluators. Default: cross-fitting."),
    click.option("--folds", type=count(2), help="Number of folds. Default: 5, or one per system or value."),
    click.option(
        "--leave-out",
        metavar="KIND",
        help="What is held out in cross-fitting: item (default), system, annotator, column:NAME.",
    ),
)
REQUEST_OPTIONS = (
    click.option(
        "--requests",
        type=click.IntRange(1, MOST_WORKERS),
        help="Concurrent requests of evaluators that call a service; does not affect results. Default: 8.",
    ),
    click.option("--max-requests", type=count(), help="Maximum number of requests to send, retries included."),
    click.option("--offline", is_flag=True, help="Send no requests; use cached answers only."),
)
CLUSTER_OPTIONS = (
    click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Score on a Dask cluster: local:N starts N processes here; tcp://HOST:PORT, tls://HOST:PORT or a "
        "scheduler file (.json) is one that runs. Does not affect results.",
    ),
    click.option(
        "--tls",
        nargs=3,
        metavar="CA CERT KEY",
        help="Encrypt and authenticate the cluster: PEM files of the authority, our certificate and its key.",
    ),
)


@dataclass(frozen=True)
class Scoring:
    """Options of fitted evaluators, of evaluators that call a service, and of clusters."""

    train: str | None = None
    folds: int | None = None
    leave_out: str | None = None
    requests: int | None = None
    max_requests: int | None = None
    offline: bool = False
    cluster: str | None = None
    tls: tuple[str, str, str] | None = None

    def in_use(self, *names: str) -> str:
        """Which of the options, by default of all, are in use, such as `--train and --folds`; empty if none."""
        chosen = [name for name in names or vars(Scoring()) if getattr(self, name) not in (None, False)]
        return " and ".join(f"--{name.replace('_', '-')}" for name in chosen)

    @cached_property
    def training_data(self) -> Dataset | None:
        """The training data of fitted evaluators, read once."""
        from assay.io import load

        return load(self.train) if self.train else None

    @cached_property
    def sender(self) -> Sender:
        """One sender for the whole command, so that --max-requests bounds it however often it scores."""
        from assay.run.requests import Requests, Sender

        return Sender(Requests(self.requests or 8, most=self.max_requests, offline=self.offline))

    @cached_property
    def executor(self) -> Cluster | None:
        """The cluster, if one is named: connected once for the whole command."""
        if self.cluster is None:
            if self.tls:
                raise click.UsageError("--tls is for a cluster. Name it with --cluster.")
            return None
        from assay.backends.cluster import connect

        return connect(self.cluster, self.tls)

    @property
    def learning(self) -> dict[str, Any]:
        """The arguments of `assay.score` that say what is learnt from."""
        from assay.run.folds import Folds

        folds = Folds(self.leave_out or "item", self.folds) if self.folds or self.leave_out else None
        return {"train": self.training_data, "folds": folds}

    def arguments(self, datasets: Dataset | Iterable[Dataset], evaluators: Iterable[str | Evaluator]) -> dict[str, Any]:
        """Return the arguments of `assay.score`; an option that affects no evaluator is an error."""
        self.check_used(datasets, evaluators)
        on_cluster = {} if self.executor is None else {"executor": self.executor}
        return {**self.learning, "requests": self.sender, **on_cluster}

    def check_used(self, datasets: Dataset | Iterable[Dataset], evaluators: Iterable[str | Evaluator]) -> None:
        """Refuse an option that affects no evaluator."""
        from assay.errors import AssayError
        from assay.needs import parse_for
        from assay.records import Dataset

        scored = [datasets] if isinstance(datasets, Dataset) else list(datasets)
        parsed = [parse_for(scored[0], one) if isinstance(one, str) else one for one in evaluators]
        both = [(evaluator, dataset) for evaluator in parsed for dataset in scored]
        fitting, asking = self.in_use("train", "folds", "leave_out"), self.in_use("requests", "max_requests", "offline")
        if fitting and not any(evaluator.learns(dataset) for evaluator, dataset in both):
            raise AssayError(f"{fitting}: none of the evaluators learns. Leave it out.")
        if asking and not any(evaluator.asks(dataset) for evaluator, dataset in both):
            raise AssayError(f"{asking}: none of the evaluators calls a service. Leave it out.")


def scoring_options(command: F) -> F:
    """Add the options of fitted evaluators, requests and clusters to a command, as one argument `scoring`."""
    return _with_scoring(command, (*LEARNING_OPTIONS, *REQUEST_OPTIONS, *CLUSTER_OPTIONS))


def scoring_again_options(command: F) -> F:
    """The same where a signature records the fit: only --train and the options of requests and clusters."""
    return _with_scoring(command, (LEARNING_OPTIONS[0], *REQUEST_OPTIONS, *CLUSTER_OPTIONS))


def cluster_options(command: F) -> F:
    """Add only the options of clusters."""
    return _with_scoring(command, CLUSTER_OPTIONS)


def _with_scoring(command: F, options: Sequence[Callable[[Any], Any]]) -> F:
    @wraps(command)
    def with_scoring(**values: Any) -> Any:
        chosen = {field.name: values.pop(field.name) for field in fields(Scoring) if field.name in values}
        return command(scoring=Scoring(**chosen), **values)

    for option in reversed(options):
        with_scoring = option(with_scoring)
    return with_scoring  # type: ignore[return-value]


def output_option(endings: str) -> Callable[[F], F]:
    """The option -o of a command that writes one file."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path),
        help=f"Output file ({endings}), written atomically.",
    )


def resampling_options(command: F) -> F:
    """Add the options of intervals to a command."""
    for option in (
        seed_option,
        click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals."),
        click.option(
            "--interval",
            type=click.Choice(["auto", "t", "percentile", "bca"]),
            default="auto",
            show_default=True,
            help="Interval method; auto is the default in the command's docs.",
        ),
        several(
            "--resample",
            "factors",
            metavar="FACTOR",
            help="What is resampled: units, items, contexts, systems, annotators. Default: depends on the command.",
        ),
        click.option("--resamples", type=count(), default=1000, show_default=True, help="Number of resamples."),
    ):
        command = option(command)
    return command


def testing_options(tests: Sequence[str]) -> Callable[[F], F]:
    """Add the options of pairwise tests to a command."""

    def decorate(command: F) -> F:
        for option in (
            click.option(
                "--alpha", type=float, default=0.05, show_default=True, help="Significance level of clusters."
            ),
            click.option(
                "--correction",
                type=click.Choice(["holm", "bh", "none"]),
                default="holm",
                show_default=True,
                help="Multiple-testing correction of p.",
            ),
            click.option(
                "--test", type=click.Choice(tests), default=tests[0], show_default=True, help="The test behind p."
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
    """Print a message on stderr; stdout is for data."""
    click.echo(text, err=True)


@contextmanager
def progress(label: str, beside: Callable[[], str] | None = None) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on a terminal and nothing in a pipe; `beside` is told after it, such as the cost so far."""
    if not is_terminal():
        yield lambda done, total: None
        return
    bar: Any
    told: dict[str, Any] = {"item_show_func": lambda _: beside()} if beside else {}
    with click.progressbar(length=1, label=label, file=bare_stderr(), **told) as bar:

        def report(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        yield report
