"""Loads Qt's binding sooner: its own Python parts are compiled once, not at every start.

The binding carries a dozen Python files inside its library and compiles them whenever it is imported, and with them
three regular expressions that only describe calls. That is a quarter of the time to a bare window. The bytecode is
kept where Python keeps this module's, and the expressions are built when they are used.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import importlib.util
import marshal
import os
import re
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from types import CodeType
from typing import Any

_FIRST = "PySide6.QtCore"
_CARRIED_NAME = "shibokensupport"
_CARRIED = f"{_CARRIED_NAME}/"
"""How the names of the files begin that the binding carries within it."""
_DIGEST = 8


def load() -> None:
    """Import Qt's core, with the bytecode kept at an earlier start if it is still of the same files.

    Raises ImportError where Qt's binding is not installed or cannot be loaded. Call it before another thread runs.
    """
    if _FIRST in sys.modules:
        return
    kept = KeptCode(kept_path())
    compiling = builtins.compile
    building = re.compile
    builtins.compile = kept.compiling(compiling)
    re.compile = _building_later(building)  # type: ignore[assignment]
    try:
        importlib.import_module(_FIRST)
    finally:
        builtins.compile = compiling
        re.compile = building
    kept.write()
    _import_plainly()


def _import_plainly() -> None:
    """Put Python's own import back.

    The binding replaces it, so that a file may ask for other names of its methods. We never do, and it would read and
    keep the source of every module that is imported from now on, to see whether it mentions the binding.
    """
    own = getattr(builtins, "__orig_import__", None)
    if own is not None and builtins.__import__ is getattr(builtins, "__feature_import__", None):
        builtins.__import__ = own


def _building_later(building: Callable[..., re.Pattern[str]]) -> Callable[..., re.Pattern[str] | Later]:
    """Return ``building``, which is `re.compile`, so that what the carried files ask for is built when it is used."""

    def build_or_wait(pattern: Any, flags: Any = 0) -> re.Pattern[str] | Later:
        asking = str(sys._getframe(1).f_globals.get("__name__"))
        return (
            Later(partial(building, pattern, flags)) if asking.startswith(_CARRIED_NAME) else building(pattern, flags)
        )

    return build_or_wait


class Later:
    """A regular expression that is built when it is first used; its methods can be taken from it before."""

    def __init__(self, build: Callable[[], re.Pattern[str]]) -> None:
        """Remember how it is built."""
        self._build = cache(build)

    def __getattr__(self, name: str) -> Any:
        """Return a method that builds it when it is called, or what else the expression knows."""
        return partial(self._call, name) if callable(getattr(re.Pattern, name)) else getattr(self._build(), name)

    def _call(self, name: str, *given: Any, **named: Any) -> Any:
        return getattr(self._build(), name)(*given, **named)


def kept_path() -> Path:
    """Return the file of the bytecode: beside that of this module, of this version of Python and this optimisation."""
    mine = Path(importlib.util.cache_from_source(__file__))
    return mine.with_name(f"{mine.stem}-support.bin")


class KeptCode:
    """Bytecode by the digest of its source, in one file: what is missing is compiled, what is unreadable is ignored."""

    def __init__(self, path: Path) -> None:
        """Read the file, if it is there and whole."""
        self._path = path
        self._kept = _read(path)
        self._used: dict[bytes, CodeType] = {}

    def compiling(self, compiling: Callable[..., Any]) -> Callable[..., Any]:
        """Return ``compiling``, Python's own, so that it hands out what is kept of the files the binding carries."""

        def compile_or_take(source: Any, filename: Any, mode: str, *rest: Any, **named: Any) -> Any:
            if not isinstance(source, bytes) or not str(filename).startswith(_CARRIED) or rest or named:
                return compiling(source, filename, mode, *rest, **named)
            digest = importlib.util.source_hash(source)
            if digest not in self._used:
                self._used[digest] = self._kept.get(digest) or compiling(source, filename, mode)
            return self._used[digest]

        return compile_or_take

    def write(self) -> None:
        """Keep what was wanted now, if anything is new; where nothing can be written, the next start compiles again."""
        if self._used.keys() <= self._kept.keys() or sys.dont_write_bytecode:
            return
        content = marshal.dumps(self._used)
        new = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            new.write_bytes(importlib.util.MAGIC_NUMBER + importlib.util.source_hash(content) + content)
            new.replace(self._path)


def _read(path: Path) -> dict[bytes, CodeType]:
    """Return the bytecode in a file by the digests of the sources; nothing, if it is another Python's or not whole."""
    try:
        found = path.read_bytes()
    except OSError:
        return {}
    magic = importlib.util.MAGIC_NUMBER
    digest, content = found[len(magic) : len(magic) + _DIGEST], found[len(magic) + _DIGEST :]
    if not found.startswith(magic) or digest != importlib.util.source_hash(content):
        return {}
    codes = marshal.loads(content)  # noqa: S302 - written by this module where Python keeps bytecode, and whole
    return codes if isinstance(codes, dict) else {}
