"""The files a criterion refers to: a folder of a suite, or texts that are kept with the subject."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Protocol

FILE_LIMIT = 16 * 1024 * 1024


class Files(Protocol):
    """Gives texts by the names a document uses."""

    def read(self, name: str) -> str | None:
        """Return a file's text, None if there is none of that name (or it must not be read)."""
        ...


class KeptFiles:
    """Texts by name."""

    def __init__(self, texts: Mapping[str, str] | None = None) -> None:
        """Keep the texts."""
        self._texts = dict(texts or {})

    def read(self, name: str) -> str | None:
        """Return a kept text."""
        return self._texts.get(name)


class FolderFiles:
    """Files below a folder; a name that leads out of it, by dots or links, is not read."""

    def __init__(self, folder: Path) -> None:
        """Read below ``folder`` only."""
        self._folder = folder.resolve()

    def read(self, name: str) -> str | None:
        """Return the text, read as UTF-8 with universal newlines."""
        if PurePosixPath(name).is_absolute() or "\x00" in name:
            return None
        path = (self._folder / name).resolve()
        try:
            if not path.is_relative_to(self._folder) or not path.is_file() or path.stat().st_size > FILE_LIMIT:
                return None
            return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        except (OSError, UnicodeDecodeError):
            return None
