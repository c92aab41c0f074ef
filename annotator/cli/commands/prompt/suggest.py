"""Ask a model for drafts, look at them, take one or turn it down."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from annotator.base.errors import BadInputError, ExitCode
from annotator.cli.command import Option, Texts, command, subjects_option
from annotator.cli.commands.runs.options import ModelOptions
from annotator.cli.interruption import sigterm_as_interrupt
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, answer_changes, answer_list, read_text, write_error
from annotator.cli.progress_display import ProgressDisplay
from annotator.model.changes import Changes
from annotator.model.rows.views import SuggestionRow
from annotator.services import suggestions
from annotator.services.prompt.rewrite_parts import PARTS, TITLES
from annotator.services.release import release_gates
from annotator.services.suggestion_texts import REWRITE, TAXONOMIES

KINDS = ("instruction", "requirement", "paraphrase", "domain", "criterion", "tests", "rewrite")
_SHOWN = 60
_Drafts = Annotated[Texts, Option("ID", "a draft's id, or the beginning of it; repeat it")]


@command(
    "suggest ask", "annotator suggest ask p.annotator --kind criterion --base-url http://localhost:8000/v1 --model m"
)
@sigterm_as_interrupt()
def ask_for_suggestions(
    store: Project,
    display: ProgressDisplay,
    *,
    kind: Annotated[str, Option(choices=KINDS)],
    subject: Annotated[Texts, subjects_option("default: every accepted subject; repeat it")] = (),
    repository: Annotated[str, Option("R", "only the accepted subjects mined from this one")] = "",
    new: Annotated[bool, Option(help="only subjects without a draft of this kind")] = False,
    undescribed: Annotated[bool, Option(help="only subjects whose prompt is a signature alone")] = False,
    model_options: ModelOptions,
    domains: Annotated[str, Option("D,D", "domaineval, evocodebench, or your own with commas")] = "domaineval",
) -> CommandAnswer:
    """Ask a model for one draft a subject; a rewrite is asked for part by part, and each part is checked."""
    endpoint = model_options.find_endpoint(store)
    ids = subject or suggestions.list_accepted_ids(store, repository, kind if new else "")
    if undescribed and not subject:
        lacking = release_gates.undescribed_subjects(store)
        ids = tuple(item for item in ids if item in lacking)
    if not ids:
        where = f" of {repository}" if repository else ""
        which = "is accepted and has no draft yet" if new else "is accepted yet"
        which = "is a signature alone" if undescribed else which
        raise BadInputError(f"No subject{where} {which}, so there is nothing to ask about.")
    names = TAXONOMIES.get(domains) or tuple(part.strip() for part in domains.split(","))
    drafts = suggestions.ask_for_drafts(
        store, endpoint, model_options.model, kind, ids, display.start("Asking"), domains=names, tell=write_error
    )
    count = len(drafts.rows)
    head = "1 draft is there to be looked at." if count == 1 else f"{count} drafts are there to be looked at."
    for key, reason in drafts.left_out:
        write_error(f"{key}: {reason}")
    if drafts.failed:
        write_error("Ask again with --new for the subjects that have no draft.")
    status = ExitCode.INTERRUPTED if drafts.failed else ExitCode.DONE if drafts.rows else ExitCode.BAD_INPUT
    return CommandAnswer({"suggestions": drafts.rows, "left_out": dict(drafts.left_out)}, head, status)


@command("suggest list", "annotator suggest list p.annotator --open", rows=True)
def list_suggestions(
    store: Project,
    *,
    subject: Annotated[str | None, Option("ID")] = None,
    open: Annotated[bool, Option(help="only those that nobody decided on")] = False,
) -> CommandAnswer:
    """List the drafts."""
    rows = suggestions.suggestions_with_problems(store, suggestions.find_suggestions(store, subject, only_open=open))
    lines = [
        (row.id[:13], row.key, row.kind, row.model, _state_text(row), " ".join(row.text.split())[:_SHOWN])
        for row in rows
    ]
    heads = ("id", "subject", "kind", "model", "state", "text")
    return answer_list("suggestions", rows, heads, lines, none="There is no draft.")


@command("suggest show", "annotator suggest show p.annotator --id 0190")
def show_suggestion(store: Project, *, id: _Drafts) -> CommandAnswer:
    """Show drafts, and what is wrong with them."""
    rows = suggestions.suggestions_with_problems(store, [suggestions.load_suggestion(store, each) for each in id])
    return CommandAnswer(
        rows[0] if len(rows) == 1 else {"suggestions": rows}, "\n\n\n".join(map(_describe_draft, rows))
    )


@command("suggest accept", "annotator suggest accept p.annotator --id 0190 --id 0191")
def accept_suggestion(
    store: Project,
    *,
    id: _Drafts,
    text_file: Annotated[Path | None, Option("F", "take this text instead: the draft as you edited it")] = None,
    part: Annotated[Texts, Option(help="take this part of a rewrite alone; repeat it", choices=(*PARTS, *TITLES))] = (),
) -> CommandAnswer:
    """Take drafts, and say what still keeps them out of a release."""
    if text_file is not None and len(id) > 1:
        raise BadInputError("A text is that of one draft. Give one --id with --text-file.")
    text = read_text(text_file) if text_file else None
    drafts = [suggestions.load_suggestion(store, each) for each in id]
    done = [suggestions.accept_suggestion(store, row.id, text, part) for row in drafts]
    for row in suggestions.suggestions_with_problems(
        store, drafts if text is None else [replace(drafts[0], text=text)]
    ):
        for problem in row.problems:
            write_error(f"{row.key}: {problem}")
    return _answer_all(done)


@command("suggest reject", "annotator suggest reject p.annotator --id 0190")
def reject_suggestion(store: Project, *, id: _Drafts) -> CommandAnswer:
    """Turn drafts down."""
    drafts = [suggestions.load_suggestion(store, each) for each in id]
    return _answer_all([suggestions.reject_suggestion(store, row.id) for row in drafts])


def _answer_all(done: Sequence[Changes]) -> CommandAnswer:
    if len(done) == 1:
        return answer_changes(done[0])
    data = [{"done": changes.label, "change": changes.change_id} for changes in done]
    return CommandAnswer({"acts": data}, "\n".join(changes.label for changes in done))


def _state_text(row: SuggestionRow) -> str:
    if not row.complete:
        return f"{row.state}, {'parts missing' if row.kind == REWRITE else 'cut off'}"
    return f"{row.state}, check" if row.problems else row.state


def _describe_draft(row: SuggestionRow) -> str:
    cut = "" if row.complete else ", parts are missing" if row.kind == REWRITE else ", cut off at the limit of tokens"
    problems = "".join(f"\n- {problem}" for problem in row.problems)
    return f"{row.kind} of {row.key} by {row.model} ({row.template}), {row.state}{cut}{problems}\n\n{row.text}"
