"""This machine: check what works on it, build the sandbox, run jobs in it, and score on several machines."""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from annotator.base.addresses import Place
from annotator.base.errors import BadInputError, ExitCode, KnownError
from annotator.cli.command import HIDDEN, Argument, Option, command, parse_port, parse_whole
from annotator.cli.commands.program.window import describe_window
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, paint_finding, text_table, write_error, write_out
from annotator.cli.progress_display import ProgressDisplay
from annotator.sandbox import PLACES, Job, PlaceName, parse_job
from annotator.sandbox.languages import find_language
from annotator.services import library_sets as libraries
from annotator.services import repository_snapshots
from annotator.services.program import sandbox
from annotator.services.program.cluster import join_cluster, serve_cluster
from annotator.services.program.doctor import run_checks
from annotator.services.project import members

_MAX_LINE_BYTES = 64 * 1024 * 1024
_MAX_LIBRARIES_LISTED = 10
_DEFAULT_PORT = 8786
_Workers = Annotated[int, Option("N", "number of scoring processes on this machine", parse=parse_whole)]


@command("doctor", "annotator doctor --json")
def examine_machine(
    *,
    project: Annotated[Place | None, Option("P", "also check this project")] = None,
    # Used by the doctor's own window check, which runs in a subprocess because a broken toolkit may abort it.
    window_only: Annotated[bool, Option(help=HIDDEN)] = False,
) -> CommandAnswer:
    """Check what works on this machine."""
    if window_only:
        return CommandAnswer(describe_window())
    findings = run_checks(project)
    rows = [(item.ok, item.name, item.detail) for item in findings]
    broken = [item for item in findings if item.needed and not item.ok]
    if broken:
        write_error(f"{broken[0].name} does not work here, but Annotator requires it.")
    return CommandAnswer(
        {"checks": findings},
        text_table(("works", "what", "detail"), rows),
        ExitCode.ENVIRONMENT if broken else ExitCode.DONE,
        paint=paint_finding,
    )


@command("sandbox build", "annotator sandbox build --languages python,javascript")
def build_sandbox(
    display: ProgressDisplay,
    *,
    languages: Annotated[str, Option("L,L", "only for these languages (default: all)")] = "",
    mirror: Annotated[str | None, Option("URL", "source of Debian packages, if no registry can be reached")] = None,
) -> CommandAnswer:
    """Build the sandbox images."""
    names = [name for name in languages.split(",") if name.strip()]
    built = sandbox.build_images(names, display.start("Building the sandbox"), mirror)
    text = f"Built: {', '.join(built)}." if built else "Everything requested was already built."
    return CommandAnswer({"built": built}, text)


@command("sandbox status", "annotator sandbox status")
def show_sandbox() -> CommandAnswer:
    """Show what runs code here, and which languages."""
    status = sandbox.sandbox_status()
    rows = [
        (item.title, "ready" if item.ready else "not built", item.version, item.libraries) for item in status.languages
    ]
    heading = f"Code runs in {status.place}." if status.place else f"Code cannot be run here. {status.problem}"
    if status.weakness:
        heading += f" Note: {status.weakness}."
    body = text_table(("language", "state", "version", "libraries"), rows) if rows else ""
    return CommandAnswer(
        status, f"{heading}\n\n{body}".strip(), ExitCode.DONE if status.place else ExitCode.ENVIRONMENT
    )


@command("sandbox exec", "annotator sandbox exec < jobs.jsonl > results.jsonl", json=False)
def execute_jobs(
    *,
    jobs: Annotated[
        int | None, Option("N", "number of parallel jobs (default: one per processor)", parse=parse_whole)
    ] = None,
    place: Annotated[
        PlaceName | None, Option(help="only with this (default: the best available)", choices=PLACES)
    ] = None,
    allow_local: Annotated[
        bool, Option(help="run without isolation if neither Docker nor bubblewrap is available")
    ] = False,
) -> ExitCode:
    """Run jobs: JSON lines from stdin, results to stdout in the same order."""
    if jobs is not None and not 1 <= jobs <= 256:
        raise BadInputError("--jobs must be between 1 and 256.")
    refused: list[KnownError] = []
    with sandbox.open_sandbox(allow_local=allow_local, only=place, size=jobs) as (pool, status):
        if status.weakness:
            write_error(f"Note: {status.weakness}.")
        for result in pool.run(_read_jobs(refused)):
            write_out(json.dumps(result.as_json(), ensure_ascii=False) + "\n")
    if refused:
        raise refused[0]
    return ExitCode.DONE


_NO_LIBRARIES = (
    "No item requires a library. Import items with --library rsa==4.9 (Python) or --library npm:lodash==4.17.21 "
    "(JavaScript and TypeScript) to add one; other languages have only the libraries in their image."
)


