"""Open and close the project of a command; the only place where commands open projects."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Annotated

from annotator.base.addresses import Place
from annotator.base.messages import Message
from annotator.cli.command import OpenProject
from annotator.cli.output import write_error
from annotator.services.project import projects
from annotator.store.file.project_file import ProjectFile


@contextmanager
def open_project(place: Place, annotator: str | None = None, *, read_only: bool = False) -> Iterator[ProjectFile]:
    """Open a project for the duration of the block."""
    store = projects.open_project(place, annotator=annotator, read_only=read_only)
    store.on_warning(_write_warning)
    try:
        yield store
    except Exception as error:
        known_error = store.explain(error)
        if known_error is None:
            raise
        raise known_error from error
    finally:
        store.close()


@contextmanager
def open_for_check(original_place: Place, annotator: str | None = None) -> Iterator[ProjectFile]:
    """Open a project for checking; one of an older version is updated in a temporary copy first."""
    with projects.updated_copy(original_place) as place, open_project(place, annotator, read_only=True) as store:
        yield store


def _write_warning(message: Message) -> None:
    write_error(str(message))


Project = Annotated[ProjectFile, OpenProject(open_project)]
ReadOnlyProject = Annotated[ProjectFile, OpenProject(partial(open_project, read_only=True))]
CheckedProject = Annotated[ProjectFile, OpenProject(open_for_check)]
ProjectOption = Annotated[ProjectFile, OpenProject(open_project, option=True)]
