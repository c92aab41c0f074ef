"""What a session asks of the services, in workers: they are imported here, so that the first paint waits for none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotator.base.addresses import Place
from annotator.ui.notices import Facts

if TYPE_CHECKING:
    from annotator.model.rows import AnnotatorRow, Changes
    from annotator.store.project_file import ProjectFile


def open_project(path: Place) -> ProjectFile:
    """Open a project."""
    from annotator.services import projects

    return projects.open_project(path)


def create_project(path: Place, name: str, annotator: str) -> ProjectFile:
    """Make a project and open it."""
    from annotator.services import projects

    return projects.create_project(path, name, annotator)


def switch_annotator(store: ProjectFile, name: str) -> tuple[AnnotatorRow, Changes]:
    """Work as somebody else."""
    from annotator.services import projects

    return projects.switch_annotator(store, name)


def step(store: ProjectFile, name: str) -> Changes | None:
    """Undo or redo."""
    from annotator.services import history

    return history.undo(store) if name == "undo" else history.redo(store)


def quick_facts(store: ProjectFile) -> Facts:
    """Return what the frame shows at once."""
    from annotator.services import projects

    return Facts(projects.stage_counts(store), projects.disk_status(store))


def people_facts(store: ProjectFile) -> Facts:
    """Return what the frame shows of people and of what can be undone."""
    from annotator.services import history, projects

    return Facts(
        annotators=projects.annotators(store),
        undo_label=history.undo_label(store),
        redo_label=history.redo_label(store),
        local_execution=projects.local_execution(store),
    )
