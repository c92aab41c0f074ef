"""Open the project of a command, and close it after the command: the one place where commands do."""

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
def open_project(where: Place, annotator: str | None = None, *, read_only: bool = False) -> Iterator[ProjectFile]:
    """Open a project for as long as the block lasts."""
    store = projects.open_project(where, annotator=annotator, read_only=read_only)
    store.on_warning(_say)
    try:
        yield store
    finally:
        store.close()


def _say(message: Message) -> None:
    write_error(str(message))


Project = Annotated[ProjectFile, OpenProject(open_project)]
ReadOnlyProject = Annotated[ProjectFile, OpenProject(partial(open_project, read_only=True))]
ProjectOption = Annotated[ProjectFile, OpenProject(open_project, option=True)]
