"""Logging to one rotating file without secrets and error messages, since messages may quote project data."""

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
    """A formatter that redacts secrets, and drops error messages from stack traces.

    An error's message often quotes the offending value, which may come from a subject or an answer.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line to write, redacted."""
        return redact(super().format(record))

    def formatException(  # noqa: N802 - logging's name
        self, ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
    ) -> str:
        """Return the traceback and type of an error and its causes, without their messages."""
        parts: list[str] = []
        error = ei[1]
        while error is not None:
            error_type = type(error)
            parts.append(
                "".join(traceback.format_tb(error.__traceback__)) + f"{error_type.__module__}.{error_type.__qualname__}"
            )
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        return "\nled to\n".join(reversed(parts))


class LogFile(logging.Handler):
    """A handler for a rotating file that opens it with the first record, since most runs log nothing."""

    def __init__(self, path: Path) -> None:
        """Check that the file is writable; raise OSError if it is not."""
        super().__init__()
        with path.open("a", encoding="utf-8"):
            self._path = path
        self._file: RotatingFileHandler | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record; open the file first if necessary."""
        try:
            if self._file is None:
                self._file = RotatingFileHandler(self._path, maxBytes=1_000_000, backupCount=5, encoding="utf-8")
                self._file.setFormatter(self.formatter)
            self._file.emit(record)
        except OSError:
            self.handleError(record)

    def flush(self) -> None:
        """Flush the file."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
        super().close()


def set_up_logging(folder: Path, level: int = logging.INFO) -> Path | None:
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
    """Enable `faulthandler` for this process; return whether the previous run crashed in native code.

    The previous traceback is copied to the log without secrets, and its file is emptied.
    """
    path = folder / "fault.txt"
    try:
        previous_traceback = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        # Stays open as long as the process lives: faulthandler writes to the descriptor during a crash.
        file = path.open("w", encoding="utf-8")
    except OSError:
        return False
    faulthandler.enable(file)
    if previous_traceback.strip():
        logging.getLogger(LOGGER).error("the previous run crashed\n%s", previous_traceback)
    return bool(previous_traceback.strip())
