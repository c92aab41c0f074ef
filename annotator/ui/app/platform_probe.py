"""Test in a child process whether Qt can show a window, because Qt aborts the process if a library is missing."""

from __future__ import annotations

import os
import sys
import tempfile

from PySide6.QtGui import QGuiApplication

from annotator.base.errors import MissingEnvironmentError
from annotator.services.program.window_reasons import explain_failure

if sys.platform != "win32":
    import resource


def check_platform() -> None:
    """Raise `MissingEnvironmentError` with the reason if no window can be shown; must be called before Qt starts.

    Only on Linux can the platform be missing. The test forks, which takes 10 ms; a new process takes half a second.
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
        output = messages.read().decode(errors="replace")
    raise MissingEnvironmentError(explain_failure(output))


def _start_and_exit(messages: int) -> None:
    """Start Qt in the child and exit at once with `os._exit`, skipping the parent's exit handlers."""
    try:
        os.dup2(messages, 1)
        os.dup2(messages, 2)
        if sys.platform != "win32":
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        QGuiApplication(sys.argv[:1])
    except BaseException:  # noqa: BLE001 - the exit status reports any failure
        os._exit(1)
    os._exit(0)
