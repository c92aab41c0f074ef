"""New projects, undo and redo, backup and check."""

from pathlib import Path
from typing import Annotated

from annotator.base.addresses import Place, ServerAddress
from annotator.base.errors import ExitCode
from annotator.base.paths import project_path
from annotator.cli.command import Argument, Option, command
from annotator.cli.open_project import CheckedProject, Project, ReadOnlyProject
from annotator.cli.output import CommandAnswer
from annotator.cli.progress_display import ProgressDisplay
from annotator.model.changes import Changes
from annotator.services.project import projects
from annotator.services.project import undo as history


@command("new", 'annotator new p.annotator --name "My benchmark" --annotator Mei')
def create_project(
    *,
    project: Annotated[Place, Argument("PROJECT", "file to create, or address of an empty database")],
    name: Annotated[str, Option("N", "name of the project")],
    annotator: Annotated[str, Option("NAME", "your name")],
) -> CommandAnswer:
    """Create a project."""
    path = project if isinstance(project, ServerAddress) else project_path(project)
    projects.create_project(path, name, annotator).close()
    data = {"project": str(path), "name": name, "annotator": annotator}
    # A file is named as on a command line in its folder, a server by its whole address.
    argument = path.name if isinstance(path, Path) else str(path)
    return CommandAnswer(data, f"{path.name} is ready. Next: annotator import FILE --project {argument}")


@command("undo", "annotator undo p.annotator")
def undo_act(store: Project) -> CommandAnswer:
    """Undo your last change."""
    return _answer_step(history.undo_last_act(store), "undo")


@command("redo", "annotator redo p.annotator")
def redo_act(store: Project) -> CommandAnswer:
    """Redo the change that was undone last."""
    return _answer_step(history.redo_last_act(store), "redo")


@command("backup", "annotator backup p.annotator --to copy.annotator")
def write_backup(
    store: ReadOnlyProject,
    display: ProgressDisplay,
    *,
    to: Annotated[Path | None, Option("FILE", "file to write; default: a dated one beside the project")] = None,
) -> CommandAnswer:
    """Create a checked backup."""
    path, problems = projects.back_up_and_check(store, to, display.start("Backing up"))
    if not problems:
        return CommandAnswer({"backup": str(path)}, f"{path.name} was written and checked.")
    text = "\n".join((f"{path.name} was written, but the project itself is damaged:", *problems))
    return CommandAnswer({"backup": str(path), "problems": problems}, text, ExitCode.BAD_INPUT)


@command("check", "annotator check p.annotator")
def check_project(store: CheckedProject, display: ProgressDisplay) -> CommandAnswer:
    """Check that a project is intact."""
    problems = projects.check_integrity(store, display.start("Checking"))
    text = "\n".join(problems) if problems else f"{store.place.name} is intact."
    return CommandAnswer(
        {"sound": not problems, "problems": problems}, text, ExitCode.BAD_INPUT if problems else ExitCode.DONE
    )


def _answer_step(changes: Changes | None, act: str) -> CommandAnswer:
    label = changes.label if changes else None
    return CommandAnswer({"done": label}, label or f"There is nothing to {act}.")
