"""Long work in a process of its own, which leaves the window's interpreter alone and runs behind everything else.

The process has a fresh interpreter, so the work is a function of a module; what goes in and comes out is plain data. It
hands out its results in parts: taking in a large one at once would stop every thread of this process.
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
_LOOK_S = 0.05
_END_S = 10.0


def apart(work: Callable[..., Iterable[T]], arguments: tuple[Any, ...], progress: Progress) -> Generator[T]:
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
        yield from _taken(ours, progress)
    finally:
        # Whoever holds the other end hears that nobody listens any more, and stops at its next report.
        ours.close()
        process.join(_END_S)
        if process.is_alive():
            process.terminate()
            process.join()
        process.close()


def give_way() -> None:
    """Let everything else on the machine come before this process, where the system knows how."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)


def _taken(ours: Connection, progress: Progress) -> Generator[Any]:
    told = "resume"
    while True:
        wanted = "cancel" if progress.cancelled else "pause" if progress.paused else "resume"
        if wanted != told:
            _say(ours, wanted)
            told = wanted
        if not ours.poll(_LOOK_S):
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


def _say(connection: Connection, word: str) -> None:
    try:
        connection.send(word)
    except OSError:
        # It has ended meanwhile; what it said last is still to be read.
        return


def _work(connection: Connection, work: Callable[..., Iterable[Any]], arguments: tuple[Any, ...]) -> None:
    """Do the work and tell of it; runs in the process."""
    give_way()
    told = _Told(connection)
    logger = logging.getLogger(logs.LOGGER)
    logger.setLevel(logging.INFO)
    logger.addHandler(_Lines(told))
    try:
        for part in work(*arguments, told.progress):
            told.tell("part", part)
    except KnownError as error:
        told.tell("known", error)
    except BaseException:  # noqa: BLE001 - whatever it is, whoever waits is told
        told.tell("bug", traceback.format_exc())
    else:
        told.tell("done", None)


class _Told:
    """The process's side: what it tells, and what it is told."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        # A line of the log may be written while something is sent.
        self._sending = threading.RLock()
        self.progress = Progress(self._report)
        threading.Thread(target=self._listen, name="annotator-work-orders", daemon=True).start()

    def tell(self, kind: str, content: object) -> None:
        """Send, unless nobody listens any more: then stop the work."""
        try:
            with self._sending:
                self._connection.send((kind, content))
        except (BrokenPipeError, ConnectionError):
            self.progress.cancel()

    def _report(self, progress: Progress) -> None:
        self.tell("progress", (progress.done, progress.total, progress.text))

    def _listen(self) -> None:
        orders = {"cancel": self.progress.cancel, "pause": self.progress.pause, "resume": self.progress.resume}
        while True:
            try:
                orders[self._connection.recv()]()
            except (EOFError, OSError):
                self.progress.cancel()
                return


class _Lines(logging.Handler):
    """Hands lines of the log to the process that writes the file."""

    def __init__(self, told: _Told) -> None:
        super().__init__()
        self._told = told

    def emit(self, record: logging.LogRecord) -> None:
        """Send a line, with its stack trace."""
        self._told.tell("log", (record.name, record.levelno, self.format(record)))
