"""The one way kernels are compiled: nopython mode, GIL released, machine code cached on disk."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., object])


def jit(function: F) -> F:
    """Compile `function` with numba. Where no cache can be written, every process compiles it again."""
    try:
        compiled = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # numba finds no folder that it may write to
        compiled = numba.njit(nogil=True)(function)
    return cast(F, compiled)
