"""Crash reports without project data or secrets: the error, its traceback, and the platform."""

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
_PATH_PARTS_SHOWN = 3


def crash_report(error: BaseException, facts: Mapping[str, str] | None = None, *, with_message: bool = False) -> str:
    """Return the text of a crash report.

    It holds versions, ``facts`` (such as the visible page), the error types and the traceback. Error messages are left
    out unless ``with_message`` is set, because they may quote a subject; values of variables are never included. Keys,
    the home folder and folder names are always removed.
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
    return scrub_report("\n".join([*lines, "", *_error_lines(error, with_message)])) + "\n"


def _error_lines(error: BaseException, with_message: bool) -> list[str]:
    """Return the lines of an error and its causes, root cause first, each with its frames."""
    lines: list[str] = []
    seen_ids: set[int] = set()
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and id(current) not in seen_ids:
        seen_ids.add(id(current))
        chain.append(current)
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    for item in reversed(chain):
        if lines:
            lines += ["", "which led to", ""]
        for frame in traceback.extract_tb(item.__traceback__):
            lines.append(f"  {_shorten_path(frame.filename)}:{frame.lineno} {frame.name}")
            if frame.line:
                lines.append(f"    {frame.line}")
        message = str(item) if with_message else (LEFT_OUT if str(item) else "")
        lines.append(f"{type(item).__module__}.{type(item).__qualname__}: {message}".rstrip(": "))
    return lines


def _shorten_path(filename: str) -> str:
    """Return the last parts of a source file's path, because the full path could identify the user."""
    return "/".join(Path(filename).parts[-_PATH_PARTS_SHOWN:])


def scrub_report(text: str) -> str:
    """Return a text without keys and the home folder, with other paths shortened to their last part."""
    text = redact(text)
    try:
        home = str(Path.home())
    except RuntimeError:
        home = ""
    if len(home) > 1:
        text = text.replace(home, "~")
    return _PATH.sub(_last_part, text)


def _last_part(match: re.Match[str]) -> str:
    return "…/" + re.split(r"[\\/]", match[0])[-1]
