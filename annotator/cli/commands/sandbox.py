"""Build the sandbox, ask what works in it, run jobs."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotator.base.errors import BadInputError, ExitCode
from annotator.cli.output import answer, progress_line, table
from annotator.cli.parser import add_project, command, group

if TYPE_CHECKING:
    from annotator.cli.parser import Commands
    from annotator.sandbox import Job

_LINE_LIMIT = 64 * 1024 * 1024


def add(commands: Commands) -> None:
    """Add ``sandbox build``, ``status``, ``exec``, ``libraries``, ``repositories`` and ``allow``."""
    inner = group(commands, "sandbox", "the place where untrusted code runs")
    build = command(
        inner,
        "build",
        "build the images that code runs in",
        "annotator sandbox build --languages python,javascript",
        _build,
    )
    build.add_argument("--languages", default="", metavar="L,L", help="only what these languages need (default: all)")
    build.add_argument("--mirror", metavar="URL", help="where Debian's packages come from, where no registry answers")
    command(inner, "status", "say what runs code here, and which languages", "annotator sandbox status", _status)
    run = command(
        inner,
        "exec",
        "run jobs: JSON lines from stdin, results to stdout in the same order",
        "annotator sandbox exec < jobs.jsonl > results.jsonl",
        _exec,
        json=False,
    )
    run.add_argument("--jobs", type=int, metavar="N", help="how many at a time (default: one per processor)")
    run.add_argument(
        "--place", choices=("docker", "bubblewrap", "local"), help="only here (default: the best there is)"
    )
    run.add_argument("--allow-local", action="store_true", help="without Docker and bubblewrap, run without isolation")
    libraries = command(
        inner,
        "libraries",
        "say which libraries the items of a project need, and whether they are built",
        "annotator sandbox libraries p.annotator --build",
        _libraries,
    )
    add_project(libraries)
    libraries.add_argument("--build", action="store_true", help="fetch and build those that are not there")
    repositories = command(
        inner,
        "repositories",
        "say which repositories the items of a project are run in, and whether they are kept here",
        "annotator sandbox repositories p.annotator --from ~/src/rsa",
        _repositories,
    )
    add_project(repositories)
    repositories.add_argument(
        "--from", action="append", default=[], type=Path, metavar="PATH", dest="sources",
        help="keep what this folder or source archive holds, if items are run in it",
    )  # fmt: skip
    allow = command(
        inner,
        "allow",
        "let code of a project run on this machine without isolation, or forbid it again",
        "annotator sandbox allow p.annotator --local no",
        _allow,
    )
    add_project(allow)
    allow.add_argument("--local", choices=("yes", "no"), required=True)


def _build(options: argparse.Namespace) -> int:
    from annotator.services import executing

    names = [name for name in options.languages.split(",") if name.strip()]
    built = executing.build(names, progress_line("Building the sandbox"), options.mirror)
    text = f"Built: {', '.join(built)}." if built else "Everything asked for was built already."
    answer(options.json, {"built": built}, text)
    return ExitCode.DONE


def _status(options: argparse.Namespace) -> int:
    from annotator.services import executing

    found = executing.status()
    rows = [
        (item.title, "ready" if item.ready else "not built", item.version, item.libraries) for item in found.languages
    ]
    heading = f"Code runs in {found.place}." if found.place else f"Code cannot be run here. {found.problem}"
    if found.weakness:
        heading += f" Note: {found.weakness}."
    body = table(("language", "state", "version", "libraries"), rows) if rows else ""
    answer(options.json, found, f"{heading}\n\n{body}".strip())
    return ExitCode.DONE if found.place else ExitCode.ENVIRONMENT


def _exec(options: argparse.Namespace) -> int:
    from annotator.services import executing

    if options.jobs is not None and not 1 <= options.jobs <= 256:
        raise BadInputError("--jobs must be between 1 and 256.")
    with executing.sandbox(allow_local=options.allow_local, only=options.place, size=options.jobs) as (pool, place):
        if place.weakness:
            sys.stderr.write(f"Note: {place.weakness}.\n")
        for result in executing.run_jobs(_jobs(), pool):
            sys.stdout.write(json.dumps(result.as_json(), ensure_ascii=False) + "\n")
            sys.stdout.flush()
    return ExitCode.DONE


def _jobs() -> Iterator[Job]:
    from annotator.sandbox import parse_job
    from annotator.sandbox.languages import language

    for number, line in enumerate(sys.stdin.buffer, start=1):
        if len(line) > _LINE_LIMIT:
            raise BadInputError(f"Line {number} is longer than {_LINE_LIMIT // 1024**2} MB. Jobs before it were run.")
        if not line.strip():
            continue
        try:
            row: Any = json.loads(line.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise BadInputError(f"Line {number} is not valid JSON ({error}). Jobs before it were run.") from error
        job = parse_job(row, number)
        language(job.language)
        yield job


def _libraries(options: argparse.Namespace) -> int:
    from annotator.services import libraries, projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        sets = libraries.of_project(store)
    finally:
        store.close()
    rows = libraries.build(sets, progress_line("Building")) if options.build else libraries.status(sets)
    lines = [
        (row.digest[:8], f"{row.items:,}", "ready" if row.ready else row.problem or "not built",
         ", ".join(row.requirements))
        for row in rows
    ]  # fmt: skip
    text = table(("set", "items", "state", "libraries"), lines, right=(1,)) if rows else "No item needs any."
    answer(options.json, {"libraries": rows}, text)
    return ExitCode.DONE if all(row.ready for row in rows) else ExitCode.ENVIRONMENT


def _repositories(options: argparse.Namespace) -> int:
    from annotator.services import kept_repositories, projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        wanted = kept_repositories.of_project(store)
    finally:
        store.close()
    kept_repositories.take(options.sources, wanted, progress_line("Taking"))
    rows = kept_repositories.status(wanted)
    lines = [(row.digest[:8], f"{row.items:,}", "kept" if row.ready else "not kept here") for row in rows]
    text = table(("content", "items", "state"), lines, right=(1,)) if rows else "No item is run in a repository."
    answer(options.json, {"repositories": rows}, text)
    return ExitCode.DONE if all(row.ready for row in rows) else ExitCode.ENVIRONMENT


def _allow(options: argparse.Namespace) -> int:
    from annotator.services import projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        projects.allow_local_execution(store, options.local == "yes")
    finally:
        store.close()
    text = "Code of this project may run here without isolation. The window says so for as long as it holds."
    answer(options.json, {"local": options.local == "yes"}, text if options.local == "yes" else "Forbidden again.")
    return ExitCode.DONE
