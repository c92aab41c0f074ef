"""Loads Qt's binding sooner: its own Python parts are compiled once, not at every start.

The binding carries a dozen Python files inside its library and compiles them whenever it is imported, and with them
three regular expressions that only describe calls. That is a quarter of the time to a bare window. Copies of the
files are kept beside the bytecode of this module, so that Python keeps theirs; the expressions are built when used.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Callable
from functools import cache, partial
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

from annotator.ui import enumerations

_BINDING, _FIRST = "PySide6", "QtCore"
_CARRIED_NAME = "shibokensupport"
_CARRIED = f"{_CARRIED_NAME}/"
"""How the names of the files begin that the binding carries within it."""
_SUFFIX = ".carried"
"""How the copies' names end: who looks for Python's files in our folders is to find ours alone."""


def load() -> None:
    """Import Qt's core, with the bytecode kept at an earlier start if it is still of the same files.

    Raises ImportError where Qt's binding is not installed or cannot be loaded. Call it before another thread runs.
    """
    first = f"{_BINDING}.{_FIRST}"
    if first in sys.modules:
        return
    enumerations.install()
    kept = KeptCode(kept_folder())
    compiling = builtins.compile
    building = re.compile
    builtins.compile = kept.compiling(compiling)
    re.compile = _building_later(building)  # type: ignore[assignment]
    try:
        importlib.import_module(first)
    finally:
        builtins.compile = compiling
        re.compile = building
    kept.tidy()
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


def kept_folder() -> Path:
    """Return where the files are kept: beside the bytecode of this module, of this version of Python."""
    mine = Path(importlib.util.cache_from_source(__file__))
    return mine.with_name(f"{mine.stem}-support")


class KeptCode:
    """The carried files in a folder, by the digest of what they hold, so that Python keeps bytecode of them."""

    def __init__(self, folder: Path) -> None:
        """Look at nothing yet."""
        self._folder = folder
        self._used: set[str] = set()
        self._is_new = False

    def compiling(self, compiling: Callable[..., Any]) -> Callable[..., Any]:
        """Return ``compiling``, Python's own, so that it hands out what is kept of the files the binding carries."""

        def compile_or_take(source: Any, filename: Any, mode: str, *rest: Any, **named: Any) -> Any:
            if isinstance(source, bytes) and str(filename).startswith(_CARRIED) and not rest and not named:
                code = self._take(source)
                if code is not None:
                    return code
            return compiling(source, filename, mode, *rest, **named)

        return compile_or_take

    def _take(self, source: bytes) -> CodeType | None:
        """Return the code of a file as Python kept it; None where nothing can be kept or what is there is not whole."""
        file = self._folder / f"{importlib.util.source_hash(source).hex()}{_SUFFIX}"
        try:
            if not file.exists():
                if sys.dont_write_bytecode:
                    return None
                self._write(file, source)
            self._used.add(file.name)
            return SourceFileLoader(file.stem, str(file)).get_code(file.stem)
        except (OSError, ImportError, EOFError, ValueError, TypeError):
            with contextlib.suppress(OSError):
                Path(importlib.util.cache_from_source(str(file))).unlink(missing_ok=True)
            return None

    def _write(self, file: Path, source: bytes) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        new = file.with_suffix(f".{os.getpid()}")
        new.write_bytes(source)
        new.replace(file)
        self._is_new = True

    def tidy(self) -> None:
        """Throw away what an earlier version of the binding carried, if something of this one is new."""
        if not self._is_new:
            return
        with contextlib.suppress(OSError):
            for file in self._folder.glob(f"*{_SUFFIX}"):
                if file.name not in self._used:
                    Path(importlib.util.cache_from_source(str(file))).unlink(missing_ok=True)
                    file.unlink()
