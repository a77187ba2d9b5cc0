"""The one way kernels are compiled: nopython mode, GIL released, machine code cached on disk."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., object])


def jit(function: F) -> F:
    """Compile `function` with numba."""
    return cast(F, numba.njit(cache=True, nogil=True)(function))
