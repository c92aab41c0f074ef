"""Ways in which disks, copies and other programs break a project file, repeatable by a seed."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

from annotator.store.file import schema

PAGE = schema.PAGE_SIZE


def truncated(path: Path, seed: int) -> None:
    """Cut the file off somewhere in its last two thirds, as an interrupted copy does."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.truncate(random.Random(seed).randrange(size // 3, size))


def flipped(path: Path, seed: int) -> None:
    """Flip forty bits anywhere behind the first page."""
    chance, data = random.Random(seed), bytearray(path.read_bytes())
    for _ in range(40):
        data[chance.randrange(PAGE, len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def zeroed(path: Path, seed: int) -> None:
    """Fill a tenth of the pages behind the first with zeros."""
    chance, pages = random.Random(seed), path.stat().st_size // PAGE
    with path.open("r+b") as file:
        for page in chance.sample(range(1, pages), max(1, pages // 10)):
            file.seek(page * PAGE)
            file.write(bytes(PAGE))


def garbled(path: Path, seed: int) -> None:
    """Overwrite a tenth of the pages behind the first with noise."""
    chance, pages = random.Random(seed), path.stat().st_size // PAGE
    with path.open("r+b") as file:
        for page in chance.sample(range(1, pages), max(1, pages // 10)):
            file.seek(page * PAGE)
            file.write(chance.randbytes(PAGE))


def beheaded(path: Path, seed: int) -> None:
    """Fill the first page, which holds the header and the list of tables, with zeros."""
    del seed
    with path.open("r+b") as file:
        file.write(bytes(PAGE))


KINDS: dict[str, Callable[[Path, int], None]] = {
    "truncated": truncated,
    "flipped": flipped,
    "zeroed": zeroed,
    "garbled": garbled,
    "beheaded": beheaded,
}


def foreign_log(path: Path, other: Path) -> None:
    """Leave the write-ahead log of another project beside the file."""
    shutil.copyfile(f"{other}-wal", f"{path}-wal")
