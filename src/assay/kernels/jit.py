"""The one way a kernel is compiled: no Python objects, no global lock, compiled code kept on disk."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., object])


def jit(function: F) -> F:
    """Compile `function` for arrays. The second start of the program reads the machine code from disk."""
    return cast(F, numba.njit(cache=True, nogil=True)(function))
