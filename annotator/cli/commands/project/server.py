"""Commands for a whole project: rename it, copy it to a server and back, upgrade it, join it, set roles."""

from typing import Annotated

from annotator.base.addresses import Place
from annotator.cli.command import PROJECT_HELP, Argument, Option, command
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer
from annotator.cli.progress_display import ProgressDisplay
from annotator.services.project import members, server_copy

URL = "postgresql+psycopg://mei@server/benchmark"


@command("project rename", 'annotator project rename p.annotator "Questions about lists"')
def rename_project(
    store: Project, *, name: Annotated[str, Argument("NAME", "new name of the project")]
) -> CommandAnswer:
    """Rename a project; its file name stays the same."""
    members.rename_project(store, name)
    return CommandAnswer({"name": store.project_name}, f"The project is now called {store.project_name}.")


@command("project copy", f"annotator project copy p.annotator {URL}")
def copy_project(
    display: ProgressDisplay,
    *,
    source: Annotated[Place, Argument("FROM", "a project file, or the address of a project")],
    target: Annotated[Place, Argument("TO", "address of an empty database, or a new file")],
) -> CommandAnswer:
    """Copy a project file onto a PostgreSQL server, or back into a file."""
    report = server_copy.copy_project(source, target, display.start("Copying"))
    data = {"source": report.source, "target": report.target, "rows": report.rows, "digest": report.digest}
    text = (
        f"{report.total} rows of {len(report.rows)} tables were copied and compared.\n"
        f"The project is now also in {report.target}"
    )
    return CommandAnswer(data, text)


@command("project upgrade", f"annotator project upgrade {URL}")
def upgrade_project(*, project: Annotated[Place, Argument("ADDRESS")]) -> CommandAnswer:
    """Bring a project on a server to this version; back it up before (pg_dump)."""
    before, now = server_copy.upgrade_server_project(project)
    text = f"The schema is now {now}; it was {before}." if before < now else f"The schema is already {now}."
    return CommandAnswer({"before": before, "now": now}, text)


@command("project join", f"annotator project join {URL} --name Bo")
def join_project(
    *,
    project: Annotated[Place, Argument("PROJECT", PROJECT_HELP)],
    name: Annotated[str, Option("NAME")],
    role: Annotated[str, Option("R")] = "expert",
) -> CommandAnswer:
    """Add a person to a project."""
    server_copy.add_project_member(project, name, role)
    return CommandAnswer({"annotator": name}, f"{name} is in the project.")


@command("project role", f"annotator project role {URL} --name Bo --login bo")
def set_role(
    *,
    project: Annotated[Place, Argument("ADDRESS")],
    name: Annotated[str, Option("NAME", "a person in the project")],
    login: Annotated[str, Option("ROLE", "a login role of the database server, created for this person alone")],
    remove: Annotated[bool, Option(help="take the role's rights away again")] = False,
) -> CommandAnswer:
    """Let a role of the server work as one person, who cannot read sealed votes, blind keys and models' answers."""
    server_copy.set_annotator_role(project, name, login, remove=remove)
    text = (
        f"The role {login} has no rights in the project any more." if remove else f"{name} works as the role {login}."
    )
    return CommandAnswer({"annotator": name, "login": login, "removed": remove}, text)
