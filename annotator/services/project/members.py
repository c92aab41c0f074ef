"""A project's name, its annotators, and whether its code may run without isolation."""

from __future__ import annotations

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import AnnotatorRow
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log

_LOCAL_SETTING = "local_execution"


def list_annotators(store: ProjectFile) -> tuple[AnnotatorRow, ...]:
    """Return the project's annotators in the order they joined."""
    with store.read() as db:
        return people.fetch_annotators(db)


def switch_annotator(store: ProjectFile, name: str, role: str = "expert") -> tuple[AnnotatorRow, Changes]:
    """Make another person the current annotator; an unknown name joins the project."""
    if not name.strip():
        raise BadInputError("An annotator needs a name.")
    if store.is_bound_to_annotator:
        raise BadInputError(
            f"Your login on the server belongs to {store.annotator.name}, so you cannot switch to another person."
        )
    with store.write() as db:
        store.annotator = people.switch_to_annotator(db, name.strip(), role, keep=not store.shared)
    return store.annotator, Changes(frozenset({"annotator"}))


def add_annotator(store: ProjectFile, name: str, role: str = "expert") -> Changes:
    """Add a person to the project; the current annotator stays the same. An existing member is left unchanged."""
    if not name.strip():
        raise BadInputError("An annotator needs a name.")
    with store.write() as db:
        people.ensure_annotator(db, name.strip(), role)
    return Changes(frozenset({"annotator"}))


def read_project_name(store: ProjectFile) -> str:
    """Return the project's current name, read again because another window may have changed it."""
    # A view of the past keeps the name of its time.
    if not store.moment:
        with store.read() as db:
            store.project_name = people.load_project_identity(db)[1]
    return store.project_name


def rename_project(store: ProjectFile, name: str) -> Changes:
    """Rename the project; existing releases keep the old name. Raises `BadInputError` for an empty name.

    The history records both names. A rename cannot be undone.
    """
    name = name.strip()
    if not name:
        raise BadInputError("A project needs a name. Nothing was changed.")
    with store.write() as db:
        old_name = people.store_project_name(db, name)
        if old_name == name:
            return Changes(frozenset())
        label = Message("Rename the project from {before} to {name}", before=old_name, name=name)
        undo_log.record_event(db, store.annotator.id, label, ["project"])
    store.project_name = name
    return Changes(frozenset({"project"}), label=label)


def is_local_execution_allowed(store: ProjectFile) -> bool:
    """Return whether this project's code may run without isolation."""
    with store.read() as db:
        return people.read_setting(db, _LOCAL_SETTING) is True


def allow_local_execution(store: ProjectFile, allowed: bool) -> Changes:
    """Allow or forbid running the project's code without isolation.

    The setting is stored in the project, and the status bar shows it for as long as it is on.
    """
    with store.write() as db:
        people.set_setting(db, _LOCAL_SETTING, allowed)
    return Changes(frozenset({"project"}))
