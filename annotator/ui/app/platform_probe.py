"""Try the window's platform in a child process: where Qt finds no screen or lacks a library, it aborts the process."""

from __future__ import annotations

import os
import re
import sys
import tempfile

from PySide6.QtGui import QGuiApplication

from annotator.base.errors import MissingEnvironmentError
from annotator.services.program.window_libraries import installation_advice, missing_packages

if sys.platform != "win32":
    import resource

_COMMANDS = "The commands work without a window: annotator --help."
_NO_DISPLAY = re.compile(r"could not connect to display (\S*)|Failed to create wl_display")
_FORBIDDEN = re.compile(r'Could not find the Qt platform plugin "([^"]*)"')


def check_platform() -> None:
    """Raise `MissingEnvironmentError` with the reason if no window can be shown; call it before Qt is started.

    Only Linux has several platforms that can be missing. A fork takes 10 ms; a fresh process would take half a second.
    """
    if sys.platform != "linux" or QGuiApplication.instance() is not None:
        return
    with tempfile.TemporaryFile() as messages:
        child = os.fork()
        if child == 0:
            _start_and_exit(messages.fileno())
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status) == 0:
            return
        messages.seek(0)
        said = messages.read().decode(errors="replace")
    raise MissingEnvironmentError(explain(said))


def _start_and_exit(messages: int) -> None:
    """Start Qt in the child and end it, whatever happens, without anything that the parent's exit would do."""
    try:
        os.dup2(messages, 1)
        os.dup2(messages, 2)
        if sys.platform != "win32":
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        QGuiApplication(sys.argv[:1])
    except BaseException:  # noqa: BLE001 - the child has nobody to tell; its status says it
        os._exit(1)
    os._exit(0)


def explain(said: str) -> str:
    """Return one sentence for what Qt said before it gave up."""
    if forbidden := _FORBIDDEN.search(said):
        return f"Qt has no platform {forbidden[1]}; check the variable QT_QPA_PLATFORM. {_COMMANDS}"
    if advice := installation_advice(missing_packages()):
        return f"The window cannot be shown: libraries of the system are missing. {advice} {_COMMANDS}"
    shown = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if _NO_DISPLAY.search(said) and not shown:
        return f"The window needs a screen, and DISPLAY and WAYLAND_DISPLAY are not set. {_COMMANDS}"
    if _NO_DISPLAY.search(said):
        return f"The window cannot reach the screen {shown}: it does not answer, or refuses this user. {_COMMANDS}"
    last = next((line for line in said.splitlines() if line.strip()), "it gave no reason")
    return f"The window cannot be shown: Qt does not start here ({last}). {_COMMANDS}"
