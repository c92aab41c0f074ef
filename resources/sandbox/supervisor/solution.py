"""Load a candidate's Python code as a module."""

from __future__ import annotations

import linecache
import sys
import types
from typing import Any

NAME = "solution"
FILE = "solution.py"
_OF_ALL = frozenset((*vars(types.ModuleType(NAME)), "__annotations__", "__builtins__", "__cached__", "__file__"))


def load(code: str, name: str = NAME, file: str = FILE) -> types.ModuleType:
    """Run the code as module ``name`` and return it; whatever the code raises goes through."""
    module = types.ModuleType(name)
    module.__file__ = file
    sys.modules[name] = module
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    exec(compile(code, file, "exec", dont_inherit=True), module.__dict__)
    return module


def names_of(module: types.ModuleType) -> dict[str, Any]:
    """Return what the code defined, without what every module has."""
    return {name: value for name, value in vars(module).items() if name not in _OF_ALL}


def describe(error: BaseException, source: str = "") -> str:
    """Return an error as one line or two: its type and message, and the failing statement of the tests if known."""
    kind = type(error).__name__
    try:
        text = str(error)
    except Exception:
        text = ""
    line = ""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == source:
            line = linecache.getline(source, trace.tb_lineno).strip()
        trace = trace.tb_next
    message = f"{kind}: {text}" if text else kind
    return (f"{message} in {line}" if line and not text else message)[:2000]
