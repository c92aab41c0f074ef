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
_POLL_S = 0.05
_JOIN_S = 10.0


def run_in_process(work: Callable[..., Iterable[T]], arguments: tuple[Any, ...], progress: Progress) -> Generator[T]:
    """Yield the results of ``work(*arguments, progress)``, run in a separate process.

    ``progress`` pauses and cancels the work and mirrors its progress. A `KnownError` of the work is raised here
    unchanged, any other error as a `RuntimeError` with its stack trace. Raises `InterruptedWorkError` if the process
    dies (killed, out of memory). Closing the generator early ends the process.
    """
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs, work, arguments), name="annotator-work", daemon=False)
    process.start()
    theirs.close()
    try:
        yield from _receive(ours, progress)
    finally:
        # Closing the pipe stops the process at its next report.
        ours.close()
        process.join(_JOIN_S)
        if process.is_alive():
            process.terminate()
            process.join()
        process.close()


def lower_priority() -> None:
    """Lower this process's priority if the system supports it."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)


def _receive(ours: Connection, progress: Progress) -> Generator[Any]:
    last_order = "resume"
    while True:
        order = "cancel" if progress.cancelled else "pause" if progress.paused else "resume"
        if order != last_order:
            _send(ours, order)
            last_order = order
        if not ours.poll(_POLL_S):
            continue
        try:
            kind, content = ours.recv()
        except (EOFError, OSError) as error:
            if progress.cancelled:
                raise Cancelled from None
            raise InterruptedWorkError(
                "The work ended before it was done; perhaps memory ran out. Nothing was changed; start it again."
            ) from error
        if kind == "progress":
            progress.tell(*content)
        elif kind == "log":
            name, level, line = content
            logging.getLogger(name).log(level, "%s", line)
        elif kind == "part":
            yield content
        elif kind == "done":
            return
        elif kind == "known":
            raise content
        else:
            raise RuntimeError(content)


def _send(connection: Connection, word: str) -> None:
    try:
        connection.send(word)
    except OSError:
        # The process has ended; its last messages are still to be read.
        return


def _work(connection: Connection, work: Callable[..., Iterable[Any]], arguments: tuple[Any, ...]) -> None:
    """Do the work and send its results; runs in the worker process."""
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
        # Reentrant: a log record may be emitted while something is being sent.
        self._sending = threading.RLock()
        self.progress = Progress(self._report)
        threading.Thread(target=self._listen, name="annotator-work-orders", daemon=True).start()

    def send(self, kind: str, content: object) -> None:
        """Send a message; cancel the work if the other end is closed."""
        try:
            with self._sending:
                self._connection.send((kind, content))
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
    """Sends log records to the process that writes the log file."""

    def __init__(self, reporter: _Reporter) -> None:
        super().__init__()
        self._reporter = reporter

    def emit(self, record: logging.LogRecord) -> None:
        """Send a line, with its stack trace."""
        self._reporter.send("log", (record.name, record.levelno, self.format(record)))
