"""Save a paraphrase, check it, and override its checks with a reason."""

from pathlib import Path
from typing import Annotated

from annotator.cli.command import Note, Option, Subject, command
from annotator.cli.open_project import Project, ReadOnlyProject
from annotator.cli.output import CommandAnswer, answer_changes, read_text, text_table
from annotator.services.prompt import paraphrases
from annotator.services.prompt.paraphrase_guard import check_paraphrase, prompt_material
from annotator.services.select import triage


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
    state = paraphrases.prompt_state(store, view)
    rows = [
        ("holds" if check.ok else "fails" if check.required else "open", check.name, " ".join(check.problems))
        for check in report.checks
    ]
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
    reason: Annotated[str, Option("REASON", "why it is right nevertheless")],
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
