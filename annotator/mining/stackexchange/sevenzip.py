"""One member of a 7z archive as a stream of blocks.

The library pushes what it unpacks into a writer; a thread and a short queue turn that into something to pull from.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from annotator.base.errors import BadInputError

# The library unpacks a packed megabyte at once: few of those may wait, and they are handed on in small pieces.
_AHEAD = 1
_PIECE = 256 * 1024


class _Stopped(Exception):  # noqa: N818 - not an error: nobody reads any longer
    """The reader has gone; raised inside the library to end its work."""


def member_sizes(path: Path) -> dict[str, int]:
    """Return the unpacked size of every file in the archive. Raises `BadInputError` if it is damaged or encrypted."""
    with _opened(path) as archive:
        return {item.filename: int(item.uncompressed) for item in archive.list() if not item.is_directory}


def member_blocks(path: Path, member: str) -> Generator[bytes]:
    """Yield the bytes of a member. Raises `BadInputError` where the archive is damaged (its checksum is checked)."""
    waiting: queue.Queue[bytes | BaseException | None] = queue.Queue(_AHEAD)
    stopped = threading.Event()

    def put(item: bytes | BaseException | None) -> None:
        while not stopped.is_set():
            try:
                waiting.put(item, timeout=0.1)
            except queue.Full:
                continue
            return
        raise _Stopped

    def unpack() -> None:
        try:
            with _opened(path) as archive:
                archive.extract(targets=[member], factory=_writers(put))
            put(None)
        except _Stopped:
            return
        except BaseException as error:  # noqa: BLE001 - handed to the reader's thread
            if not stopped.is_set():
                put(error)

    worker = threading.Thread(target=unpack, name="7z", daemon=True)
    worker.start()
    try:
        while (item := waiting.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            for place in range(0, len(item), _PIECE):
                yield item[place : place + _PIECE]
    finally:
        stopped.set()
        worker.join()


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    import py7zr
    from py7zr.exceptions import ArchiveError

    try:
        # Given a stream instead of a name, the library keeps to one thread.
        with path.open("rb") as stream, py7zr.SevenZipFile(stream, "r") as archive:
            if archive.needs_password():
                raise BadInputError(f"{path.name} is encrypted; unpack it first.")
            yield archive
    except (ArchiveError, EOFError, IndexError, KeyError, TypeError, ValueError, AssertionError) as error:
        # The library meets a damaged header with whatever its parser stumbles over.
        raise BadInputError(f"{path.name} is not a sound 7z archive ({error or type(error).__name__}).") from error


def _writers(put: Any) -> Any:
    from py7zr.io import Py7zIO, WriterFactory

    class Writer(Py7zIO):
        """Hands over what it is given, in order."""

        def __init__(self) -> None:
            self.written = 0

        def write(self, s: bytes | bytearray) -> int:
            if s:
                put(bytes(s))
            self.written += len(s)
            return len(s)

        def read(self, size: int | None = None) -> bytes:  # noqa: ARG002 - the library's
            return b""

        def seek(self, offset: int, whence: int = 0) -> int:  # noqa: ARG002 - the library's
            return 0

        def flush(self) -> None:
            return

        def size(self) -> int:
            return self.written

    class Factory(WriterFactory):
        """One writer: one member is asked for."""

        def create(self, filename: str) -> Py7zIO:  # noqa: ARG002 - the library's
            return Writer()

    return Factory()
