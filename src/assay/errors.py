"""The exceptions users may see.

    AssayError
    ├── DataError        a file or a dataset is invalid; lists every problem
    ├── EvaluatorError   an evaluator is unknown, misspelled or not applicable to this data
    ├── GeneratorError   a generator has invalid settings or training texts
    ├── MissingExtra     an optional dependency is not installed; says how to install it
    └── WorkerDied       workers of a cluster died over a task

Each message says what is wrong, where, and what to do. The command line prints it and exits with 1.
"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any


class AssayError(Exception):
    """Base class: anything a user can fix."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes as a message, whatever the error was made from."""
        return _error_again, (type(self), self.args, self.__dict__)


class DataError(AssayError):
    """Invalid data.

    Each of `problems` is one sentence, usually `file line N: what is wrong, what to do`.
    """

    LIMIT = 20

    def __init__(self, problems: str | Sequence[str]) -> None:
        self.problems = [problems] if isinstance(problems, str) else list(problems)
        shown = self.problems[: self.LIMIT]
        rest = len(self.problems) - len(shown)
        if rest:
            shown.append(f"... and {rest} more problems of this kind.")
        super().__init__("\n".join(shown))


class EvaluatorError(AssayError):
    """An evaluator that does not exist, has invalid parameters, or needs something the data lacks."""


class GeneratorError(AssayError):
    """A generator with invalid settings or nothing to learn from."""


class MissingExtra(AssayError):
    """A required optional package is not installed."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(f"{what} needs the package {package}. Install it with: pip install 'assay[{extra}]'")


class WorkerDied(AssayError):
    """Workers died over a task, out of memory perhaps; `task` is its place among the tasks."""

    def __init__(self, message: str, task: int) -> None:
        super().__init__(message)
        self.task = task


def _error_again(kind: type[AssayError], args: tuple[Any, ...], about: dict[str, Any]) -> AssayError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(about)
    return error


def interrupted(error: BaseException) -> bool:
    """Whether an error is a KeyboardInterrupt or caused by one: compiled code wraps Ctrl-C in an error of its own."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__ or cause.__context__
    return cause is not None


def pass_on_interrupt(error: BaseException) -> None:
    """Re-raise Ctrl-C if it caused the error, so that code which turns errors into results does not swallow it."""
    if interrupted(error):
        raise KeyboardInterrupt from None


# Errors caused by the input: the same code raises them again on the same data.
ABOUT_DATA = (ValueError, TypeError, LookupError, ArithmeticError, AssertionError)


def lies_in_data(error: BaseException) -> bool:
    """Whether an error is deterministic, and would recur on the same data, as a ValueError does.

    Anything else may be transient: out of memory or disk, a server that does not answer, a rate limit. So may an error
    caused by one of these, unless it was raised `from None`.
    """
    cause: BaseException | None = error
    while cause is not None:
        if not isinstance(cause, ABOUT_DATA) or isinstance(cause, OSError):
            return False
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
    return True


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ` Did you mean 'x'?` for a close match, else the list of known names."""
    names = sorted(known)
    close = get_close_matches(word, names, n=1, cutoff=0.6)
    if close:
        return f" Did you mean {close[0]!r}?"
    return f" Known: {', '.join(names)}." if names else ""
