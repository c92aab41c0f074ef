"""A report of a bug that holds nothing of the project: what failed where, and on what, with secrets taken out."""

from __future__ import annotations

import platform
import re
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path

from annotator import __version__
from annotator.base.clock import now_text
from annotator.base.secrets import redact

LEFT_OUT = "[left out: it may hold text of the project]"
_PATH = re.compile(r"(?<![\w/])(?:/[^\s/\"']+){2,}|[A-Za-z]:\\[^\s\"']+")
_SHOWN_PARTS = 3


def report(error: BaseException, facts: Mapping[str, str] | None = None, *, with_message: bool = False) -> str:
    """Return the text of a report.

    It has the versions, ``facts`` (such as the page shown), the kinds of the errors and the lines of code they passed.
    Messages of errors are left out unless ``with_message``, because they may quote a subject; values of variables never
    go in. Keys, the home folder and the names of folders are taken out either way.
    """
    head = {
        "annotator": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "frozen": str(bool(getattr(sys, "frozen", False))),
        "time": now_text(),
        **(facts or {}),
    }
    lines = [f"{name}: {value}" for name, value in head.items()]
    return scrubbed("\n".join([*lines, "", *_chain(error, with_message)])) + "\n"


def _chain(error: BaseException, with_message: bool) -> list[str]:
    """Return the errors that led to this one, first cause first, each with its frames."""
    found: list[str] = []
    seen: set[int] = set()
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        chain.append(current)
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    for item in reversed(chain):
        if found:
            found += ["", "which led to", ""]
        for frame in traceback.extract_tb(item.__traceback__):
            found.append(f"  {_short(frame.filename)}:{frame.lineno} {frame.name}")
            if frame.line:
                found.append(f"    {frame.line}")
        message = str(item) if with_message else (LEFT_OUT if str(item) else "")
        found.append(f"{type(item).__module__}.{type(item).__qualname__}: {message}".rstrip(": "))
    return found


def _short(filename: str) -> str:
    """Return a code file as its last parts: where things are installed says who works here."""
    return "/".join(Path(filename).parts[-_SHOWN_PARTS:])


def scrubbed(text: str) -> str:
    """Return a text without keys, without the home folder, and with other paths cut to their last part."""
    text = redact(text)
    try:
        home = str(Path.home())
    except RuntimeError:
        home = ""
    if len(home) > 1:
        text = text.replace(home, "~")
    return _PATH.sub(_last_part, text)


def _last_part(found: re.Match[str]) -> str:
    return "…/" + re.split(r"[\\/]", found[0])[-1]
