"""List the content of a folder without following links or opening files."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

_SPECIAL_KINDS = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_SPECIAL_MODE_BITS = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX
_EXECUTABLE_BITS = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH


@dataclass(slots=True)
class FolderState:
    """Plain ``files`` (name -> mode), ``folders``, ``others`` (name -> kind), and ``unreadable`` names."""

    files: dict[str, int] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    others: dict[str, str] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)


def inspect_folder(folder: Path) -> FolderState:
    """Return the content of a folder and of the folders below it, without following links or opening files."""
    state = FolderState()

    def name_of(path: str | Path) -> str:
        return Path(path).relative_to(folder).as_posix()

    def record_unreadable(error: OSError) -> None:
        state.unreadable.append(name_of(error.filename or str(folder)))

    for parent, folders, files in os.walk(folder, onerror=record_unreadable):
        for name in (*folders, *files):
            path = Path(parent, name)
            try:
                mode = path.lstat().st_mode
            except OSError:
                state.unreadable.append(name_of(path))
                continue
            if stat.S_ISREG(mode):
                state.files[name_of(path)] = mode
            elif stat.S_ISDIR(mode):
                state.folders.append(name_of(path))
            else:
                state.others[name_of(path)] = next(
                    (kind for is_kind, kind in _SPECIAL_KINDS if is_kind(mode)), "no plain file"
                )
    return state


def printable_name(name: str) -> str:
    """Return a file's name on one line, quoted if it has invisible characters."""
    return name if name.isprintable() and name.strip() == name else repr(name)


def folder_problems(state: FolderState, listed_names: Collection[str]) -> list[str]:
    """Return a sentence for each entry that is not listed, is not a plain file, or has an unusual mode."""
    parents = {parent.as_posix() for name in listed_names for parent in PurePosixPath(name).parents}
    problems = [f"{printable_name(name)} is {kind}" for name, kind in sorted(state.others.items())]
    problems += [f"{printable_name(name)} cannot be read" for name in sorted(state.unreadable)]
    problems += [
        f"{printable_name(name)} is not part of the release" for name in sorted(state.files.keys() - set(listed_names))
    ]
    problems += [
        f"{printable_name(name)} is a folder that is not part of the release"
        for name in sorted(state.folders)
        if name not in parents
    ]
    return problems + (_mode_problems(state.files) if os.name == "posix" else [])


def _mode_problems(files: dict[str, int]) -> list[str]:
    """Return a sentence for each file with a mode that exports never set."""
    problems = []
    executable = [name for name, mode in sorted(files.items()) if mode & _EXECUTABLE_BITS]
    if len(executable) == len(files) > 1:
        problems.append("all files can be executed, as on file systems without modes")
    else:
        problems += [f"{printable_name(name)} can be executed" for name in executable]
    for name, mode in sorted(files.items()):
        if mode & _SPECIAL_MODE_BITS:
            problems.append(f"{printable_name(name)} has a special mode ({stat.S_IMODE(mode):04o})")
        if mode & stat.S_IWOTH:
            problems.append(f"{printable_name(name)} can be changed by everybody ({stat.S_IMODE(mode):04o})")
    return problems
