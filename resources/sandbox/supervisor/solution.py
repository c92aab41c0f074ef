"""Load a candidate's Python code as a module."""

from __future__ import annotations

import contextlib
import linecache
import os
import re
import sys
import types
from typing import Any

NAME = "solution"
FILE = "solution.py"
_SPAWNS = re.compile(r"""["'](?:spawn|forkserver)["']""")
_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_PLAIN = frozenset((bool, bytes, complex, float, int, str, type(None)))
_HELD = frozenset((dict, frozenset, list, set, tuple))
_PARTS, _LETTERS = 100, 1000
_VALUE = 200
_ANSWER: list[Any] = []
"""The last plain value that a call from the tests returned; empty for another value, or without a call."""
_OF_ALL = frozenset((*vars(types.ModuleType(NAME)), "__annotations__", "__builtins__", "__cached__", "__file__"))


def load(code: str, name: str = NAME, file: str = FILE) -> types.ModuleType:
    """Run the code as module ``name`` and return it; whatever the code raises goes through."""
    module = types.ModuleType(name)
    module.__file__ = file
    sys.modules[name] = module
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    if name == NAME and _SPAWNS.search(code):
        _leave_file(code)
    exec(compile(code, file, "exec", dont_inherit=True), module.__dict__)
    return module


def _leave_file(code: str) -> None:
    """Write the code where a Python that it spawns will import it from."""
    with contextlib.suppress(OSError), open(FILE, "x", encoding="utf-8", errors="surrogatepass") as stream:
        stream.write(code)
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())


def names_of(module: types.ModuleType) -> dict[str, Any]:
    """Return what the code defined, without what every module has."""
    return {name: value for name, value in vars(module).items() if name not in _OF_ALL}


def note_answer(value: Any) -> None:
    """Remember what a call from the tests returned, to be told where a comparison fails."""
    _ANSWER[:] = [value] if is_plain(value) else []


def is_plain(value: Any) -> bool:
    """Tell whether a value is small and made of Python's own values alone: to show it runs no code of others."""
    parts, count = [value], 0
    while parts:
        part = parts.pop()
        count += 1
        kind = type(part)
        if count > _PARTS or (kind not in _PLAIN and kind not in _HELD):
            return False
        # To write a huge text or number costs what the tests have no time and memory for.
        if (kind in (str, bytes) and len(part) > _LETTERS) or (kind is int and part.bit_length() > _LETTERS):
            return False
        if kind in _HELD:
            if len(part) > _PARTS:
                return False
            parts += [*part, *part.values()] if kind is dict else part
    return True


def _values(frame: types.FrameType, line: str) -> str:
    """Return what stood behind the names of a failed comparison, and what the last call returned."""
    notes = []
    for name in dict.fromkeys(_WORD.findall(line)):
        value = frame.f_locals.get(name, frame)
        if value is not frame and is_plain(value):
            notes.append(f"{name} = {repr(value)[:_VALUE]}")
    if _ANSWER:
        notes.append(f"the last call returned {repr(_ANSWER[0])[:_VALUE]}")
    return f" ({', '.join(notes)})" if notes else ""


def describe(error: BaseException, source: str = "") -> str:
    """Return an error as one line or two: its type and message, and the failing statement of the tests if known."""
    kind = type(error).__name__
    try:
        text = str(error)
    except Exception:
        text = ""
    line = values = ""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == source:
            line = linecache.getline(source, trace.tb_lineno).strip()
            values = _values(trace.tb_frame, line) if type(error) is AssertionError and not text else ""
        trace = trace.tb_next
    message = f"{kind}: {text}" if text else kind
    return (f"{message} in {line}{values}" if line and not text else message)[:2000]
