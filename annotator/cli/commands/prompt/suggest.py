"""Ask a model for drafts, look at them, take one or turn it down."""

from pathlib import Path
from typing import Annotated

from annotator.base.errors import BadInputError, ExitCode
from annotator.cli.command import Option, Texts, command
from annotator.cli.commands.runs.options import ModelOptions
from annotator.cli.open_project import Project
from annotator.cli.output import Answer, answer_changes, progress_line, read_text, table, write_error
from annotator.services import suggestions
from annotator.services.release import release_gates
from annotator.services.suggestion_texts import TAXONOMIES

KINDS = ("instruction", "requirement", "paraphrase", "domain", "criterion", "tests")
_SHOWN = 60
_Draft = Annotated[str, Option("ID", "the draft's id, or the beginning of it")]


@command(
    "suggest ask", "annotator suggest ask p.annotator --kind criterion --base-url http://localhost:8000/v1 --model m"
)
def ask_for_suggestions(
    store: Project,
    *,
    kind: Annotated[str, Option(choices=KINDS)],
    subject: Annotated[
        Texts, Option("ID", "default: every accepted subject; repeat it; - reads them from standard input", piped=True)
    ] = (),
    repository: Annotated[str, Option("R", "only the accepted subjects mined from this one")] = "",
    new: Annotated[bool, Option(help="only subjects without a draft of this kind")] = False,
    undescribed: Annotated[bool, Option(help="only subjects whose prompt is a signature alone")] = False,
    asked: ModelOptions,
    domains: Annotated[str, Option("D,D", "domaineval, evocodebench, or your own with commas")] = "domaineval",
) -> Answer:
    """Ask a model for one draft a subject."""
    endpoint = asked.find_endpoint(store)
    ids = subject or suggestions.accepted(store, repository, kind if new else "")
    if undescribed and not subject:
        lacking = release_gates.undescribed(store)
        ids = tuple(item for item in ids if item in lacking)
    if not ids:
        where = f" of {repository}" if repository else ""
        which = "is accepted and has no draft yet" if new else "is accepted yet"
        which = "is a signature alone" if undescribed else which
        raise BadInputError(f"No subject{where} {which}, so there is nothing to ask about.")
    names = TAXONOMIES.get(domains) or tuple(part.strip() for part in domains.split(","))
    drafts = suggestions.ask_for_drafts(store, endpoint, asked.model, kind, ids, progress_line("Asking"), domains=names)
    count = len(drafts.rows)
    head = "1 draft is there to be looked at." if count == 1 else f"{count} drafts are there to be looked at."
    for key, reason in drafts.left_out:
        write_error(f"{key}: {reason}")
    if drafts.failed:
        write_error("Ask again with --new for the subjects that have no draft.")
    status = ExitCode.INTERRUPTED if drafts.failed else ExitCode.DONE if drafts.rows else ExitCode.BAD_INPUT
    return Answer({"suggestions": drafts.rows, "left_out": dict(drafts.left_out)}, head, status)


@command("suggest list", "annotator suggest list p.annotator --open", rows=True)
def list_suggestions(
    store: Project,
    *,
    subject: Annotated[str | None, Option("ID")] = None,
    open: Annotated[bool, Option(help="only those that nobody decided on")] = False,
) -> Answer:
    """List the drafts."""
    rows = suggestions.listing(store, subject, only_open=open)
    lines = [
        (row.id[:13], row.key, row.kind, row.model, row.state, " ".join(row.text.split())[:_SHOWN]) for row in rows
    ]
    text = table(("id", "subject", "kind", "model", "state", "text"), lines) if rows else "There is no draft."
    return Answer({"suggestions": rows}, text, rows=rows)


@command("suggest show", "annotator suggest show p.annotator --id 0190")
def show_suggestion(store: Project, *, id: _Draft) -> Answer:
    """Show one draft."""
    row = suggestions.one(store, id)
    return Answer(row, f"{row.kind} of {row.key} by {row.model} ({row.template}), {row.state}\n\n{row.text}")


@command("suggest accept", "annotator suggest accept p.annotator --id 0190")
def accept_suggestion(
    store: Project,
    *,
    id: _Draft,
    text_file: Annotated[Path | None, Option("F", "take this text instead: the draft as you edited it")] = None,
) -> Answer:
    """Take a draft."""
    text = read_text(text_file) if text_file else None
    return answer_changes(suggestions.accept(store, id, text))


@command("suggest reject", "annotator suggest reject p.annotator --id 0190")
def reject_suggestion(store: Project, *, id: _Draft) -> Answer:
    """Turn a draft down."""
    return answer_changes(suggestions.reject(store, id))
