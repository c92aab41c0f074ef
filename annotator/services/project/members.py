"""The people of a project: who works now, who else is there, and whether they let its code run without isolation."""

from __future__ import annotations

from annotator.base.errors import BadInputError
from annotator.model.changes import Changes
from annotator.model.rows.queue import AnnotatorRow
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile

_LOCAL_SETTING = "local_execution"


def annotators(store: ProjectFile) -> tuple[AnnotatorRow, ...]:
    """Return the people of the project, in the order they joined."""
    with store.read() as db:
        return people.listing(db)


def switch_annotator(store: ProjectFile, name: str, role: str = "expert") -> tuple[AnnotatorRow, Changes]:
    """Work as another person from now on; a new name joins the project."""
    if not name.strip():
        raise BadInputError("An annotator needs a name.")
    with store.write() as db:
        store.annotator = people.switch(db, name.strip(), role, keep=not store.shared)
    return store.annotator, Changes(frozenset({"annotator"}))


def add_annotator(store: ProjectFile, name: str, role: str = "expert") -> Changes:
    """Add a person to the project without working as them; one who is there already stays as they are."""
    if not name.strip():
        raise BadInputError("An annotator needs a name.")
    with store.write() as db:
        people.add(db, name.strip(), role)
    return Changes(frozenset({"annotator"}))


def local_execution(store: ProjectFile) -> bool:
    """Tell whether the project's people said that its code may run on their machine without isolation."""
    with store.read() as db:
        return people.setting(db, _LOCAL_SETTING) is True


def allow_local_execution(store: ProjectFile, allowed: bool) -> Changes:
    """Say so, or take it back; kept in the project, and shown in the status bar for as long as it holds."""
    with store.write() as db:
        people.set_setting(db, _LOCAL_SETTING, allowed)
    return Changes(frozenset({"project"}))
