"""Fingerprints of functions in memory: a hash of the bytecode and of every value it can reach.

A notebook function can be redefined under the same name without any version change. If a function reaches an object
whose content cannot be hashed (an open file, a model, a network client), it has no fingerprint and its results must not
be cached.
"""

from __future__ import annotations

import builtins
import dis
import functools
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from logging import Logger
from pathlib import PurePath
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from assay.io.code import module_fingerprint

PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
# Attributes of a class and of a module that do not affect, or only duplicate, what it computes.
IGNORED = ("__dict__", "__weakref__", "__doc__", "__dataclass_fields__", "__dataclass_params__", "__builtins__")
IGNORED_OF_MODULES = ("__spec__", "__loader__", "__file__", "__cached__", "__path__", "__doc__", "__builtins__")


def live_fingerprint(*functions: Callable[..., Any] | None) -> str | None:
    """A fingerprint of these functions; None if they cannot be hashed."""
    try:
        return _Walk().of(functions).hex()
    except (_Unknown, RecursionError):
        return None


class _Unknown(Exception):
    """A value whose content cannot be hashed."""


class _Walk:
    """Hashes values by content. A value met again, as in a recursive function, is hashed by its index in the walk."""

    def __init__(self) -> None:
        self._met: dict[int, int] = {}
        self._alive: list[Any] = []  # an id is valid only while its object lives

    def of(self, value: Any) -> bytes:
        if type(value) in PLAIN or isinstance(value, PurePath):
            return _hash(type(value).__name__, repr(value))
        if id(value) in self._met:
            return _hash("met", str(self._met[id(value)]))
        self._met[id(value)] = len(self._met)
        self._alive.append(value)
        return self._content(value)

    def _content(self, value: Any) -> bytes:
        match value:
            case tuple() | list():
                return _hash("sequence", self.of(type(value)), *map(self.of, value))
            case MappingProxyType():
                return _hash("view", self.of(dict(value)))
            case dict():
                missing = self.of(getattr(value, "default_factory", None))
                pairs = (part for pair in value.items() for part in map(self.of, pair))
                return _hash("dict", self.of(type(value)), missing, *pairs)
            case set() | frozenset():
                parts = sorted(value, key=lambda part: (type(part).__name__, repr(part)))
                return _hash("set", self.of(type(value)), *map(self.of, parts))
            case np.ndarray() | np.generic() if not value.dtype.hasobject:
                return _hash("array", str(value.dtype), str(value.shape), np.ascontiguousarray(value).tobytes())
            case re.Pattern():
                return _hash("pattern", repr(value.pattern), str(value.flags))
            case Logger():
                return _hash("logger")
            case ModuleType():
                return self._module(value)
            case CodeType():
                return self._code(value)
            case functools.partial():
                return _hash("partial", *map(self.of, (value.func, value.args, value.keywords)))
            case MethodType():
                return _hash("method", *map(self.of, (value.__func__, value.__self__)))
            case property():
                return _hash("property", *map(self.of, (value.fget, value.fset)))
            case staticmethod() | classmethod():
                return _hash(type(value).__name__, self.of(value.__func__))
            case MemberDescriptorType():
                return _hash("slot", value.__name__)
            case type():
                return self._class(value)
            case FunctionType():
                return self._function(value)
        if isinstance(value, BuiltinFunctionType) and isinstance(value.__self__, PLAIN):
            return _hash("method", value.__name__, self.of(value.__self__))
        if is_dataclass(value):
            fields_ = {field.name: getattr(value, field.name, None) for field in fields(value)}
            return _hash("dataclass", self.of(type(value)), self.of(fields_ | getattr(value, "__dict__", {})))
        if type(value).__module__ == "typing":
            return _hash("type", repr(value))
        return self._importable(value)

    def _importable(self, value: Any) -> bytes:
        """Values importable from an installed package: compiled functions, and functions with a cache."""
        installed = _installed_name(value)
        if installed is not None:
            return _hash("named", installed)
        if isinstance(value, functools._lru_cache_wrapper):
            return _hash("with a cache", self.of(value.__wrapped__))
        raise _Unknown

    def _function(self, value: FunctionType) -> bytes:
        cells = [cell.cell_contents for cell in value.__closure__ or () if _is_filled(cell)]
        parts = map(self.of, (value.__defaults__, value.__kwdefaults__, cells, value.__dict__))
        # Not by `__module__`, which decorators copy, but by the globals that the code itself uses.
        scope = value.__globals__
        module = sys.modules.get(str(scope.get("__name__")))
        installed = module_fingerprint(module.__name__) if module and vars(module) is scope else None
        reached = [installed.encode()] if installed is not None else self._reached(value.__code__, scope)
        return _hash("function", self.of(value.__code__), *parts, *reached)

    def _class(self, value: type) -> bytes:
        installed = _installed_name(value)
        if installed is not None:
            return _hash("named", installed)
        attributes = {name: part for name, part in vars(value).items() if name not in IGNORED}
        return _hash("class", value.__qualname__, *map(self.of, value.__bases__), self.of(attributes))

    def _module(self, value: ModuleType) -> bytes:
        """A module that is not installed is hashed by its contents: its file may have changed since the import."""
        installed = module_fingerprint(value.__name__)
        if installed is not None:
            return _hash("module", value.__name__, installed)
        return _hash("module", self.of({k: v for k, v in vars(value).items() if k not in IGNORED_OF_MODULES}))

    def _code(self, code: CodeType) -> bytes:
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        shape = (code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount, code.co_flags)
        constants = map(self.of, code.co_consts)
        return _hash("code", sys.version, code.co_code, code.co_exceptiontable, repr((names, shape)), *constants)

    def _reached(self, code: CodeType, scope: Mapping[str, Any]) -> Iterable[bytes]:
        """Hashes of the globals and modules that the code, and its nested functions, refer to by name."""
        for instruction in dis.get_instructions(code):
            name = instruction.argval
            if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                if name in scope:
                    yield _hash(name, self.of(scope[name]))
                elif not hasattr(builtins, name):
                    yield _hash(name, "nowhere")
            elif instruction.opname == "IMPORT_NAME":
                if name not in sys.modules:  # a relative import, or one not executed yet
                    raise _Unknown
                yield self.of(sys.modules[name])
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from self._reached(constant, scope)


def _installed_name(value: Any) -> str | None:
    """The qualified name of a value of an installed module, and that module's fingerprint; None for other values."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", getattr(value, "__name__", ""))
    if not isinstance(module, str) or not isinstance(name, str):
        return None
    target: Any = sys.modules.get(module)
    for part in name.split("."):
        target = getattr(target, part, None)
    code = module_fingerprint(module) if target is value else None
    return None if code is None else f"{module}.{name} {code}"


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def _hash(*parts: str | bytes) -> bytes:
    digest = blake2b(digest_size=16)
    for part in parts:
        content = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.digest()
