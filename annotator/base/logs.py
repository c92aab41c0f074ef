"""Logging: one file that rotates, without secrets and without what errors quote."""

from __future__ import annotations

import faulthandler
import logging
import traceback
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from annotator.base.secrets import redact

LOGGER = "annotator"


class RedactingFormatter(logging.Formatter):
    """A formatter that removes what looks like a secret from the finished line, and what errors say from stack traces.

    An error's text often quotes the value it could not use, which may be a subject's or an answer's.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line to write, redacted."""
        return redact(super().format(record))

    def formatException(  # noqa: N802 - logging's name
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None],
    ) -> str:
        """Return where an error and what caused it arose, and the kind of each."""
        parts: list[str] = []
        error = ei[1]
        while error is not None:
            kind = type(error)
            parts.append("".join(traceback.format_tb(error.__traceback__)) + f"{kind.__module__}.{kind.__qualname__}")
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        return "\nled to\n".join(reversed(parts))


class LogFile(logging.Handler):
    """Writes to a file that rotates. What rotates it is loaded with the first line, which most starts never write."""

    def __init__(self, path: Path) -> None:
        """Open the file once, to see that it can be written. Raises OSError if it cannot."""
        super().__init__()
        with path.open("a", encoding="utf-8"):
            self._path = path
        self._file: RotatingFileHandler | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        try:
            if self._file is None:
                self._file = RotatingFileHandler(self._path, maxBytes=1_000_000, backupCount=5, encoding="utf-8")
                self._file.setFormatter(self.formatter)
            self._file.emit(record)
        except OSError:
            self.handleError(record)

    def flush(self) -> None:
        """Write what is still held back."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
        super().close()


def set_up(folder: Path, level: int = logging.INFO) -> Path | None:
    """Log to ``folder/annotator.log`` (five files of 1 MB); return its path, or None if it cannot be written."""
    path = folder / "annotator.log"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handler = LogFile(path)
    except OSError:
        return None
    handler.setFormatter(RedactingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger(LOGGER)
    logger.addHandler(handler)
    logger.setLevel(level)
    return path


def watch_for_crashes(folder: Path) -> bool:
    """Let the interpreter write where it was if it is ended by a fault; return whether that happened last time.

    What was written then goes to the log, without secrets, and makes room for the next.
    """
    path = folder / "fault.txt"
    try:
        earlier = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        # Open for as long as the process lives: the interpreter writes to it when nothing else works any more.
        file = path.open("w", encoding="utf-8")
    except OSError:
        return False
    faulthandler.enable(file)
    if earlier.strip():
        logging.getLogger(LOGGER).error("the program was ended by a fault\n%s", earlier)
    return bool(earlier.strip())
