"""Ask a model for suggestions, show them, accept or reject them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from annotator.base.errors import BadInputError, ExitCode
from annotator.cli.command import Option, Texts, command, subjects_option
from annotator.cli.commands.runs.options import ModelOptions
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, answer_changes, answer_list, read_text, write_error
from annotator.cli.progress_display import ProgressDisplay
from annotator.model.changes import Changes
from annotator.model.rows.view_rows import SuggestionRow
from annotator.services import suggestions
from annotator.services.prompt.rewrite_parts import PARTS, TITLES
from annotator.services.release import release_gates
from annotator.services.suggestion_replies import REWRITE, TAXONOMIES
from annotator.store.file.project_file import ProjectFile

KINDS = ("instruction", "requirement", "paraphrase", "domain", "criterion", "tests", "rewrite")
_MAX_TEXT_CHARACTERS = 60
_Ids = Annotated[Texts, Option("ID", "id of a suggestion, or its first characters; may be repeated")]


@dataclass(frozen=True, kw_only=True)
class SubjectChoice:
    """The subjects to ask about."""

    subject: Annotated[Texts, subjects_option("default: every accepted subject; may be repeated")] = ()
    repository: Annotated[str, Option("R", "only the accepted subjects mined from this repository")] = ""
    new: Annotated[bool, Option(help="only subjects without a suggestion of this kind")] = False
    undescribed: Annotated[bool, Option(help="only subjects whose prompt is only a signature")] = False

    def find_ids(self, store: ProjectFile, kind: str) -> Sequence[str]:
        """Return the ids of the chosen subjects. Raises `BadInputError` if there are none."""
        ids = self.subject or suggestions.list_accepted_ids(store, self.repository, kind if self.new else "")
        if self.undescribed and not self.subject:
            undescribed_ids = release_gates.undescribed_subjects(store)
            ids = tuple(item for item in ids if item in undescribed_ids)
        if not ids:
            where = f" of {self.repository}" if self.repository else ""
            condition = "is accepted and has no suggestion yet" if self.new else "is accepted yet"
            if self.undescribed:
                condition = "has only a signature as its prompt"
            raise BadInputError(f"No subject{where} {condition}, so there is nothing to ask about.")
        return ids


@command(
    "suggest ask", "annotator suggest ask p.annotator --kind criterion --base-url http://localhost:8000/v1 --model m"
)
def ask_for_suggestions(
    store: Project,
    display: ProgressDisplay,
    *,
    kind: Annotated[str, Option(help="what to suggest", choices=KINDS)],
    subjects: SubjectChoice,
    model_options: ModelOptions,
    domains: Annotated[str, Option("D,D", "domaineval, evocodebench, or your own with commas")] = "domaineval",
) -> CommandAnswer:
    """Ask a model for one suggestion per subject; a rewrite is requested part by part, and each part is checked."""
    endpoint = model_options.find_endpoint(store)
    ids = subjects.find_ids(store, kind)
    names = TAXONOMIES.get(domains) or tuple(part.strip() for part in domains.split(","))
    batch = suggestions.request_suggestions(
        store, endpoint, model_options.model, kind, ids, display.start("Asking"), domains=names, tell=write_error
    )
    count = len(batch.rows)
    head = "No suggestions." if not count else f"{count} suggestion{'' if count == 1 else 's'} saved."
    for key, reason in batch.left_out:
        write_error(f"{key}: {reason}")
    if batch.failed:
        write_error("Run it again with --new to ask about the subjects that have no suggestion.")
    status = ExitCode.DONE if batch.rows else ExitCode.BAD_INPUT
    if batch.failed:
        status = ExitCode.INTERRUPTED
    return CommandAnswer({"suggestions": batch.rows, "left_out": dict(batch.left_out)}, head, status)


@command("suggest list", "annotator suggest list p.annotator --open", rows=True)
def list_suggestions(
    store: Project,
    *,
    subject: Annotated[str | None, Option("ID", "only suggestions for this subject")] = None,
    open: Annotated[bool, Option(help="only suggestions that nobody has decided on")] = False,
) -> CommandAnswer:
    """List suggestions."""
    rows = suggestions.suggestions_with_problems(store, suggestions.find_suggestions(store, subject, only_open=open))
    lines = [
        (
            row.id[:13],
            row.key,
            row.kind,
            row.model,
            _describe_state(row),
            " ".join(row.text.split())[:_MAX_TEXT_CHARACTERS],
        )
        for row in rows
    ]
    heads = ("id", "subject", "kind", "model", "state", "text")
    return answer_list("suggestions", rows, heads, lines, none="No suggestions.")


@command("suggest show", "annotator suggest show p.annotator --id 0190")
def show_suggestion(store: Project, *, id: _Ids) -> CommandAnswer:
    """Show suggestions and their problems."""
    rows = suggestions.suggestions_with_problems(
        store, [suggestions.load_suggestion(store, suggestion_id) for suggestion_id in id]
    )
    return CommandAnswer(
        rows[0] if len(rows) == 1 else {"suggestions": rows}, "\n\n\n".join(map(_describe_suggestion, rows))
    )


@command("suggest accept", "annotator suggest accept p.annotator --id 0190 --id 0191")
def accept_suggestion(
    store: Project,
    *,
    id: _Ids,
    text_file: Annotated[
        Path | None, Option("F", "use the text of this file instead: the suggestion as you edited it")
    ] = None,
    part: Annotated[
        Texts, Option(help="accept only this part of a rewrite; may be repeated", choices=(*PARTS, *TITLES))
    ] = (),
) -> CommandAnswer:
    """Accept suggestions; print the problems that still keep them out of a release."""
    if text_file is not None and len(id) > 1:
        raise BadInputError("--text-file holds the text of one suggestion; give only one --id with it.")
    text = read_text(text_file) if text_file else None
    rows = [suggestions.load_suggestion(store, suggestion_id) for suggestion_id in id]
    changes = [suggestions.accept_suggestion(store, row.id, text, part) for row in rows]
    for row in suggestions.suggestions_with_problems(store, rows if text is None else [replace(rows[0], text=text)]):
        for problem in row.problems:
            write_error(f"{row.key}: {problem}")
    return _answer_all_changes(changes)


@command("suggest reject", "annotator suggest reject p.annotator --id 0190")
def reject_suggestion(store: Project, *, id: _Ids) -> CommandAnswer:
    """Reject suggestions."""
    rows = [suggestions.load_suggestion(store, suggestion_id) for suggestion_id in id]
    return _answer_all_changes([suggestions.reject_suggestion(store, row.id) for row in rows])


def _answer_all_changes(all_changes: Sequence[Changes]) -> CommandAnswer:
    if len(all_changes) == 1:
        return answer_changes(all_changes[0])
    data = [{"done": changes.label, "change": changes.change_id} for changes in all_changes]
    return CommandAnswer({"acts": data}, "\n".join(changes.label for changes in all_changes))


def _describe_state(row: SuggestionRow) -> str:
    if not row.complete:
        return f"{row.state}, {'parts missing' if row.kind == REWRITE else 'cut off'}"
    return f"{row.state}, check" if row.problems else row.state


def _describe_suggestion(row: SuggestionRow) -> str:
    cut = ""
    if not row.complete:
        cut = ", parts are missing" if row.kind == REWRITE else ", cut off at the token limit"
    problems = "".join(f"\n- {problem}" for problem in row.problems)
    return f"{row.kind} of {row.key} by {row.model} ({row.template}), {row.state}{cut}{problems}\n\n{row.text}"
