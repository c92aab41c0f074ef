"""Calls that a subject may not make, for what they do to the machine or need from it (specification, 4)."""

from __future__ import annotations

import ast
import re

from annotator.mining.repository.scopes import dotted

_OS = ("unlink", "remove", "removedirs", "rmdir", "system", "rename", "mkdir", "makedirs", "listdir")
_KILLING = {"kill", "terminate", "killpg"}
_FILES = {"open", "read", "write", "load", "dump", "readlines", "writelines", "seek", "tell"}
_REMOVING = {"unlink", "rmdir", "rmtree", "send2trash"}
_MODULES = ("shutil", "glob")
_SUBPROCESS = {"run", "call", "check_call", "check_output", "Popen", "getoutput", "getstatusoutput", "system", "popen"}
_DANGEROUS_WORD = re.compile(r"(?<![\w-])(?:kill|rm|rmdir)(?![\w-])")

_PAPER = (
    ".kill(", ".terminate(", "sys.exit", ".unlink", ".rmdir", "rmtree", "send2trash", "open(", "read(", "write(",
    "load(", "dump(", "readlines(", "writelines(", "seek(", "tell(", "shutil.", "glob.", "os.path.",
    *(f"os.{name}" for name in _OS),
)  # fmt: skip
_PAPER_SUBPROCESS = re.compile(r"subprocess[^\n]*['\"](?:kill|rm|rmdir)['\"]")


def banned_calls(node: ast.AST) -> tuple[str, ...]:
    """Return the banned calls in a syntax tree, by name, each once, in order of appearance.

    Names are compared whole: ``csv.reader(...)`` is not a ``read``.
    """
    found: dict[str, None] = {}
    calls = [item for item in ast.walk(node) if isinstance(item, ast.Call)]
    for call in sorted(calls, key=_place):
        name = _banned(call)
        if name:
            found[name] = None
    return tuple(found)


def _place(node: ast.Call) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _banned(call: ast.Call) -> str:
    name = dotted(call.func)
    last = call.func.attr if isinstance(call.func, ast.Attribute) else name
    owner, _, _ = name.rpartition(".")
    root = name.partition(".")[0]
    if name in ("sys.exit", "os._exit", "exit", "quit"):
        return name
    if owner == "os" and last in (*_OS, "kill", "killpg"):
        return name
    if root == "os" and owner == "os.path":
        return name
    if root in _MODULES and owner:
        return name
    if last in _REMOVING or (isinstance(call.func, ast.Attribute) and last in _KILLING):
        return name or f".{last}"
    if root == "subprocess" and last in _SUBPROCESS and _dangerous(call):
        return f"{name} with {_dangerous(call)}"
    if last in _FILES and (isinstance(call.func, ast.Attribute) or last == "open"):
        return name or f".{last}"
    return ""


def _dangerous(call: ast.Call) -> str:
    for item in ast.walk(call):
        if isinstance(item, ast.Constant) and isinstance(item.value, str):
            found = _DANGEROUS_WORD.search(item.value)
            if found:
                return found.group()
    return ""


def banned_text(code: str) -> tuple[str, ...]:
    """Return the banned substrings in code, as the paper reads it: ``.reader(`` is no match, ``thread(`` is one."""
    found = [text for text in _PAPER if text in code]
    if _PAPER_SUBPROCESS.search(code):
        found.append("subprocess")
    return tuple(found)
