"""A byte per post Id, for any number of Ids in a fixed amount of memory.

Answers follow their question, so successive look-ups are close together: recently used pages of Ids stay in memory, and
the others are in a scratch file.
"""

from __future__ import annotations

import shutil
from collections import OrderedDict
from pathlib import Path
from types import TracebackType

PAGE_BITS = 15
PAGE_SIZE = 1 << PAGE_BITS
ID_LIMIT = 2**31


class Ledger:
    """Bytes by Id, 0 where nothing was written; at most ``pages`` pages of 32 KB are in memory."""

    def __init__(self, path: Path, pages: int = 768, *, writable: bool = True) -> None:
        """Create the scratch file or open the existing one, read-only unless ``writable``."""
        mode = "rb" if not writable else "r+b" if path.exists() else "w+b"
        self._stream = path.open(mode, buffering=0)
        self._writable = writable
        self._limit = pages
        self._pages: OrderedDict[int, bytearray] = OrderedDict()
        self._stream.seek(0, 2)
        self._size = self._stream.tell()

    def __enter__(self) -> Ledger:
        """Return the ledger itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the scratch file."""
        self._stream.close()

    def page(self, number: int) -> bytearray:
        """Return the page of the Ids from ``number · 32768`` on; changes to it are kept."""
        page = self._pages.get(number)
        if page is None:
            page = self._load(number)
            if len(self._pages) >= self._limit:
                self._store(*self._pages.popitem(last=False))
            self._pages[number] = page
        else:
            self._pages.move_to_end(number)
        return page

    def get(self, post_id: int) -> int:
        """Return the byte of an Id."""
        return self.page(post_id >> PAGE_BITS)[post_id & (PAGE_SIZE - 1)]

    def set(self, post_id: int, value: int) -> None:
        """Write the byte of an Id."""
        self.page(post_id >> PAGE_BITS)[post_id & (PAGE_SIZE - 1)] = value

    def save(self, path: Path) -> None:
        """Write everything to a separate file, which a later ledger can open."""
        for number, page in self._pages.items():
            self._store(number, page)
        shutil.copyfile(self._stream.name, path)

    def _load(self, number: int) -> bytearray:
        if number * PAGE_SIZE >= self._size:
            return bytearray(PAGE_SIZE)
        self._stream.seek(number * PAGE_SIZE)
        return bytearray(self._stream.read(PAGE_SIZE)).ljust(PAGE_SIZE, b"\0")

    def _store(self, number: int, page: bytearray) -> None:
        if not self._writable:
            return
        self._stream.seek(number * PAGE_SIZE)
        self._stream.write(page)
        self._size = max(self._size, (number + 1) * PAGE_SIZE)
