"""Source archives (an sdist, a downloaded zip) of repositories that may be hostile: only plain files come out."""

from __future__ import annotations

import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from annotator.base.errors import BadInputError
from annotator.jobs.progress import Progress

MEMBERS_LIMIT = 100_000
BYTES_LIMIT = 1024 * 1024 * 1024
DEPTH_LIMIT = 60
_BLOCK = 1 << 18
_DAMAGE = (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)


@contextmanager
def opened(path: Path, progress: Progress | None = None) -> Iterator[Path]:
    """Give the folder of a repository for as long as the block lasts: itself, or what an archive holds, unpacked.

    Links, devices and names that lead out of the archive are left out. Raises `BadInputError` for what is neither a
    folder nor an archive, is damaged, or holds more than is read; `Cancelled` when asked to stop.
    """
    if not path.is_file():
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="annotator-repository-") as place:
        # A repository without a folder of its own in the archive is named like the archive.
        folder = Path(place) / _name(path)
        folder.mkdir()
        _unpack(path, folder, progress)
        inside = list(folder.iterdir())
        yield inside[0] if len(inside) == 1 and inside[0].is_dir() else folder


def _name(path: Path) -> str:
    name = path.name
    for ending in (".tar.gz", ".tar.bz2", ".tar.xz", ".tgz", ".zip", ".tar", ".whl"):
        name = name.removesuffix(ending)
    return name or "repository"


def _unpack(path: Path, folder: Path, progress: Progress | None) -> None:
    room = [BYTES_LIMIT, MEMBERS_LIMIT]
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for item in archive.infolist():
                    # The upper half holds the file's type where the archive was made on Unix: a link is one.
                    if not item.is_dir() and (item.external_attr >> 28) in (0, 8):
                        with archive.open(item) as stream:
                            _put(folder, item.filename, stream, room, progress)
        elif tarfile.is_tarfile(path):
            with tarfile.open(path) as bundle:
                for member in bundle:
                    content = bundle.extractfile(member) if member.isfile() else None
                    if content is not None:
                        _put(folder, member.name, content, room, progress)
        else:
            raise BadInputError(f"{path.name} is neither a folder nor a zip or tar archive, so nothing was mined.")
    except _DAMAGE as error:
        raise BadInputError(f"{path.name} cannot be unpacked ({error}), so nothing was mined.") from error


def _put(folder: Path, name: str, stream: IO[bytes], room: list[int], progress: Progress | None) -> None:
    if progress is not None:
        progress.check()
    room[1] -= 1
    if room[1] < 0:
        raise BadInputError(f"The archive holds more than {MEMBERS_LIMIT:,} files, so nothing was mined.")
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    if not parts or ".." in parts or len(parts) > DEPTH_LIMIT or name.startswith("/") or "\x00" in name:
        return
    if not name.isprintable() or any(len(part.encode("utf-8", "surrogatepass")) > 250 for part in parts):
        return
    target = folder.joinpath(*parts)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        out = target.open("xb")
    except OSError:
        return  # the name is taken: by a file that is now to be a folder, or the other way round
    with out:
        while block := stream.read(_BLOCK):
            room[0] -= len(block)
            if room[0] < 0:
                raise BadInputError(f"The archive holds more than {BYTES_LIMIT // 1024**2} MB, so nothing was mined.")
            out.write(block)
