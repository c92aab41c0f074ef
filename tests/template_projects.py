"""Projects that are built once in each worker, and copied for every test that needs one of their shape."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Hashable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from annotator.services.project import projects

_CREATE_PROJECT = projects.create_project


@cache
def _folder() -> TemporaryDirectory[str]:
    """Return a folder that goes with this process."""
    return TemporaryDirectory(prefix="annotator-templates-")


@cache
def _names() -> dict[Hashable, str]:
    """Return the names of the templates that are built, by shape."""
    return {}


def copy_project(target: Path, shape: Hashable, build: Callable[[Path], None]) -> None:
    """Write a closed project of a shape to a path, and the files that ``build`` wrote beside it.

    ``build`` makes such a project at a path and closes it; it must name what it writes after the path's stem. It is
    called once for each shape, except where projects are databases on a server, which are built anew.
    """
    if projects.create_project is not _CREATE_PROJECT:
        build(target)
        return
    names = _names()
    if shape not in names:
        # A shape may be built from the copy of another, which is then built, and named, first.
        name = f"template-{uuid4().hex}"
        build(Path(_folder().name) / f"{name}.annotator")
        names[shape] = name
    for source in Path(_folder().name).glob(f"{names[shape]}.*"):
        if source.is_file():
            shutil.copy(source, target.with_name(f"{target.stem}{source.name.removeprefix(names[shape])}"))
