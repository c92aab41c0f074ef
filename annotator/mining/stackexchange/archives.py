"""The bytes of a dump in blocks, whatever it is packed in; never more of it in memory than a few blocks."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sys
import zipfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import BinaryIO, cast

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.mining.stackexchange.sevenzip import member_blocks, member_sizes

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
        raise BadInputError(f"{path.name} has no member {member}; there are: {_listed(sizes)}.")
    posts = [name for name in sizes if name.replace("\\", "/").rpartition("/")[2].lower() == POSTS]
    documents = [name for name in sizes if name.lower().endswith(".xml")]
    for names in (posts, documents):
        if len(names) == 1:
            return names[0]
        if names:
            raise BadInputError(f"{path.name} holds several dumps ({_listed(names)}); say which member to read.")
    raise BadInputError(f"{path.name} has no Posts.xml; there are: {_listed(sizes)}.")


def _listed(names: dict[str, int] | list[str]) -> str:
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
