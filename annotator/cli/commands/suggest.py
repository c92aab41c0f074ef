"""Ask a model for drafts, look at them, take one or turn it down."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from annotator.base.errors import BadInputError, ExitCode
from annotator.cli.commands.run_options import endpoint_from
from annotator.cli.output import answer, progress_line, table
from annotator.cli.parser import add_project, command, group

if TYPE_CHECKING:
    from annotator.cli.parser import Commands

KINDS = ("instruction", "requirement", "paraphrase", "domain", "criterion", "tests")
_SHOWN = 60


def add(commands: Commands) -> None:
    """Add suggest ask, list, show, accept and reject."""
    inner = group(commands, "suggest", "drafts by a model, for a person to take or turn down")
    parser = command(
        inner,
        "ask",
        "ask a model for one draft a subject",
        "annotator suggest ask p.annotator --kind criterion --base-url http://localhost:8000/v1 --model m",
        _ask,
    )
    add_project(parser)
    parser.add_argument("--kind", choices=KINDS, required=True)
    parser.add_argument(
        "--subject", action="append", default=[], metavar="ID", help="default: every accepted subject; repeat it"
    )
    parser.add_argument("--repository", default="", metavar="R", help="only the accepted subjects mined from this one")
    parser.add_argument("--new", action="store_true", help="only subjects without a draft of this kind")
    add_model(parser)
    parser.add_argument(
        "--domains", default="domaineval", metavar="D,D", help="domaineval, evocodebench, or your own with commas"
    )
    parser = command(inner, "list", "list the drafts", "annotator suggest list p.annotator --open", _list)
    add_project(parser)
    parser.add_argument("--subject", metavar="ID")
    parser.add_argument("--open", action="store_true", help="only those that nobody decided on")
    parser = command(inner, "show", "show one draft", "annotator suggest show p.annotator --id 0190", _show)
    _one(parser)
    parser = command(inner, "accept", "take a draft", "annotator suggest accept p.annotator --id 0190", _accept)
    _one(parser)
    parser.add_argument("--text-file", metavar="F", help="take this text instead: the draft as you edited it")
    _one(command(inner, "reject", "turn a draft down", "annotator suggest reject p.annotator --id 0190", _reject))


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add which model is asked, and where."""
    parser.add_argument("--model", required=True, metavar="M")
    parser.add_argument("--base-url", metavar="U", help="an OpenAI-compatible endpoint")
    parser.add_argument("--endpoint", metavar="NAME", help="an endpoint of the project instead")
    parser.add_argument("--key-name", metavar="NAME", help="where the key is: an environment variable or keyring entry")


def _one(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("--id", required=True, metavar="ID", help="the draft's id, or the beginning of it")


def _ask(options: argparse.Namespace) -> int:
    from annotator.services import asking, projects, suggesting
    from annotator.services.suggestion_texts import TAXONOMIES

    domains = TAXONOMIES.get(options.domains) or tuple(part.strip() for part in options.domains.split(","))
    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        endpoint = endpoint_from(store, options)
        ids = options.subject or suggesting.accepted(store, options.repository, options.kind if options.new else "")
        if not ids:
            where = f" of {options.repository}" if options.repository else ""
            which = "is accepted and has no draft yet" if options.new else "is accepted yet"
            raise BadInputError(f"No subject{where} {which}, so there is nothing to ask about.")
        asked = asking.ask_for_drafts(
            store, endpoint, options.model, options.kind, ids, progress_line("Asking"), domains=domains
        )
    finally:
        store.close()
    count = len(asked.rows)
    said = "1 draft is there to be looked at." if count == 1 else f"{count} drafts are there to be looked at."
    lines = [said, *(f"{key}: {reason}" for key, reason in asked.left_out)]
    answer(options.json, {"suggestions": asked.rows, "left_out": dict(asked.left_out)}, "\n".join(lines))
    return ExitCode.DONE


def _list(options: argparse.Namespace) -> int:
    from annotator.services import projects, suggesting

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        rows = suggesting.listing(store, options.subject, only_open=options.open)
    finally:
        store.close()
    lines = [
        (row.id[:13], row.key, row.kind, row.model, row.state, " ".join(row.text.split())[:_SHOWN]) for row in rows
    ]
    text = table(("id", "subject", "kind", "model", "state", "text"), lines) if rows else "There is no draft."
    answer(options.json, {"suggestions": rows}, text)
    return ExitCode.DONE


def _show(options: argparse.Namespace) -> int:
    from annotator.services import projects, suggesting

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        row = suggesting.one(store, options.id)
    finally:
        store.close()
    answer(options.json, row, f"{row.kind} of {row.key} by {row.model} ({row.template}), {row.state}\n\n{row.text}")
    return ExitCode.DONE


def _accept(options: argparse.Namespace) -> int:
    from pathlib import Path

    from annotator.cli.commands.work import read_text
    from annotator.services import projects, suggesting

    text = read_text(Path(options.text_file)) if options.text_file else None
    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        changes = suggesting.accept(store, options.id, text)
    finally:
        store.close()
    answer(options.json, {"done": changes.label, "change": changes.change_id}, changes.label)
    return ExitCode.DONE


def _reject(options: argparse.Namespace) -> int:
    from annotator.services import projects, suggesting

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        changes = suggesting.reject(store, options.id)
    finally:
        store.close()
    answer(options.json, {"done": changes.label, "change": changes.change_id}, changes.label)
    return ExitCode.DONE
