"""Run long work in a process of its own at low priority, so that the window's interpreter stays free.

The process has a fresh interpreter, so the work is a function of a module; what goes in and comes out is plain data.
Results come in parts: unpickling a large one at once would stop every thread of this process.
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
    """Yield what ``work(*arguments, progress)`` yields in a process of its own.

    It is paused and cancelled by ``progress``, which shows how far it is. What it raises is raised here: a `KnownError`
    as it was, anything else as a `RuntimeError` with its stack trace. Raises `InterruptedWorkError` if the process ends
    without a word (killed, out of memory). Left early, the process is ended.
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
    """Lower this process's priority where the system can."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)


def _receive(ours: Connection, progress: Progress) -> Generator[Any]:
    sent = "resume"
    while True:
        wanted = "cancel" if progress.cancelled else "pause" if progress.paused else "resume"
        if wanted != sent:
            _send(ours, wanted)
            sent = wanted
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
    except BaseException:  # noqa: BLE001 - whatever it is, whoever waits is told
        reporter.send("bug", traceback.format_exc())
    else:
        reporter.send("done", None)


class _Reporter:
    """The process's side of the pipe: it sends progress and results, and receives orders."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        # A line of the log may be written while something is sent.
        self._sending = threading.RLock()
        self.progress = Progress(self._report)
        threading.Thread(target=self._listen, name="annotator-work-orders", daemon=True).start()

    def send(self, kind: str, content: object) -> None:
        """Send, unless nobody listens any more: then stop the work."""
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
    """Sends log records to the process that writes the file."""

    def __init__(self, reporter: _Reporter) -> None:
        super().__init__()
        self._reporter = reporter

    def emit(self, record: logging.LogRecord) -> None:
        """Send a line, with its stack trace."""
        self._reporter.send("log", (record.name, record.levelno, self.format(record)))
