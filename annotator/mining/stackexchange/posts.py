"""Read the rows of a Posts.xml, a block at a time, in constant memory.

Dumps are untrusted. A document is rejected if it declares a document type or entities, nests elements in rows, has
overlong attributes, or is not well-formed UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.parsers import expat

from annotator.base.errors import BadInputError
from annotator.jobs.progress import Progress
from annotator.mining.stackexchange.archives import detect_packing, dump_blocks

Row = dict[str, str]
# A post's body has at most 30,000 characters. Even with markup and escapes it stays far below this limit.
MAX_TOKEN_BYTES = 8 * 1024 * 1024
MAX_DEPTH = 2
_TAIL_BYTES = 4 * 1024 * 1024
_CREATION_DAY = re.compile(rb'\bCreationDate\s*=\s*["\'](\d{4}-\d\d-\d\d)')


@dataclass(frozen=True, slots=True)
class PostBatch:
    """The rows of one block, and the byte at which reading can continue after them."""

    rows: list[Row]
    position: int


def read_rows(path: Path, start: int = 0, member: str | None = None) -> Generator[PostBatch]:
    """Yield the rows of a dump in batches; ``start`` is the `PostBatch.position` to continue from.

    Raises `BadInputError`, saying at which byte, for anything but plain rows in well-formed UTF-8.
    """
    with closing(dump_blocks(path, start, member)) as source:
        yield from parse_posts(source, path.name, start)


def parse_posts(source: Iterable[bytes], name: str, start: int = 0) -> Iterator[PostBatch]:
    """Yield the rows in blocks of bytes; ``name`` is used in messages, ``start`` is the position of the first block."""
    reader = _RowReader(name, start)
    for block in source:
        yield reader.feed(block)
    yield reader.close()


def find_newest_day(path: Path, member: str | None = None, progress: Progress | None = None) -> str:
    """Return the day (YYYY-MM-DD) of the newest post, taken from the end of the dump, which is in order of Id.

    A packed dump is unpacked completely for this. Raises `BadInputError` if there is no post at its end.
    """
    progress = progress or Progress()
    bytes_read = 0
    start = 0 if detect_packing(path) else max(0, path.stat().st_size - _TAIL_BYTES)
    tail = b""
    with closing(dump_blocks(path, start, member)) as source:
        for block in source:
            bytes_read += len(block)
            progress.report(bytes_read, text=f"looking for the newest post of {path.name}")
            tail = (tail + block)[-_TAIL_BYTES:] if len(tail) + len(block) > 2 * _TAIL_BYTES else tail + block
    days = _CREATION_DAY.findall(tail)
    if not days:
        raise BadInputError(f"{path.name} ends without a post, so it is not the Posts.xml of a dump.")
    return str(max(days).decode())


class _RowReader:
    """An XML parser that collects the attributes of the rows since the last batch."""

    def __init__(self, name: str, start: int) -> None:
        self._name = name
        self._rows: list[Row] = []
        self._depth = 0
        self._bytes_fed = 0
        self._markup_start = 0
        self._root_end: int | None = None
        parser = expat.ParserCreate("utf-8")
        parser.StartElementHandler = self._start_element
        parser.EndElementHandler = self._end_element
        parser.StartDoctypeDeclHandler = self._reject_declaration
        parser.EntityDeclHandler = self._reject_declaration
        if hasattr(parser, "SetReparseDeferralEnabled"):
            # Expat 2.6 and distributions' patched 2.5 hold back complete rows otherwise. Blocks are large and tokens
            # limited, so parsing an unfinished token again costs little. Without this switch, `close` returns the rest.
            parser.SetReparseDeferralEnabled(False)
        self._parser = parser
        self._start_position = start
        self._base = start
        if start:
            # After a bookmark the root element is missing, so the parser needs a new one.
            root = b"<posts>"
            parser.Parse(root, False)
            self._base -= len(root)
            self._bytes_fed = len(root)

    def feed(self, block: bytes) -> PostBatch:
        if not self._bytes_fed and block[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise self._rejection("its text is not UTF-8")
        try:
            self._parser.Parse(block, False)
        except expat.ExpatError as error:
            raise self._syntax_error(error) from error
        self._bytes_fed += len(block)
        # Between calls the index is where the first unfinished piece of markup begins; -1 while expat defers parsing.
        if self._parser.CurrentByteIndex >= 0:
            self._markup_start = self._parser.CurrentByteIndex
        if self._bytes_fed - self._markup_start > MAX_TOKEN_BYTES:
            raise self._rejection(f"a row or text is longer than {MAX_TOKEN_BYTES >> 20} MB")
        return self._batch()

    def close(self) -> PostBatch:
        """Finish parsing and return the last rows."""
        try:
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise self._syntax_error(error) from error
        return self._batch()

    def _batch(self) -> PostBatch:
        rows, self._rows = self._rows, []
        if self._root_end is not None:
            return PostBatch(rows, self._root_end)
        # Reading cannot continue between the beginning of the file and its root.
        if not self._depth:
            return PostBatch(rows, self._start_position)
        return PostBatch(rows, max(self._start_position, self._base + self._markup_start))

    def _start_element(self, name: str, attributes: Row) -> None:
        self._depth += 1
        if name == "row" and self._depth == MAX_DEPTH:
            self._rows.append(attributes)
        elif self._depth > MAX_DEPTH:
            raise self._rejection("elements are nested in a row")
        elif self._depth == 1 and name != "posts":
            raise self._rejection(f"the root is {name[:40]}, not posts")

    def _end_element(self, _: str) -> None:
        self._depth -= 1
        if not self._depth:
            # Resuming must read the root's end again, to tell a complete dump from a truncated one.
            self._root_end = self._base + self._parser.CurrentByteIndex

    def _reject_declaration(self, *_: Any) -> None:
        raise self._rejection("it defines a document type or entities")

    def _rejection(self, reason: str) -> BadInputError:
        position = self._base + max(0, self._parser.CurrentByteIndex)
        return BadInputError(f"{self._name} is not a dump of posts: {reason} (near byte {position}).")

    def _syntax_error(self, error: expat.ExpatError) -> BadInputError:
        position = self._base + self._parser.ErrorByteIndex
        return BadInputError(f"{self._name} is not well-formed: {expat.ErrorString(error.code)} at byte {position}.")
