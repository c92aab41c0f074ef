"""Read the unpacked bytes of a dump in blocks, with only a few blocks in memory."""

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

BLOCK_BYTES = 256 * 1024
POSTS = "posts.xml"
# A packed file may require a dictionary of gigabytes to unpack: such a file is rejected.
MAX_DICTIONARY_BYTES = 512 * 1024 * 1024
_MAGIC = ((b"7z\xbc\xaf\x27\x1c", "7z"), (b"PK\x03\x04", "zip"), (b"PK\x05\x06", "zip"), (b"\x1f\x8b", "gz"),
          (b"\xfd7zXZ\x00", "xz"), (b"\x28\xb5\x2f\xfd", "zst"), (b"BZh", "bz2"))  # fmt: skip


def detect_packing(path: Path) -> str:
    """Return the packing of a file by its first bytes: 7z, zip, gz, xz, zst, bz2, or "" for a plain file.

    Raises `BadInputError` if there is no such file.
    """
    if not path.is_file():
        raise BadInputError(
            f"There is no file {path.name}. Give the Posts.xml of a dump, or the archive that contains it."
        )
    refuse_project(path)
    try:
        with path.open("rb") as stream:
            head = stream.read(8)
    except OSError as error:
        raise MissingEnvironmentError(f"{path.name} cannot be read ({error.strerror}).") from error
    return next((name for magic, name in _MAGIC if head.startswith(magic)), "")


def dump_blocks(path: Path, start: int = 0, member: str | None = None) -> Generator[bytes]:
    """Yield a dump's unpacked bytes in blocks, beginning at byte ``start``.

    In a 7z or zip archive the named member is read, by default ``Posts.xml``. A packed file is unpacked from its
    beginning up to ``start``. Raises `BadInputError` for a damaged, encrypted or ambiguous archive. Close the generator
    if you do not read it to its end.
    """
    packing = detect_packing(path)
    try:
        yield from _unpack(path, packing, start, member)
    except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, NotImplementedError) as error:
        raise BadInputError(f"{path.name} is damaged ({error}).") from error
    except RuntimeError as error:
        if packing != "zip":
            raise
        raise BadInputError(f"{path.name} is encrypted; unpack it first ({error}).") from error
    except OSError as error:
        # A damaged gz or bz2 file is an OSError without a number.
        if error.errno is None:
            raise BadInputError(f"{path.name} is damaged ({error}).") from error
        raise MissingEnvironmentError(f"{path.name} cannot be read ({error.strerror}).") from error


def _unpack(path: Path, packing: str, start: int, member: str | None) -> Iterator[bytes]:
    if packing == "7z":
        with closing(member_blocks(path, choose_member(path, member_sizes(path), member))) as source:
            yield from _skip_bytes(source, start)
    elif packing == "zip":
        with zipfile.ZipFile(path) as archive:
            sizes = {item.filename: item.file_size for item in archive.infolist() if not item.is_dir()}
            with archive.open(choose_member(path, sizes, member)) as inner:
                yield from _skip_bytes(_read_blocks(cast(BinaryIO, inner)), start)
    elif packing == "zst":
        yield from _skip_bytes(_read_zstandard(path), start)
    else:
        with _open_single(path, packing) as stream:
            if not packing:
                stream.seek(start)
                start = 0
            yield from _skip_bytes(_read_blocks(stream), start)


def choose_member(path: Path, sizes: dict[str, int], member: str | None) -> str:
    """Return the member to read. Raises `BadInputError` listing the members if the choice is unclear."""
    if member is not None:
        if member in sizes:
            return member
        raise BadInputError(f"{path.name} has no member {member}. It contains: {_list_names(sizes)}.")
    posts = [name for name in sizes if name.replace("\\", "/").rpartition("/")[2].lower() == POSTS]
    documents = [name for name in sizes if name.lower().endswith(".xml")]
    for names in (posts, documents):
        if len(names) == 1:
            return names[0]
        if names:
            raise BadInputError(f"{path.name} contains several dumps ({_list_names(names)}); name the member to read.")
    raise BadInputError(f"{path.name} has no Posts.xml. It contains: {_list_names(sizes)}.")


def _list_names(names: dict[str, int] | list[str]) -> str:
    listed = [*names][:8]
    return ", ".join(listed) + (", …" if len(names) > len(listed) else "") if listed else "no members"


def _open_single(path: Path, packing: str) -> BinaryIO:
    if packing == "gz":
        return cast(BinaryIO, gzip.open(path, "rb"))
    if packing == "bz2":
        return cast(BinaryIO, bz2.open(path, "rb"))
    if packing == "xz":
        _check_dictionary(path)
        return cast(BinaryIO, lzma.open(path, "rb"))
    return path.open("rb")


