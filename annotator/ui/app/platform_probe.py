"""Try the window's platform in a child process: where Qt finds no screen or lacks a library, it aborts the process."""

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
        output = messages.read().decode(errors="replace")
    raise MissingEnvironmentError(explain_failure(output))


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
