"""A worker process: a function and tasks come in through one pipe, results go out through another, pickled.

Started as a program of its own, not by `multiprocessing`: that would run the user's script again in every worker, so
that scripts without `if __name__ == "__main__":` could not use processes.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from subprocess import PIPE, Popen
from typing import Any

from assay.errors import EvaluatorError

_PROGRAM = "import sys; sys.path[:] = {path!r}; from assay.run.worker import serve; serve()"
DIED = "a worker process died; it may have run out of memory. Use fewer processes, or threads."


class Worker:
    """A process that applies one function to task after task."""

    def __init__(self, pickled: bytes) -> None:
        """Start the process, and send it a pickled function."""
        path = [str(folder) for folder in sys.path]  # scripts put a Path there, too
        self._process = Popen([sys.executable, "-c", _PROGRAM.format(path=path)], stdin=PIPE, stdout=PIPE)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._tasks, self._results = self._process.stdin, self._process.stdout
        self._function: bytes | None = pickled

    def apply(self, task: Any) -> Any:
        """Return the result for a task, or raise the exception that the function raised there."""
        try:
            if self._function is not None:
                pickle.dump(self._function, self._tasks)
                self._function = None
            pickle.dump(task, self._tasks)
            self._tasks.flush()
            failed, result = pickle.load(self._results)
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            raise EvaluatorError(DIED) from error
        if failed:
            raise result
        return result

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._results.close()
        try:
            self._tasks.close()
        except OSError:  # what was not sent yet has nowhere to go
            pass
        self._process.wait()


def serve() -> None:
    """Apply the function that arrives to all tasks that arrive."""
    tasks, results = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what evaluators print must not get between results
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    function: Callable[[Any], Any] | None = None
    pickled = pickle.load(tasks)
    while True:
        try:
            task = pickle.load(tasks)
        except EOFError:
            return
        try:
            if function is None:
                function = pickle.loads(pickled)
            reply = pickle.dumps((False, function(task)))
        except Exception as error:
            reply = _pickled_failure(error)
        results.write(reply)
        results.flush()


def _pickled_failure(error: Exception) -> bytes:
    try:
        reply = pickle.dumps((True, error))
        pickle.loads(reply)
    except Exception:  # some exceptions cannot be made again
        reply = pickle.dumps((True, EvaluatorError(f"{type(error).__name__}: {error}")))
    return reply
