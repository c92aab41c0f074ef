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
    parser.add_argument("--model", required=True, metavar="M")
    parser.add_argument("--base-url", metavar="U", help="an OpenAI-compatible endpoint")
    parser.add_argument("--endpoint", metavar="NAME", help="an endpoint of the project instead")
    parser.add_argument("--key-name", metavar="NAME", help="where the key is: an environment variable or keyring entry")
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


def _one(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("--id", required=True, metavar="ID", help="the draft's id, or the beginning of it")


def _ask(options: argparse.Namespace) -> int:
    from annotator.llm import CachedAsker, Client, Helper
    from annotator.services import projects, suggesting
    from annotator.services.run_sink import StoreCache
    from annotator.services.suggestion_texts import TAXONOMIES

    domains = TAXONOMIES.get(options.domains) or tuple(part.strip() for part in options.domains.split(","))
    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        endpoint = endpoint_from(store, options)
        ids = options.subject or suggesting.accepted(store)
        if not ids:
            raise BadInputError("No subject is accepted yet, so there is nothing to ask about.")
        with Client(endpoint) as client:
            helper = Helper(CachedAsker(client, StoreCache(store)), endpoint, options.model)
            work = progress_line("Asking")
            rows, left_out, _ = suggesting.suggest(store, options.kind, ids, helper, work, domains=domains)
    finally:
        store.close()
    lines = [f"{len(rows)} drafts are there to be looked at.", *(f"{key}: {reason}" for key, reason in left_out)]
    answer(options.json, {"suggestions": rows, "left_out": dict(left_out)}, "\n".join(lines))
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
