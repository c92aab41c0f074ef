"""Prompts: save, check and override paraphrases, and rewrite mined code that its author's code must not solve."""

from pathlib import Path
from typing import Annotated

from annotator.cli.command import Note, Option, Reason, Subject, command
from annotator.cli.open_project import Project, ReadOnlyProject
from annotator.cli.output import CommandAnswer, answer_changes, read_json, read_text, text_table
from annotator.cli.progress_display import ProgressDisplay
from annotator.services.prompt import paraphrases, rewrite_items, rewrites
from annotator.services.prompt.paraphrase_guard import check_paraphrase, prompt_material
from annotator.services.prompt.rewrites import RewriteView
from annotator.services.select import triage

_VIEW_FIELDS = ("saved", "checked", "passed", "gates", "disagreements", "results", "coverage")
_SIGNS = {True: "✓", False: "✗", None: "?"}


@command("rewrite show", "annotator rewrite show p.annotator --subject merge --json > rewrite.json")
def show_rewrite(store: Project, *, subject: Subject) -> CommandAnswer:
    """Show a rewrite, or a first draft, with its gates."""
    return _describe_rewrite(rewrites.load_rewrite(store, subject))


@command("rewrite set", "annotator rewrite set p.annotator --subject merge --file rewrite.json")
def save_rewrite(
    store: Project, *, subject: Subject, file: Annotated[Path, Option("F.json", "as written by rewrite show --json")]
) -> CommandAnswer:
    """Save a rewrite with its table of tests and references."""
    document = read_json(file)
    if isinstance(document, dict) and "document" in document:
        document = document["document"]
    rewrites.save_rewrite(store, subject, document)
    return _describe_rewrite(rewrites.load_rewrite(store, subject))


@command("rewrite check", "annotator rewrite check p.annotator --subject merge")
def check_rewrite(store: Project, display: ProgressDisplay, *, subject: Subject) -> CommandAnswer:
    """Run the mined code and references on the table, and show the gates."""
    return _describe_rewrite(rewrites.check_rewrite(store, subject, display.start("Checking")))


@command(
    "rewrite explain", 'annotator rewrite explain p.annotator --subject merge --language java --reason "unreachable"'
)
def explain_coverage(
    store: Project,
    *,
    subject: Subject,
    language: Annotated[str, Option("L", "language of the reference")],
    reason: Reason,
) -> CommandAnswer:
    """Explain why a reference may stay below full coverage."""
    rewrites.explain_coverage(store, subject, language, reason)
    return _describe_rewrite(rewrites.load_rewrite(store, subject))


@command("rewrite confirm", "annotator rewrite confirm p.annotator --subject merge --language java --annotator Ada")
def confirm_reason(
    store: Project, *, subject: Subject, language: Annotated[str, Option("L", "language of the reference")]
) -> CommandAnswer:
    """Confirm the reason that another person gave."""
    rewrites.confirm_coverage(store, subject, language)
    return _describe_rewrite(rewrites.load_rewrite(store, subject))


@command("rewrite make", "annotator rewrite make p.annotator --subject merge")
def make_items(store: Project, *, subject: Subject) -> CommandAnswer:
    """Make an item per language from a rewrite that passes its gates; outdated items are rejected."""
    rows, changes = rewrite_items.make_rewrite_items(store, subject)
    lines = [(row.key, row.language, row.state) for row in rows]
    text = text_table(("key", "language", "state"), lines)
    text += f"\n{changes.label}." if changes.label else "\nNothing new was made."
    text += " Accept these items instead of the rewritten subject, which is not released."
    return CommandAnswer({"items": rows, "done": changes.label, "change": changes.change_id}, text)


def _describe_rewrite(rewrite: RewriteView) -> CommandAnswer:
    data = {
        "document": rewrites.rewrite_work_json(rewrite.work),
        **{name: getattr(rewrite, name) for name in _VIEW_FIELDS},
    }
    rows = [(_SIGNS[gate.passed], gate.name, gate.detail) for gate in rewrite.gates]
    heading = f"{rewrite.subject.row.title}: {'rewritten' if rewrite.saved else 'a first draft, not saved yet'}"
    return CommandAnswer(data, f"{heading}\n{text_table(('', 'gate', 'result'), rows)}")


@command("paraphrase check", "annotator paraphrase check p.annotator --subject HumanEval/0")
def check_prompt(
    store: ReadOnlyProject,
    *,
    subject: Subject,
    text_file: Annotated[Path | None, Option("F", "text to check, UTF-8; - for stdin; default: the saved one")] = None,
) -> CommandAnswer:
    """Check what a paraphrase loses or gives away."""
    view = triage.load_subject(store, subject)
    saved = view.paraphrase.text if view.paraphrase else view.prompt
    text = saved if text_file is None else read_text(text_file)
    report = check_paraphrase(prompt_material(view), text)
    state = paraphrases.load_prompt_state(store, view)
    rows = []
    for check in report.checks:
        failed_state = "fails" if check.required else "open"
        rows.append(("holds" if check.ok else failed_state, check.name, " ".join(check.problems)))
    lines = [text_table(("state", "check", "detail"), rows)]
    if text_file is None and state is not None and state.override is not None:
        lines += ["", f"Overridden by {state.override.person}: {state.override.reason}"]
    data = {"checks": report.checks, "problems": report.problems, "asked": report.full_prompt, "state": state}
    return CommandAnswer(data, "\n".join(lines))


@command("paraphrase override", 'annotator paraphrase override p.annotator --subject 12 --reason "no number needed"')
def override_checks(
    store: Project,
    *,
    subject: Subject,
    reason: Annotated[str, Option("REASON", "why the paraphrase is right nevertheless")],
) -> CommandAnswer:
    """Override the failed checks of a paraphrase."""
    return answer_changes(paraphrases.override_checks(store, subject, reason))


@command("prompt", "annotator prompt p.annotator --subject HumanEval/0 --text-file prompt.txt")
def save_paraphrase(
    store: Project,
    *,
    subject: Subject,
    text_file: Annotated[Path, Option("F", "text, UTF-8; - for stdin")],
    note: Note = "",
) -> CommandAnswer:
    """Save a paraphrase of a subject's prompt."""
    text = read_text(text_file)
    return answer_changes(paraphrases.save_prompt(store, subject, text, note))
