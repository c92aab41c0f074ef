"""The bytes of a dump in blocks, whatever it is packed in; never more of it in memory than a few blocks."""

from __future__ import annotations

import bz2
import gzip
import lzma
import queue
import sys
import threading
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import py7zr
from py7zr.exceptions import ArchiveError
from py7zr.io import Py7zIO, WriterFactory

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.open_files import refuse_project

BLOCK = 256 * 1024
POSTS = "posts.xml"
# A packed file may ask its reader for gigabytes of dictionary: that is refused instead of given.
DICTIONARY_LIMIT = 512 * 1024 * 1024
_MAGIC = ((b"7z\xbc\xaf\x27\x1c", "7z"), (b"PK\x03\x04", "zip"), (b"PK\x05\x06", "zip"), (b"\x1f\x8b", "gz"),
          (b"\xfd7zXZ\x00", "xz"), (b"\x28\xb5\x2f\xfd", "zst"), (b"BZh", "bz2"))  # fmt: skip


def kind(path: Path) -> str:
    """Return how a file is packed, by its first bytes: 7z, zip, gz, xz, zst, bz2, or "" for a plain one.

    Raises `BadInputError` if there is no such file.
    """
    if not path.is_file():
        raise BadInputError(
            f"There is no file {path.name}. Give the Posts.xml of a dump, or the archive that holds it."
        )
    refuse_project(path)
    try:
        with path.open("rb") as stream:
            head = stream.read(8)
    except OSError as error:
        raise MissingEnvironmentError(f"{path.name} cannot be read ({error.strerror}).") from error
    return next((name for magic, name in _MAGIC if head.startswith(magic)), "")


def blocks(path: Path, start: int = 0, member: str | None = None) -> Generator[bytes]:
    """Yield a dump's unpacked bytes in blocks, from the byte ``start`` on.

    In a 7z or zip archive the member ``Posts.xml`` is read, or the one named. A plain file starts at once; a packed one
    is unpacked up to ``start``. Raises `BadInputError` for a damaged, encrypted or ambiguous archive. Close the
    generator if it is left early.
    """
    packing = kind(path)
    try:
        yield from _unpacked(path, packing, start, member)
    except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, NotImplementedError) as error:
        raise BadInputError(f"{path.name} is not a sound {packing or 'file'} ({error}).") from error
    except RuntimeError as error:
        if packing != "zip":
            raise
        raise BadInputError(f"{path.name} is encrypted; unpack it first ({error}).") from error
    except OSError as error:
        # A damaged gz or bz2 file is an OSError without a number.
        if error.errno is None:
            raise BadInputError(f"{path.name} is not a sound {packing} file ({error}).") from error
        raise MissingEnvironmentError(f"{path.name} cannot be read ({error.strerror}).") from error


def _unpacked(path: Path, packing: str, start: int, member: str | None) -> Iterator[bytes]:
    if packing == "7z":
        with closing(member_blocks(path, choose(path, member_sizes(path), member))) as found:
            yield from _after(found, start)
    elif packing == "zip":
        with zipfile.ZipFile(path) as archive:
            sizes = {item.filename: item.file_size for item in archive.infolist() if not item.is_dir()}
            with archive.open(choose(path, sizes, member)) as inner:
                yield from _after(_pieces(cast(BinaryIO, inner)), start)
    elif packing == "zst":
        yield from _after(_zstandard(path), start)
    else:
        with _single(path, packing) as stream:
            if not packing:
                stream.seek(start)
                start = 0
            yield from _after(_pieces(stream), start)


def choose(path: Path, sizes: dict[str, int], member: str | None) -> str:
    """Return the member to read; raises `BadInputError` listing what there is if it is not clear which."""
    if member is not None:
        if member in sizes:
            return member
        raise BadInputError(f"{path.name} has no member {member}; there are: {_list_names(sizes)}.")
    posts = [name for name in sizes if name.replace("\\", "/").rpartition("/")[2].lower() == POSTS]
    documents = [name for name in sizes if name.lower().endswith(".xml")]
    for names in (posts, documents):
        if len(names) == 1:
            return names[0]
        if names:
            raise BadInputError(f"{path.name} holds several dumps ({_list_names(names)}); say which member to read.")
    raise BadInputError(f"{path.name} has no Posts.xml; there are: {_list_names(sizes)}.")


