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
    header = {
        "annotator": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "frozen": str(bool(getattr(sys, "frozen", False))),
        "time": now_text(),
        **(facts or {}),
    }
    lines = [f"{name}: {value}" for name, value in header.items()]
    return scrub_report("\n".join([*lines, "", *_error_lines(error, with_message)])) + "\n"


def _error_lines(error: BaseException, with_message: bool) -> list[str]:
    """Return the lines of an error and its causes, root cause first, each with its frames."""
    lines: list[str] = []
    visited_ids: set[int] = set()
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and id(current) not in visited_ids:
        visited_ids.add(id(current))
        chain.append(current)
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    for chained_error in reversed(chain):
        if lines:
            lines += ["", "which led to", ""]
        for frame in traceback.extract_tb(chained_error.__traceback__):
            lines.append(f"  {_shorten_path(frame.filename)}:{frame.lineno} {frame.name}")
            if frame.line:
                lines.append(f"    {frame.line}")
        message = str(chained_error) if with_message else (LEFT_OUT if str(chained_error) else "")
        lines.append(f"{type(chained_error).__module__}.{type(chained_error).__qualname__}: {message}".rstrip(": "))
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
