"""Mine functions with tests from Python repositories."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotator.base.errors import ExitCode, MissingEnvironmentError, UsageError
from annotator.cli.output import answer, progress_line, table
from annotator.cli.parser import command

if TYPE_CHECKING:
    from annotator.cli.parser import Commands
    from annotator.mining.repository.rows import SubjectRow
    from annotator.services.repository_mining import Outcome

RECIPES = ("domaineval", "evocodebench")


def add_repository(group: Commands) -> None:
    """Add ``mine repository`` to the commands of ``mine``."""
    parser = command(
        group,
        "repository",
        "find functions with tests in Python repositories",
        "annotator mine repository ~/src/rsa ~/src/rich --out subjects.jsonl",
        _mine,
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="folders of repositories, or their sdists")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--out", type=Path, metavar="F.jsonl", help="where the rows go, one a line")
    where.add_argument("--project", type=Path, metavar="P", help="import the rows into this project")
    parser.add_argument("--annotator", metavar="NAME", help="work as this annotator of the project")
    parser.add_argument("--domain", default="", metavar="D", help="the domain of the repositories (default: guessed)")
    parser.add_argument("--recipe", choices=RECIPES, default=RECIPES[0], help="whose rules (default: domaineval)")
    parser.add_argument("--metadata", type=Path, metavar="F.json", help="facts in GitHub's field names, for one PATH")
    parser.add_argument("--lines", metavar="N-N", help="how long a body may be (default: 3-100)")
    parser.add_argument("--months", type=int, default=6, metavar="N", help="how young evocodebench wants a repository")
    parser.add_argument(
        "--take", action="append", default=[], metavar="PATH::NAME", help="keep this function whatever the filters say"
    )
    parser.add_argument("--static-only", action="store_true", help="read only; run nothing in the sandbox")
    parser.add_argument("--all", action="store_true", help="keep rows that a filter turned down, marked as such")
    parser.add_argument("--paper-mode", action="store_true", help="find banned calls by plain text, as the paper does")


def _mine(options: argparse.Namespace) -> int:
    from annotator.mining.repository.facts import read_metadata
    from annotator.services import projects, repository_mining

    if options.metadata is not None and len(options.paths) != 1:
        raise UsageError("--metadata speaks of one repository, so name one PATH with it.")
    metadata = read_metadata(options.metadata) if options.metadata is not None else None
    settings = repository_mining.Options(
        recipe=options.recipe, domain=options.domain, metadata=metadata, paper_mode=options.paper_mode,
        lines=_lines(options.lines), months=options.months,
    )  # fmt: skip
    progress = progress_line("Mining")
    outcomes = repository_mining.mine_repositories(options.paths, settings, progress, static_only=options.static_only)
    done: list[dict[str, Any]] = []
    if options.out is not None:
        _write(options, outcomes, done)
    else:
        store = projects.open_project(options.project, annotator=options.annotator)
        try:
            for outcome in outcomes:
                rows = repository_mining.chosen(outcome, everything=options.all, by_hand=options.take)
                if rows:
                    repository_mining.import_rows(store, outcome.path, rows)
                done.append(_summary(outcome, rows, options.take))
        finally:
            store.close()
    for name in sorted(set(options.take) - {name for item in done for name in item["by_hand"]}):
        sys.stderr.write(f"{name} is not among the functions that were found, so it was not taken.\n")
    answer(options.json, done, _told(done))
    failed = [item for item in done if item["problem"]]
    return ExitCode.BAD_INPUT if failed and len(failed) == len(done) else ExitCode.DONE


def _lines(text: str | None) -> tuple[int, int]:
    from annotator.mining.repository.selection import LINES

    if text is None:
        return LINES
    low, dash, high = text.partition("-")
    if not (dash and low.isdecimal() and high.isdecimal() and 1 <= int(low) <= int(high)):
        raise UsageError("--lines wants two numbers, the smaller first, such as 3-100.")
    return int(low), int(high)


def _write(options: argparse.Namespace, outcomes: Any, done: list[dict[str, Any]]) -> None:
    from annotator.services import repository_mining

    path: Path = options.out
    try:
        with path.open("w", encoding="utf-8") as stream:
            for outcome in outcomes:
                rows = repository_mining.chosen(outcome, everything=options.all, by_hand=options.take)
                stream.writelines(repository_mining.lines(rows))
                stream.flush()
                done.append(_summary(outcome, rows, options.take))
    except OSError as error:
        raise MissingEnvironmentError(f"{path.name} could not be written ({error.strerror}).") from error


def _summary(outcome: Outcome, rows: Sequence[SubjectRow], take: Sequence[str]) -> dict[str, Any]:
    from annotator.mining.repository.rows import failures
    from annotator.services.repository_mining import name_of

    mined = outcome.mined
    found: dict[str, Any] = {"repository": outcome.path.name, "kept": len(rows), "problem": outcome.problem}
    found["by_hand"] = sorted({name_of(row) for row in rows} & set(take))
    if mined is not None:
        found.update(
            candidates=len(mined.rows),
            tests=mined.tests,
            turned_down=failures(mined.rows),
            repository_filters=mined.repository_filters,
            skipped=mined.skipped,
            missing_libraries=outcome.missing,
            note=outcome.note,
        )
    elif outcome.problem:
        sys.stderr.write(f"{outcome.path.name}: {outcome.problem}\n")
    return found


def _told(done: list[dict[str, Any]]) -> str:
    rows = [
        (item["repository"], str(item.get("tests", "")), str(item.get("candidates", "")), str(item["kept"]),
         item["problem"] or ", ".join(f"{name} {count}" for name, count in item["turned_down"].items()))
        for item in done
    ]  # fmt: skip
    return table(("repository", "tests", "candidates", "kept", "turned down by"), rows, right=(1, 2, 3))