def _list_names(names: dict[str, int] | list[str]) -> str:
    shown = [*names][:8]
    return ", ".join(shown) + (", …" if len(names) > len(shown) else "") if shown else "no members"


def _single(path: Path, packing: str) -> BinaryIO:
    if packing == "gz":
        return cast(BinaryIO, gzip.open(path, "rb"))
    if packing == "bz2":
        return cast(BinaryIO, bz2.open(path, "rb"))
    if packing == "xz":
        _check_dictionary(path)
        return cast(BinaryIO, lzma.open(path, "rb"))
    return path.open("rb")


def _check_dictionary(path: Path) -> None:
    """Refuse an xz file that asks for more memory than a dump may take; its first block says how much."""
    try:
        with path.open("rb") as stream:
            lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=DICTIONARY_LIMIT).decompress(stream.read(4096), max_length=1)
    except lzma.LZMAError as error:
        if "limit" in str(error):
            raise BadInputError(f"{path.name} needs more than {DICTIONARY_LIMIT >> 20} MB to unpack.") from error
        raise


def _zstandard(path: Path) -> Iterator[bytes]:
    # A window over 128 MB is refused by the library's own default.
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    try:
        with zstd.open(path, "rb") as stream:
            yield from _pieces(cast(BinaryIO, stream))
    except zstd.ZstdError as error:
        raise BadInputError(f"{path.name} is not a sound zst file ({error}).") from error


def _pieces(stream: BinaryIO) -> Iterator[bytes]:
    while block := stream.read(BLOCK):
        yield block


def _after(found: Iterator[bytes], start: int) -> Iterator[bytes]:
    """Leave out the first ``start`` bytes."""
    for block in found:
        if start >= len(block):
            start -= len(block)
            continue
        yield block[start:] if start else block
        start = 0


# The library unpacks a packed megabyte at once: few of those may wait, and they are handed on in small pieces.
_AHEAD = 1
_PIECE = 256 * 1024


class _Stopped(Exception):  # noqa: N818 - not an error: nobody reads any longer
    """The reader has gone; raised inside the library to end its work."""


def member_sizes(path: Path) -> dict[str, int]:
    """Return the unpacked size of every file in the archive. Raises `BadInputError` if it is damaged or encrypted."""
    with _open_archive(path) as archive:
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
            with _open_archive(path) as archive:
                archive.extract(targets=[member], factory=_Writers(put))
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
def _open_archive(path: Path) -> Iterator[py7zr.SevenZipFile]:
    try:
        # Given a stream instead of a name, the library keeps to one thread.
        with path.open("rb") as stream, py7zr.SevenZipFile(stream, "r") as archive:
            if archive.needs_password():
                raise BadInputError(f"{path.name} is encrypted; unpack it first.")
            yield archive
    except (ArchiveError, EOFError, IndexError, KeyError, TypeError, ValueError, AssertionError) as error:
        # The library meets a damaged header with whatever its parser stumbles over.
        raise BadInputError(f"{path.name} is not a sound 7z archive ({error or type(error).__name__}).") from error


class _Writer(Py7zIO):
    """Hands over what it is given, in order."""

    def __init__(self, put: Callable[[bytes], None]) -> None:
        self._put = put
        self.written = 0

    def write(self, s: bytes | bytearray) -> int:
        if s:
            self._put(bytes(s))
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


class _Writers(WriterFactory):
    """One writer: one member is asked for."""

    def __init__(self, put: Callable[[bytes], None]) -> None:
        self._put = put

    def create(self, filename: str) -> Py7zIO:  # noqa: ARG002 - the library's
        return _Writer(self._put)