@command("sandbox libraries", "annotator sandbox libraries p.annotator --build")
def list_libraries(
    store: Project,
    display: ProgressDisplay,
    *,
    build: Annotated[bool, Option(help="download and build the missing ones")] = False,
) -> CommandAnswer:
    """List the libraries that a project's items require, and whether they are built."""
    sets = libraries.project_library_sets(store)
    rows = libraries.build_library_sets(sets, display.start("Building")) if build else libraries.library_status(sets)
    lines = [
        (row.digest[:8], f"{row.items:,}", "ready" if row.ready else row.problem or "not built",
         _summarise_libraries(row.requirements))
        for row in rows
    ]  # fmt: skip
    text = text_table(("set", "items", "state", "libraries"), lines, right=(1,)) if rows else _NO_LIBRARIES
    return CommandAnswer(
        {"libraries": rows}, text, ExitCode.DONE if all(row.ready for row in rows) else ExitCode.ENVIRONMENT
    )


def _summarise_libraries(requirements: Sequence[str]) -> str:
    """Return the names of a set of libraries; a long list is cut and the rest counted."""
    names = ", ".join(requirements[:_MAX_LIBRARIES_LISTED])
    omitted_count = len(requirements) - _MAX_LIBRARIES_LISTED
    return f"{names} and {omitted_count} more; --json lists all of them" if omitted_count > 0 else names


@command("sandbox repositories", "annotator sandbox repositories p.annotator --from ~/src/rsa")
def list_repositories(
    store: Project,
    display: ProgressDisplay,
    *,
    sources: Annotated[
        tuple[Path, ...], Option("PATH", "store this folder or source archive, if items run in it", flag="--from")
    ] = (),
) -> CommandAnswer:
    """List the repositories that a project's items run in, and whether they are stored here."""
    snapshots = repository_snapshots.count_items_by_repository(store)
    wheels = repository_snapshots.wheels_of(store)
    repository_snapshots.take_snapshots(sources, snapshots, display.start("Taking"), wheels)
    rows = repository_snapshots.snapshot_status(snapshots)
    lines = [(row.digest[:8], f"{row.items:,}", "kept" if row.ready else "not stored here") for row in rows]
    text = text_table(("content", "items", "state"), lines, right=(1,)) if rows else "No item runs in a repository."
    return CommandAnswer(
        {"repositories": rows}, text, ExitCode.DONE if all(row.ready for row in rows) else ExitCode.ENVIRONMENT
    )


@command("sandbox allow", "annotator sandbox allow p.annotator --local no")
def allow_local(
    store: Project,
    *,
    local: Annotated[str, Option(help="whether code may run without isolation", choices=("yes", "no"))],
) -> CommandAnswer:
    """Allow code of a project to run on this machine without isolation, or forbid it again."""
    members.allow_local_execution(store, local == "yes")
    text = "Code of this project may run here without isolation. The window shows a warning while this is allowed."
    return CommandAnswer({"local": local == "yes"}, text if local == "yes" else "Forbidden again.")


def _read_jobs(refused: list[KnownError]) -> Iterator[Job]:
    """Read jobs from stdin; errors about unknown languages are added to ``refused``, and their results say so too."""
    for number, line in enumerate(sys.stdin.buffer, start=1):
        if len(line) > _MAX_LINE_BYTES:
            raise BadInputError(
                f"Line {number} is longer than {_MAX_LINE_BYTES // 1024**2} MB. Jobs before it were run."
            )
        if not line.strip():
            continue
        try:
            row: object = json.loads(line.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise BadInputError(f"Line {number} is not valid JSON ({error}). Jobs before it were run.") from error
        job = parse_job(row, number)
        try:
            find_language(job.language)
        except KnownError as error:
            refused.append(error)
        yield job


@command("cluster start", "annotator cluster start --workers 4")
def start_cluster(
    *,
    workers: _Workers = 2,
    host: Annotated[
        str, Option("H", "address of this machine for others; anyone who can reach it can run programs here")
    ] = "127.0.0.1",
    port: Annotated[int, Option("N", "default: 8786", parse=parse_port)] = _DEFAULT_PORT,
) -> CommandAnswer:
    """Start a scheduler with workers, until Ctrl+C."""
    serve_cluster(host, port, workers, _print_advice)
    return CommandAnswer({}, "")


@command("cluster join", "annotator cluster join 10.0.0.5:8786 --workers 4")
def join_scheduler(
    *, address: Annotated[str, Argument("HOST:PORT", "address of the scheduler")], workers: _Workers = 2
) -> CommandAnswer:
    """Start workers for a scheduler on another machine, until Ctrl+C."""
    join_cluster(address, workers, _print_advice)
    return CommandAnswer({}, "")


def _print_advice(address: str) -> None:
    write_error(f"Score here with: --executor dask://{address}")