def _check_dictionary(path: Path) -> None:
    """Reject an xz file whose first block requires more than `MAX_DICTIONARY_BYTES` of memory."""
    try:
        with path.open("rb") as stream:
            lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MAX_DICTIONARY_BYTES).decompress(
                stream.read(4096), max_length=1
            )
    except lzma.LZMAError as error:
        if "limit" in str(error):
            raise BadInputError(f"{path.name} needs more than {MAX_DICTIONARY_BYTES >> 20} MB to unpack.") from error
        raise


def _read_zstandard(path: Path) -> Iterator[bytes]:
    # By default the library rejects a window over 128 MB.
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    try:
        with zstd.open(path, "rb") as stream:
            yield from _read_blocks(cast(BinaryIO, stream))
    except zstd.ZstdError as error:
        raise BadInputError(f"{path.name} is damaged ({error}).") from error


def _read_blocks(stream: BinaryIO) -> Iterator[bytes]:
    while block := stream.read(BLOCK_BYTES):
        yield block


def _skip_bytes(source: Iterator[bytes], start: int) -> Iterator[bytes]:
    """Skip the first ``start`` bytes."""
    for block in source:
        if start >= len(block):
            start -= len(block)
            continue
        yield block[start:] if start else block
        start = 0


# The library unpacks a packed megabyte at once, so only this many blocks are queued, and yielded in small pieces.
_MAX_WAITING_BLOCKS = 1
_PIECE_BYTES = 256 * 1024


class _Stopped(Exception):  # noqa: N818 - not an error
    """The reader has stopped; raised inside the library to end its work."""


def member_sizes(path: Path) -> dict[str, int]:
    """Return the unpacked size of every file in the archive. Raises `BadInputError` if it is damaged or encrypted."""
    with _open_archive(path) as archive:
        return {item.filename: int(item.uncompressed) for item in archive.list() if not item.is_directory}


def member_blocks(path: Path, member: str) -> Generator[bytes]:
    """Yield the bytes of a member. Raises `BadInputError` if the archive is damaged (the checksum is checked)."""
    pending: queue.Queue[bytes | BaseException | None] = queue.Queue(_MAX_WAITING_BLOCKS)
    stopped = threading.Event()

    def enqueue(item: bytes | BaseException | None) -> None:
        while not stopped.is_set():
            try:
                pending.put(item, timeout=0.1)
            except queue.Full:
                continue
            return
        raise _Stopped

    def unpack() -> None:
        try:
            with _open_archive(path) as archive:
                archive.extract(targets=[member], factory=_Writers(enqueue))
            enqueue(None)
        except _Stopped:
            return
        except BaseException as error:  # noqa: BLE001 - handed to the reader's thread
            if not stopped.is_set():
                enqueue(error)

    worker = threading.Thread(target=unpack, name="7z", daemon=True)
    worker.start()
    try:
        while (item := pending.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            for start in range(0, len(item), _PIECE_BYTES):
                yield item[start : start + _PIECE_BYTES]
    finally:
        stopped.set()
        worker.join()


@contextmanager
def _open_archive(path: Path) -> Iterator[py7zr.SevenZipFile]:
    try:
        # With a stream instead of a name, the library uses a single thread.
        with path.open("rb") as stream, py7zr.SevenZipFile(stream, "r") as archive:
            if archive.needs_password():
                raise BadInputError(f"{path.name} is encrypted; unpack it first.")
            yield archive
    except (ArchiveError, EOFError, IndexError, KeyError, TypeError, ValueError, AssertionError) as error:
        # For a damaged header the library raises whatever error its parser runs into.
        raise BadInputError(f"{path.name} is damaged ({error or type(error).__name__}).") from error


class _ForwardingWriter(Py7zIO):
    """Passes on the bytes written to it, in order."""

    def __init__(self, enqueue: Callable[[bytes], None]) -> None:
        self._enqueue = enqueue
        self.written = 0

    def write(self, s: bytes | bytearray) -> int:
        if s:
            self._enqueue(bytes(s))
        self.written += len(s)
        return len(s)

    def read(self, size: int | None = None) -> bytes:  # noqa: ARG002 - signature of py7zr
        return b""

    def seek(self, offset: int, whence: int = 0) -> int:  # noqa: ARG002 - signature of py7zr
        return 0

    def flush(self) -> None:
        return

    def size(self) -> int:
        return self.written


class _Writers(WriterFactory):
    """Makes the writer of the one requested member."""

    def __init__(self, enqueue: Callable[[bytes], None]) -> None:
        self._enqueue = enqueue

    def create(self, filename: str) -> Py7zIO:  # noqa: ARG002 - signature of py7zr
        return _ForwardingWriter(self._enqueue)
