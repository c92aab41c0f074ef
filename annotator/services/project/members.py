"""A project's name and people: who works now, who else is there, whether they let its code run without isolation."""

from __future__ import annotations

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.model.changes import Changes
from annotator.model.rows.queue import AnnotatorRow
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log

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


def read_name(store: ProjectFile) -> str:
    """Return the project's name as it stands now; another window may have changed it."""
    if not store.moment:
        with store.read() as db:
            store.project_name = people.project(db)[1]
    return store.project_name


def rename_project(store: ProjectFile, name: str) -> Changes:
    """Give the project another name; releases keep what they say. Raises `BadInputError` for an empty name.

    The history tells both names; there is nothing for undo to take back.
    """
    name = name.strip()
    if not name:
        raise BadInputError("A project needs a name. Nothing was changed.")
    with store.write() as db:
        before = people.rename(db, name)
        if before == name:
            return Changes(frozenset())
        label = Message("Rename the project from {before} to {name}", before=before, name=name)
        undo_log.record_event(db, store.annotator.id, label, ["project"])
    store.project_name = name
    return Changes(frozenset({"project"}), label=label)


def local_execution(store: ProjectFile) -> bool:
    """Tell whether the project's people said that its code may run on their machine without isolation."""
    with store.read() as db:
        return people.setting(db, _LOCAL_SETTING) is True


def allow_local_execution(store: ProjectFile, allowed: bool) -> Changes:
    """Say so, or take it back; kept in the project, and shown in the status bar for as long as it holds."""
    with store.write() as db:
        people.set_setting(db, _LOCAL_SETTING, allowed)
    return Changes(frozenset({"project"}))
