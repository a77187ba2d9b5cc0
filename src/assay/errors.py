"""What can go wrong for a user, drawn as a tree.

    AssayError
    ├── DataError        a file or a data set is not what it should be; lists every problem found
    ├── EvaluatorError   an evaluator is unknown, misspelt or cannot work on this data
    ├── GeneratorError   a generator was given settings or training texts it cannot work with
    └── MissingExtra     an optional dependency is not installed; carries the line that installs it

Each message says what is wrong, where, and what to do. The command line prints it and exits with 1.
"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


class AssayError(Exception):
    """Anything a user can mend. Catch this to catch them all."""


class DataError(AssayError):
    """Data that cannot be used as it is.

    `problems` holds one sentence each, usually `file line N: what is wrong, what to do`.
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
    """An evaluator that does not exist, was given wrong parameters, or needs what the data lacks."""


class GeneratorError(AssayError):
    """A generator with impossible settings, or with nothing to learn from."""


class MissingExtra(AssayError):
    """An optional package is needed and not installed."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(f"{what} needs the package {package}. Install it with: pip install 'assay[{extra}]'")


def interrupted(error: BaseException) -> bool:
    """Say whether an error is Ctrl-C, or comes of one: compiled code turns it into an error of its own."""
    seen: BaseException | None = error
    while seen is not None and not isinstance(seen, KeyboardInterrupt):
        seen = seen.__cause__ or seen.__context__
    return seen is not None


def pass_on_interrupt(error: BaseException) -> None:
    """Raise Ctrl-C again where an error comes of it, so that whoever takes errors as results lets it through."""
    if interrupted(error):
        raise KeyboardInterrupt from None


# What code raises about what it was given. The same code raises it again on the same data.
ABOUT_DATA = (ValueError, TypeError, LookupError, ArithmeticError, AssertionError)


def lies_in_data(error: BaseException) -> bool:
    """Say whether an error would come again on the same data, as a ValueError does.

    Anything else may pass: a full memory or disk, a server that does not answer, a rate limit. So may what was raised
    on account of such an error, unless it was raised `from None`.
    """
    seen: BaseException | None = error
    while seen is not None:
        if not isinstance(seen, ABOUT_DATA) or isinstance(seen, OSError):
            return False
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
    return True


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ` Did you mean 'x'?` for a near miss, else the list of what is known."""
    names = sorted(known)
    close = get_close_matches(word, names, n=1, cutoff=0.6)
    if close:
        return f" Did you mean {close[0]!r}?"
    return f" Known: {', '.join(names)}." if names else ""
