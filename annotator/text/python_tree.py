"""Read Python from several threads at once: one at a time, without warnings.

CPython 3.11 counts the depth of a tree in one place for all threads and raises `SystemError` if they meet there
(python/cpython issue 106905); hiding warnings is no business of several threads either.
"""

from __future__ import annotations

import ast
import threading
import warnings
from typing import Literal, overload

UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_TRIES = 20
_LOCK = threading.Lock()


@overload
def read_tree(code: str, mode: Literal["exec"] = "exec") -> ast.Module: ...


@overload
def read_tree(code: str, mode: Literal["eval"]) -> ast.Expression: ...


def read_tree(code: str, mode: Literal["exec", "eval"] = "exec") -> ast.Module | ast.Expression:
    """Return the tree of a program, or of one expression. Raises one of ``UNREADABLE`` for text that is neither."""
    for left in range(_TRIES, 0, -1):
        try:
            with _LOCK, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(code) if mode == "exec" else ast.parse(code, mode="eval")
        except SystemError:
            # Another thread, outside our lock, was reading at the same moment.
            if left == 1:
                raise
    raise AssertionError
