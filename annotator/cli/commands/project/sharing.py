"""Share a project: as packets that come back, or on a server, with its people and their roles."""

import os
from contextlib import closing
from pathlib import Path
from typing import Annotated

from annotator.base.addresses import Place
from annotator.base.errors import BadInputError, UsageError
from annotator.base.paths import project_path
from annotator.cli.command import PROJECT_HELP, Argument, Option, Texts, command, subjects_option
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, text_table
from annotator.cli.progress_display import ProgressDisplay
from annotator.services.project import members, packets, server_copy

EXAMPLE_URL = "postgresql+psycopg://mei@server/benchmark"


@command("project rename", 'annotator project rename p.annotator "Questions about lists"')
def rename_project(
    store: Project, *, name: Annotated[str, Argument("NAME", "new name of the project")]
) -> CommandAnswer:
    """Rename a project; its file name stays the same."""
    members.rename_project(store, name)
    return CommandAnswer({"name": store.project_name}, f"The project is now called {store.project_name}.")


@command("project copy", f"annotator project copy p.annotator {EXAMPLE_URL}")
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


@command("project upgrade", f"annotator project upgrade {EXAMPLE_URL}")
def upgrade_project(
    *,
    project: Annotated[Place, Argument("ADDRESS", "address of the project (postgresql+psycopg://user@host/database)")],
) -> CommandAnswer:
    """Bring a project on a server to this version; back it up before (pg_dump)."""
    before, now = server_copy.upgrade_server_project(project)
    text = f"The schema is now {now}; it was {before}." if before < now else f"The schema is already {now}."
    return CommandAnswer({"before": before, "now": now}, text)


@command("project join", f"annotator project join {EXAMPLE_URL} --name Bo")
def join_project(
    *,
    project: Annotated[Place, Argument("PROJECT", PROJECT_HELP)],
    name: Annotated[str, Option("NAME", "the person's name")],
    role: Annotated[str, Option("R", "the person's role (expert)")] = "expert",
) -> CommandAnswer:
    """Add a person to a project."""
    server_copy.add_project_member(project, name, role)
    return CommandAnswer({"annotator": name}, f"{name} is in the project.")


@command("project role", f"annotator project role {EXAMPLE_URL} --name Bo --login bo")
def set_role(
    *,
    project: Annotated[Place, Argument("ADDRESS", "address of the project (postgresql+psycopg://user@host/database)")],
    name: Annotated[str, Option("NAME", "a person in the project")],
    login: Annotated[str, Option("ROLE", "a login role of the database server, created for this person alone")],
    remove: Annotated[bool, Option(help="remove the role's rights again")] = False,
) -> CommandAnswer:
    """Let a role of the server work as one person, who cannot read sealed votes, blind keys and models' answers."""
    server_copy.set_annotator_role(project, name, login, remove=remove)
    text = (
        f"The role {login} has no rights in the project any more." if remove else f"{name} works as the role {login}."
    )
    return CommandAnswer({"annotator": name, "login": login, "removed": remove}, text)


_PassphraseVariable = Annotated[str, Option("VARIABLE", "environment variable that holds the passphrase")]


@command("packet export", "annotator packet export p.annotator --for Bo --out bo.packet --passphrase-env PHRASE")
def export_packet(
    store: Project,
    *,
    out: Annotated[Path, Option("FILE", "packet to write")],
    person: Annotated[str, Option("NAME", "export a blind share: only what NAME needs", flag="--for")] = "",
    subject: Annotated[Texts, subjects_option("id or key of a subject to add to the share; may be repeated")] = (),
    runs: Annotated[bool, Option(help="include releases, runs and responses")] = False,
    passphrase_env: _PassphraseVariable = "",
    key: Annotated[Path | None, Option("KEY", "your SSH key; signs the packet, in a file beside it")] = None,
) -> CommandAnswer:
    """Export a colleague's share, or everything."""
    phrase = _read_passphrase(passphrase_env)
    packet = packets.export_packet(
        store, out, person=person, subject_ids=subject, passphrase=phrase, run_data=runs,
        key=key.expanduser() if key else None,
    )  # fmt: skip
    counts = {name: len(rows) for name, rows in packet.tables.items() if rows}
    data = {"file": str(out), "for": packet.for_name, "rows": counts, "sealed": bool(phrase)}
    text = f"{packet.rows} rows written to {out.name}"
    text += f" for {packet.for_name}." if packet.for_name else "."
    return CommandAnswer(data, text)


@command("packet import", "annotator packet import p.annotator back.packet")
def import_packet(
    store: Project,
    *,
    files: Annotated[tuple[Path, ...], Argument("FILE", "packet or project file to merge")],
    unrelated: Annotated[bool, Option(help="merge even if it belongs to another project")] = False,
    others: Annotated[bool, Option(help="also accept changes by people other than the file's author")] = False,
    future: Annotated[bool, Option(help="also accept rows that a wrong clock dated in the future")] = False,
    allowed: Annotated[
        Path | None, Option("FILE", "names here and public keys; only signed packets are merged")
    ] = None,
    passphrase_env: _PassphraseVariable = "",
) -> CommandAnswer:
    """Merge a packet or another project file."""
    if allowed is not None and others:
        raise UsageError("With --allowed, a packet carries the changes of its signer only; --others does not apply.")
    phrase = _read_passphrase(passphrase_env)
    reports = [
        (
            path,
            packets.import_packet(
                store, path, passphrase=phrase, unrelated=unrelated, others=others, future=future, signers=allowed
            ),
        )
        for path in files
    ]
    rows = [(path.name, item.total, item.known, item.conflicts) for path, item in reports]
    text = text_table(("file", "new rows", "known", "conflicts"), rows)
    if any(item.conflicts for _, item in reports):
        text += "\nConflicts were kept side by side; annotator team conflicts lists them. Nothing was overwritten."
    data = [
        {"file": path.name, "added": item.added, "known": item.known, "conflicts": item.conflicts}
        for path, item in reports
    ]
    return CommandAnswer({"merged": data}, text)


@command("packet open", "annotator packet open bo.packet mine.annotator")
def open_packet(
    *,
    file: Annotated[Path, Argument("PACKET", "the packet you received")],
    project: Annotated[Path, Argument("PROJECT", "file to create")],
    passphrase_env: _PassphraseVariable = "",
) -> CommandAnswer:
    """Create a project from a share you received."""
    path = project_path(project)
    with closing(packets.open_packet(file, path, passphrase=_read_passphrase(passphrase_env))) as store:
        name = store.project_name
        person = store.annotator.name
    return CommandAnswer(
        {"project": str(path), "name": name, "annotator": person}, f"{path.name} is ready for {person}."
    )


def _read_passphrase(variable: str) -> str:
    """Return the passphrase from the environment; as an argument, other users of the machine could see it."""
    if not variable:
        return ""
    phrase = os.environ.get(variable, "")
    if not phrase:
        raise BadInputError(f"The environment variable {variable} is empty. Nothing was done.")
    return phrase
