"""A project on a server: bring it there and back, join it, and work through one queue with others."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from annotator.base.errors import ExitCode
from annotator.cli.output import answer, progress_line, table
from annotator.cli.parser import add_project, command, group, project_place

if TYPE_CHECKING:
    from annotator.cli.parser import Commands

_URL = "postgresql+psycopg://mei@server/benchmark"
_VERDICTS = ("accept", "reject", "skip", "flag")


def add(commands: Commands) -> None:
    """Add the groups project and lease."""
    inner = group(commands, "project", "bring a project onto a server and back")
    parser = command(
        inner,
        "copy",
        "copy a project file onto a PostgreSQL server, or back into a file",
        f"annotator project copy p.annotator {_URL}",
        _copy,
    )
    parser.add_argument(
        "source", type=project_place, metavar="FROM", help="a project file, or the address of a project"
    )
    parser.add_argument(
        "target", type=project_place, metavar="TO", help="the address of an empty database, or a new file"
    )
    parser = command(
        inner,
        "upgrade",
        "bring a project on a server to this version; back it up before (pg_dump)",
        f"annotator project upgrade {_URL}",
        _upgrade,
    )
    parser.add_argument("project", type=project_place, metavar="ADDRESS")
    parser = command(inner, "join", "add a person to a project", f"annotator project join {_URL} --name Bo", _join)
    parser.add_argument("project", type=project_place, metavar="PROJECT")
    parser.add_argument("--name", required=True, metavar="NAME")
    parser.add_argument("--role", default="expert", metavar="R")
    _add_leases(commands)


def _add_leases(commands: Commands) -> None:
    inner = group(commands, "lease", "take the next subject nobody else has")
    take = command(
        inner,
        "take",
        "be given the next open subjects nobody has",
        f"annotator lease take {_URL} --annotator Mei",
        _take,
    )
    add_project(take)
    take.add_argument("--count", type=int, default=1, metavar="N", help="how many (1)")
    take.add_argument("--minutes", type=float, default=30.0, metavar="M", help="for how long they are yours (30)")
    take.add_argument("--language", action="append", default=[], metavar="L")
    take.add_argument("--task", action="append", default=[], metavar="T")
    take.add_argument("--domain", action="append", default=[], metavar="D")
    take.add_argument("--search", default="", metavar="TEXT", help="words that start some word of the subject")
    decide = command(
        inner,
        "decide",
        "decide on a subject that is yours",
        f"annotator lease decide {_URL} --annotator Mei --subject HumanEval/0 --verdict accept",
        _decide,
    )
    add_project(decide)
    decide.add_argument("--subject", required=True, metavar="ID", help="its id or key")
    decide.add_argument("--verdict", required=True, choices=_VERDICTS)
    decide.add_argument("--reason", default="", metavar="R")
    back = command(
        inner,
        "return",
        "let others have subjects that are yours",
        f"annotator lease return {_URL} --annotator Mei --subject HumanEval/0",
        _return,
    )
    add_project(back)
    back.add_argument("--subject", required=True, action="append", metavar="ID", help="its id or key; repeat it")
    listing = command(inner, "list", "list who works on what", f"annotator lease list {_URL} --annotator Mei", _list)
    add_project(listing)


def _copy(options: argparse.Namespace) -> int:
    from annotator.services import moving

    report = moving.copy_project(options.source, options.target, progress_line("copy"))
    data = {"source": report.source, "target": report.target, "rows": report.rows, "digest": report.digest}
    text = (
        f"{report.total} rows of {len(report.rows)} tables were copied and compared.\n"
        f"The project is now also in {report.target}"
    )
    answer(options.json, data, text)
    return ExitCode.DONE


def _upgrade(options: argparse.Namespace) -> int:
    from annotator.services import moving

    before, now = moving.upgrade(options.project)
    text = f"The schema is {now} now; it was {before}." if before < now else f"The schema is {now} already."
    answer(options.json, {"before": before, "now": now}, text)
    return ExitCode.DONE


def _join(options: argparse.Namespace) -> int:
    from annotator.services import moving

    moving.join(options.project, options.name, options.role)
    answer(options.json, {"annotator": options.name}, f"{options.name} is in the project.")
    return ExitCode.DONE


def _take(options: argparse.Namespace) -> int:
    from annotator.model.rows import QueueFilter
    from annotator.services import leasing, projects

    wanted = QueueFilter(
        text=options.search,
        verdicts=("open",),
        languages=tuple(options.language),
        tasks=tuple(options.task),
        domains=tuple(options.domain),
    )
    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        rows = leasing.take_next(store, wanted, options.count, seconds=60 * options.minutes)
    finally:
        store.close()
    text = table(("key", "language", "title"), [(row.key, row.language, row.title) for row in rows])
    answer(options.json, {"subjects": rows}, text if rows else "There is no open subject that nobody has.")
    return ExitCode.DONE


def _decide(options: argparse.Namespace) -> int:
    from annotator.model.words import Verdict
    from annotator.services import leasing, projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        changes = leasing.decide(store, options.subject, Verdict(options.verdict), options.reason)
    finally:
        store.close()
    answer(options.json, {"done": changes.label, "change": changes.change_id}, changes.label)
    return ExitCode.DONE


def _return(options: argparse.Namespace) -> int:
    from annotator.services import leasing, projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        ended = leasing.give_back(store, options.subject)
    finally:
        store.close()
    answer(options.json, {"returned": ended}, f"{ended} returned.")
    return ExitCode.DONE


def _list(options: argparse.Namespace) -> int:
    from annotator.services import leasing, projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        rows = leasing.leases(store)
    finally:
        store.close()
    text = table(
        ("key", "who", "minutes left", "title"),
        [(row.key, row.annotator, f"{row.seconds_left / 60:.0f}", row.title) for row in rows],
        (2,),
    )
    answer(options.json, {"leases": rows}, text if rows else "Nobody has anything at the moment.")
    return ExitCode.DONE
