"""Projects that are built once in each worker, and copied for every test that needs one of their shape."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.project import members, projects
from annotator.services.release import versions
from annotator.services.runs import run_control
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile

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


def project_of_rows(
    path: Path,
    rows: Iterable[Mapping[str, object]],
    accept: Sequence[str] | None = None,
    *,
    people: Sequence[str] = ("Ada",),
    release: str = "",
    answers: Iterable[Mapping[str, object]] = (),
) -> ProjectFile:
    """Open a project at a path whose candidates are these rows, those named by ``accept`` (None: all) accepted.

    ``people`` work in it, the first of them now. With ``release`` it has one, with ``answers`` also a run of them. The
    files of the rows and the answers are beside it.
    """
    shape = (_lines(rows), accept and tuple(accept), tuple(people), release, _lines(answers))
    copy_project(path, shape, partial(_build_of_rows, shape=shape))
    return projects.open_project(path)


def _lines(rows: Iterable[Mapping[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def _build_of_rows(path: Path, shape: tuple[str, Sequence[str] | None, Sequence[str], str, str]) -> None:
    rows, accept, people, release, answers = shape
    source, recorded = path.with_suffix(".jsonl"), path.with_suffix(".answers.jsonl")
    source.write_text(rows)
    store = projects.create_project(path, "Demo", people[0])
    imports.import_paths(store, "jsonl", [source])
    for name in people[1:]:
        members.add_annotator(store, name)
    if accept is None:
        accept = [row.id for row in triage.queue_page(store, QueueFilter(), limit=10_000).rows]
    if accept:
        triage.decide_subjects(store, accept, Verdict.ACCEPT)
    if release:
        versions.create_release(store, release, override_reason="a test")
    if answers:
        recorded.write_text(answers)
        run_control.start_replay(store, None, recorded)
    store.close()
