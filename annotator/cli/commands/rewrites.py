"""Rewrite mined code into a task its author's code does not solve."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.base.errors import BadInputError, ExitCode
from annotator.cli.commands.work import read_text
from annotator.cli.output import answer, progress_line, table
from annotator.cli.parser import add_project, command, group

if TYPE_CHECKING:
    from annotator.cli.parser import Commands
    from annotator.services.rewriting import RewriteView

_SIGNS = {True: "✓", False: "✗", None: "?"}


def add(commands: Commands) -> None:
    """Add rewrite show, set, check, explain and confirm."""
    inner = group(commands, "rewrite", "rewrite mined code into a task that its own code does not solve")
    _subject(command(inner, "show", "show a rewrite, or a first draft, with its gates",
                     "annotator rewrite show p.annotator --subject merge --json > rewrite.json", _show))  # fmt: skip
    parser = command(
        inner,
        "set",
        "save a rewrite with its table of tests and references",
        "annotator rewrite set p.annotator --subject merge --file rewrite.json",
        _set,
    )
    _subject(parser)
    parser.add_argument("--file", type=Path, required=True, metavar="F.json", help="as rewrite show --json gives it")
    _subject(command(inner, "check", "run mined code and references on the table, and show the gates",
                     "annotator rewrite check p.annotator --subject merge", _check))  # fmt: skip
    for name, summary, example in (
        ("explain", "say why a reference may stay below full coverage", '--language java --reason "unreachable"'),
        ("confirm", "confirm the reason another person gave", "--language java --annotator Ada"),
    ):
        call = _explain if name == "explain" else _confirm
        parser = command(inner, name, summary, f"annotator rewrite {name} p.annotator --subject merge {example}", call)
        _subject(parser)
        parser.add_argument("--language", required=True, metavar="L")
        if name == "explain":
            parser.add_argument("--reason", required=True, metavar="R")


def _subject(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("--subject", required=True, metavar="ID", help="its id or key")


def _show(options: argparse.Namespace) -> int:
    from annotator.services import projects, rewriting

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        return _tell(options, rewriting.view(store, options.subject))
    finally:
        store.close()


def _set(options: argparse.Namespace) -> int:
    from annotator.services import projects, rewriting

    try:
        document = json.loads(read_text(options.file))
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"{options.file.name} is not valid JSON ({error}). Nothing was changed.") from error
    if isinstance(document, dict) and "document" in document:
        document = document["document"]
    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        rewriting.save(store, options.subject, document)
        return _tell(options, rewriting.view(store, options.subject))
    finally:
        store.close()


def _check(options: argparse.Namespace) -> int:
    from annotator.services import projects, rewriting

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        return _tell(options, rewriting.check(store, options.subject, progress_line("check")))
    finally:
        store.close()


def _explain(options: argparse.Namespace) -> int:
    from annotator.services import projects, rewriting

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        rewriting.explain(store, options.subject, options.language, options.reason)
        return _tell(options, rewriting.view(store, options.subject))
    finally:
        store.close()


def _confirm(options: argparse.Namespace) -> int:
    from annotator.services import projects, rewriting

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        rewriting.confirm(store, options.subject, options.language)
        return _tell(options, rewriting.view(store, options.subject))
    finally:
        store.close()


def _tell(options: argparse.Namespace, found: RewriteView) -> int:
    from annotator.services import rewriting

    data = {
        "document": rewriting.work_json(found.work),
        "saved": found.saved,
        "checked": found.checked,
        "passed": found.passed,
        "gates": found.gates,
        "disagreements": found.disagreements,
        "results": found.results,
        "coverage": found.coverage,
    }
    rows = [(_SIGNS[gate.passed], gate.name, gate.detail) for gate in found.gates]
    heading = f"{found.subject.row.title}: {'rewritten' if found.saved else 'a first draft, not saved yet'}"
    answer(options.json, data, f"{heading}\n{table(('', 'gate', 'seen'), rows)}")
    return ExitCode.DONE
