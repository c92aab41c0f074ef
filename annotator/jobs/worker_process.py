"""Run long work in a separate low-priority process, so that the window stays responsive.

The process is spawned with a fresh interpreter, so the work must be a module-level function with plain data as
arguments and results. Results come in parts, because unpickling a large one would block every thread of this process.
"""

from __future__ import annotations

import logging
import os
import threading
import traceback
from collections.abc import Callable, Generator, Iterable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from annotator.base import logs
from annotator.base.errors import InterruptedWorkError, KnownError
from annotator.jobs.progress import Cancelled, Progress

T = TypeVar("T")

NICENESS = 10
_POLL_INTERVAL_S = 0.05
_JOIN_TIMEOUT_S = 10.0


def run_in_process(work: Callable[..., Iterable[T]], arguments: tuple[Any, ...], progress: Progress) -> Generator[T]:
    """Yield the results of ``work(*arguments, progress)``, run in a separate process.

    ``progress`` shows the progress of the work, and can pause and cancel it. A `KnownError` of the work is raised here
    unchanged, any other error as a `RuntimeError` with its stack trace. Raises `InterruptedWorkError` if the process
    dies, such as when memory runs out. Closing the generator early ends the process.
    """
    context = get_context("spawn")
    connection, child_connection = context.Pipe()
    process = context.Process(
        target=_run_work, args=(child_connection, work, arguments), name="annotator-work", daemon=False
    )
    process.start()
    child_connection.close()
    try:
        yield from _receive(connection, progress)
    finally:
        # Closing the pipe stops the process at its next report.
        connection.close()
        process.join(_JOIN_TIMEOUT_S)
        if process.is_alive():
            process.terminate()
            process.join()
        process.close()


def lower_priority() -> None:
    """Lower this process's priority if the system supports it."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)


def _receive(connection: Connection, progress: Progress) -> Generator[Any]:
    last_order = "resume"
    while True:
        order = "pause" if progress.paused else "resume"
        if progress.cancelled:
            order = "cancel"
        if order != last_order:
            _send_order(connection, order)
            last_order = order
        if not connection.poll(_POLL_INTERVAL_S):
            continue
        try:
            message_type, content = connection.recv()
        except (EOFError, OSError) as error:
            if progress.cancelled:
                raise Cancelled from None
            raise InterruptedWorkError(
                "The work ended before it was finished, perhaps because memory ran out. Nothing was changed; start it "
                "again."
            ) from error
        if message_type == "progress":
            progress.tell(*content)
        elif message_type == "log":
            name, level, line = content
            logging.getLogger(name).log(level, "%s", line)
        elif message_type == "part":
            yield content
        elif message_type == "done":
            return
        elif message_type == "known":
            raise content
        else:
            raise RuntimeError(content)


def _send_order(connection: Connection, order: str) -> None:
    try:
        connection.send(order)
    except OSError:
        # The process has ended; its last messages are read before that is reported.
        return


def _run_work(connection: Connection, work: Callable[..., Iterable[Any]], arguments: tuple[Any, ...]) -> None:
    """Run the work and send its results; called in the worker process."""
    lower_priority()
    reporter = _Reporter(connection)
    logger = logging.getLogger(logs.LOGGER)
    logger.setLevel(logging.INFO)
    logger.addHandler(_LogForwarder(reporter))
    try:
        for part in work(*arguments, reporter.progress):
            reporter.send("part", part)
    except KnownError as error:
        reporter.send("known", error)
    except BaseException:  # noqa: BLE001 - every error is reported to the waiting process
        reporter.send("bug", traceback.format_exc())
    else:
        reporter.send("done", None)


class _Reporter:
    """The worker's end of the pipe: sends progress and results, and receives orders."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        # Reentrant, because a log record may be emitted while a message is being sent.
        self._send_lock = threading.RLock()
        self.progress = Progress(self._report)
        threading.Thread(target=self._listen, name="annotator-work-orders", daemon=True).start()

    def send(self, message_type: str, content: object) -> None:
        """Send a message; cancel the work if the other end is closed."""
        try:
            with self._send_lock:
                self._connection.send((message_type, content))
        except (BrokenPipeError, ConnectionError):
            self.progress.cancel()

    def _report(self, progress: Progress) -> None:
        self.send("progress", (progress.done, progress.total, progress.text))

    def _listen(self) -> None:
        orders = {"cancel": self.progress.cancel, "pause": self.progress.pause, "resume": self.progress.resume}
        while True:
            try:
                orders[self._connection.recv()]()
            except (EOFError, OSError):
                self.progress.cancel()
                return


class _LogForwarder(logging.Handler):
    """Sends log records to the main process, which writes the log file."""

    def __init__(self, reporter: _Reporter) -> None:
        super().__init__()
        self._reporter = reporter

    def emit(self, record: logging.LogRecord) -> None:
        """Send a line, with its stack trace."""
        self._reporter.send("log", (record.name, record.levelno, self.format(record)))
